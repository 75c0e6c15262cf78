"""Invitations: a link for one address, once, for seven days, from whoever may invite into that role."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from tenants import errors
from tenants.models import AuditEntry, Invitation, Membership, User
from tenants.scoping import tenant_scope
from tenants.selectors.invitations import access_invitation, invitations_open
from tenants.services import end_user_for_account, membership_set
from tenants.services.invitations import (
    account_create,
    invitation_accept,
    invitation_create,
    invitation_renew,
    invitation_revoke,
)

pytestmark = pytest.mark.django_db


def member(role: str, email: str = "") -> Membership:
    user = User.objects.create_user(email or f"{role}@acme.example", "correct horse battery")
    return membership_set(user=user, role=role)


@pytest.fixture
def owner(scoped) -> Membership:
    return member("owner")


def test_an_invitation_makes_an_account_a_member_in_its_role(owner):
    issued = invitation_create(email=" Ada@Acme.example ", role="editor", by=owner)
    ada = User.objects.create_user("ada@acme.example", "correct horse battery")
    assert invitation_accept(token=issued.token, user=ada).role == "editor"
    assert [entry.action for entry in AuditEntry.objects.order_by("seq")][-3:] == [
        "invitation.created",
        "membership.set",
        "invitation.accepted",
    ]


def test_an_invitation_makes_a_new_account(owner):
    issued = invitation_create(email="new@acme.example", role="analyst", by=owner)
    user = account_create(token=issued.token, name="New One", password="correct horse battery")
    assert user.check_password("correct horse battery")
    assert Membership.objects.get(user=user).role == "analyst"


def test_only_the_tokens_hash_is_kept(owner):
    issued = invitation_create(email="ada@acme.example", role="editor", by=owner)
    row = Invitation.objects.filter(pk=issued.invitation.pk).values().get()
    assert issued.token not in str(row) and len(issued.token) >= 43


def test_an_invitation_is_used_once(owner):
    issued = invitation_create(email="ada@acme.example", role="editor", by=owner)
    account_create(token=issued.token, name="Ada", password="correct horse battery")
    with pytest.raises(errors.InvitationUsed):
        access_invitation(issued.token)
    with pytest.raises(errors.InvitationUsed):
        invitation_accept(token=issued.token, user=User.objects.get(email="ada@acme.example"))


def test_an_invitation_runs_out(owner):
    issued = invitation_create(email="ada@acme.example", role="editor", by=owner)
    assert timedelta(days=6.9) < issued.invitation.expires_at - now() <= timedelta(days=7)
    Invitation.objects.update(expires_at=now() - timedelta(seconds=1))
    with pytest.raises(errors.InvitationExpired):
        access_invitation(issued.token)


def test_a_revoked_invitation_says_so(owner):
    issued = invitation_create(email="ada@acme.example", role="editor", by=owner)
    invitation_revoke(invitation_id=issued.invitation.pk, by=owner)
    with pytest.raises(errors.InvitationRevoked):
        access_invitation(issued.token)
    assert not invitations_open().exists()


def test_an_invitation_is_for_its_address_alone(owner):
    issued = invitation_create(email="ada@acme.example", role="admin", by=owner)
    eve = User.objects.create_user("eve@rival.example", "correct horse battery")
    with pytest.raises(errors.InvitationForAnother):
        invitation_accept(token=issued.token, user=eve)
    assert not Membership.objects.filter(user=eve).exists()


def test_a_link_of_one_tenant_is_nothing_in_another(owner, rival):
    issued = invitation_create(email="ada@acme.example", role="admin", by=owner)
    with tenant_scope(rival.id), pytest.raises(errors.InvitationUnknown):
        access_invitation(issued.token)
    with tenant_scope(rival.id):
        assert not invitations_open().exists()
        stranger = member("owner", "eve@rival.example")
        with pytest.raises(NotFound):
            invitation_revoke(invitation_id=issued.invitation.pk, by=stranger)
    assert access_invitation(issued.token).email == "ada@acme.example"


def test_sending_it_again_ends_the_old_link(owner):
    first = invitation_create(email="ada@acme.example", role="admin", by=owner)
    again = invitation_renew(invitation_id=first.invitation.pk, by=owner)
    with pytest.raises(errors.InvitationUnknown):
        access_invitation(first.token)
    assert access_invitation(again.token).pk == first.invitation.pk


def test_a_second_invitation_of_an_address_ends_the_first(owner):
    first = invitation_create(email="ada@acme.example", role="admin", by=owner)
    second = invitation_create(email="ada@acme.example", role="analyst", by=owner)
    with pytest.raises(errors.InvitationRevoked):
        access_invitation(first.token)
    assert access_invitation(second.token).role == "analyst"


@pytest.mark.parametrize(
    ("by", "role", "refused"),
    [
        ("admin", "owner", errors.OwnersOnly),
        ("editor", "analyst", errors.RoleForbids),
        ("analyst", "analyst", errors.RoleForbids),
        ("owner", "king", Invalid),
    ],
)
def test_who_may_not_invite_into_a_role_is_refused(scoped, by, role, refused):
    with pytest.raises(refused):
        invitation_create(email="ada@acme.example", role=role, by=member(by))
    assert not Invitation.objects.exists()


def test_an_admin_cannot_replace_an_owners_invitation(owner):
    issued = invitation_create(email="ada@acme.example", role="owner", by=owner)
    admin = member("admin")
    with pytest.raises(errors.OwnersOnly):
        invitation_create(email="ada@acme.example", role="analyst", by=admin)
    with pytest.raises(errors.OwnersOnly):
        invitation_revoke(invitation_id=issued.invitation.pk, by=admin)
    assert access_invitation(issued.token).role == "owner"


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@", "a b@acme.example", "ada@acme.example\nBcc: x@y.example"]
)
def test_what_is_no_address_is_not_invited(owner, email):
    with pytest.raises(Invalid):
        invitation_create(email=email, role="analyst", by=owner)


def test_a_member_is_not_invited_again(owner):
    with pytest.raises(errors.AlreadyAMember):
        invitation_create(email=owner.user.email.upper(), role="analyst", by=owner)


def test_a_known_end_user_becomes_a_member_and_stays_who_they_are(owner):
    ada = User.objects.create_user("ada@acme.example", "correct horse battery")
    before = end_user_for_account(user=ada)
    issued = invitation_create(email="ada@acme.example", role="editor", by=owner)
    invitation_accept(token=issued.token, user=ada)
    assert end_user_for_account(user=ada) == before
