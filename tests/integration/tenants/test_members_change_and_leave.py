"""Roles are changed and members removed by whoever may, and never the last owner."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection

from kernel.errors import Invalid, NotFound
from tenants import errors
from tenants.models import AuditEntry, EndUser, EndUserAudience, Membership, User
from tenants.scoping import tenant_scope
from tenants.selectors import belongs_here
from tenants.selectors.members import members_list
from tenants.services import audience_create, audiences_join, end_user_for_account, membership_set
from tenants.services.members import member_remove, member_role_set, two_factor_require


def member(role: str, name: str = "") -> Membership:
    user = User.objects.create_user(f"{name or role}@acme.example", "correct horse battery")
    return membership_set(user=user, role=role)


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["demote", "remove"])
def test_the_last_owner_stays(scoped, change):
    owner, _ = member("owner"), member("admin")
    with pytest.raises(errors.LastOwner):
        if change == "demote":
            member_role_set(membership_id=owner.pk, role="admin", by=owner)
        else:
            member_remove(membership_id=owner.pk, by=owner)
    assert Membership.objects.get(pk=owner.pk).role == "owner"


@pytest.mark.django_db
def test_an_owner_goes_when_there_is_another(scoped):
    first, second = member("owner", "first"), member("owner", "second")
    member_role_set(membership_id=first.pk, role="editor", by=first)
    member_remove(membership_id=first.pk, by=second)
    assert [row.role for row in members_list()] == ["owner"]
    changes = list(AuditEntry.objects.order_by("seq").values_list("action", flat=True))
    assert changes[-2:] == ["membership.set", "membership.removed"]


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_remove_each_other_at_once_leave_one(tenant):
    with tenant_scope(tenant.id):
        pair = [member("owner", "first"), member("owner", "second")]
    start, refused = threading.Barrier(2), []

    def removing(one: Membership, other: Membership) -> None:
        try:
            with tenant_scope(tenant.id):
                start.wait(20)
                member_remove(membership_id=other.pk, by=one)
        except (errors.LastOwner, errors.RoleForbids, NotFound) as error:
            refused.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=removing, args=two) for two in (pair, pair[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    with tenant_scope(tenant.id):
        assert Membership.objects.filter(role="owner").count() == 1 and len(refused) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("by", "whom", "to", "refused"),
    [
        ("admin", "owner", "analyst", errors.OwnersOnly),
        ("admin", "editor", "owner", errors.OwnersOnly),
        ("admin", "owner", None, errors.OwnersOnly),
        ("editor", "analyst", "editor", errors.RoleForbids),
        ("analyst", "editor", None, errors.RoleForbids),
        ("owner", "editor", "king", Invalid),
    ],
)
def test_who_may_not_is_refused(scoped, by, whom, to, refused):
    acting, other = member(by, "acting"), member(whom, "other")
    member("owner", "third")
    with pytest.raises(refused):
        if to is None:
            member_remove(membership_id=other.pk, by=acting)
        else:
            member_role_set(membership_id=other.pk, role=to, by=acting)
    assert Membership.objects.get(pk=other.pk).role == whom


@pytest.mark.django_db
def test_a_role_that_was_taken_away_a_moment_ago_gives_no_rights(scoped):
    owner, admin, analyst = member("owner"), member("admin"), member("analyst")
    member_role_set(membership_id=admin.pk, role="analyst", by=owner)
    with pytest.raises(errors.RoleForbids):
        member_remove(membership_id=analyst.pk, by=admin)


@pytest.mark.django_db
def test_whoever_is_removed_is_nobody_here_and_comes_back_as_who_they_were(scoped):
    owner, editor = member("owner"), member("editor")
    known = end_user_for_account(user=editor.user)
    audiences_join(end_user=known, audiences=[audience_create(name="Nurses")])
    member_remove(membership_id=editor.pk, by=owner)
    assert not belongs_here(editor.user)
    assert not EndUserAudience.objects.filter(end_user=known).exists()
    membership_set(user=editor.user, role="analyst")
    assert end_user_for_account(user=editor.user) == known


@pytest.mark.django_db
def test_the_rival_reaches_nobody(scoped, rival):
    owner, editor = member("owner"), member("editor")
    with tenant_scope(rival.id):
        stranger = member("owner", "stranger")
        for change in (
            lambda: member_remove(membership_id=editor.pk, by=stranger),
            lambda: member_role_set(membership_id=editor.pk, role="owner", by=stranger),
        ):
            with pytest.raises(NotFound):
                change()
        assert [row.user for row in members_list()] == [stranger.user]
    assert Membership.objects.get(pk=editor.pk).role == "editor"
    assert {row.user for row in members_list()} == {owner.user, editor.user}


@pytest.mark.django_db
def test_asking_for_a_second_factor_is_written_down_once(scoped):
    owner: Any = member("owner")
    two_factor_require(required=True, by=owner)
    two_factor_require(required=True, by=owner)
    scoped.refresh_from_db()
    assert scoped.two_factor_required
    assert AuditEntry.objects.filter(action="two_factor.required").count() == 1
    with pytest.raises(errors.RoleForbids):
        two_factor_require(required=False, by=member("editor"))
    assert EndUser.objects.count() == 0
