"""The console's page of members, by role and for the rival."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.core import mail

from tenants import mail_tasks
from tenants.models import Invitation, Membership, SignInProvider, User
from tenants.scoping import tenant_scope
from tenants.services import membership_set

pytestmark = pytest.mark.django_db
ROLES = ("owner", "admin", "editor", "analyst")


@pytest.fixture(autouse=True)
def letters(monkeypatch):
    task = mail_tasks.invitation_mail
    monkeypatch.setattr(task, "delay_on_commit", lambda *args: task(*args))
    return mail.outbox


def member(role: str, email: str) -> Membership:
    return membership_set(user=User.objects.create_user(email, name=email.split("@")[0].title()), role=role)


@pytest.mark.parametrize("role", ROLES)
def test_owners_and_admins_have_the_page_and_nobody_else(scoped, browser, role):
    page = browser(scoped, role).get("members/")
    assert page.status_code == (200 if role in ("owner", "admin") else 403)
    overview = browser(scoped, role).get().content
    assert (b"/console/members/" in overview) == (role in ("owner", "admin"))


@pytest.mark.parametrize("role", ["", *ROLES])
@pytest.mark.parametrize(
    "path",
    [
        "members/invite",
        "members/two-factor",
        "members/{member}/role",
        "members/{member}/remove",
        "members/invitations/{invitation}/again",
        "members/invitations/{invitation}/take-back",
        "members/providers/",
        "members/providers/{provider}/",
        "members/providers/{provider}/remove",
    ],
)
def test_no_change_is_open_to_whoever_may_not(scoped, rival, browser, role, path):
    """The rival's members of every role, and our own below admin."""
    victim, invitation, provider = _rows()
    path = path.format(member=victim.pk, invitation=invitation.pk, provider=provider.pk)
    form = {"email": "x@x.example", "role": "analyst", "required": "yes"}
    clients = [browser(scoped, role, member_of=rival)] if role else [browser(scoped)]
    clients += [browser(scoped, role)] if role in ("editor", "analyst") else []
    for client in clients:
        assert client.post(path, form).status_code in (302, 403, 404)
    assert _unchanged(scoped, victim, invitation, provider)


def _rows():
    provider = SignInProvider.objects.create(slug="p", name="P", issuer="https://p.example", client_id="c")
    soon = "2099-01-01T00:00:00Z"
    invitation = Invitation.objects.create(
        email="i@acme.example", role="editor", token_hash="h", expires_at=soon
    )
    return member("editor", "victim@acme.example"), invitation, provider


def _unchanged(tenant, victim, invitation, provider):
    tenant.refresh_from_db()
    row = Invitation.objects.get()
    same = (row.token_hash, row.revoked_at) == ("h", None) and not tenant.two_factor_required
    return (
        same
        and Membership.objects.get(pk=victim.pk).role == "editor"
        and provider == SignInProvider.objects.get()
    )


def test_the_rivals_owner_reaches_none_of_our_rows_from_their_own_console(scoped, rival, browser):
    victim, invitation, provider = _rows()
    eve = browser(rival, "owner")
    for path in (
        f"members/{victim.pk}/role",
        f"members/{victim.pk}/remove",
        f"members/invitations/{invitation.pk}/again",
        f"members/invitations/{invitation.pk}/take-back",
        f"members/providers/{provider.pk}/",
        f"members/providers/{provider.pk}/remove",
    ):
        eve.post(path, {"role": "owner"})
    assert b"victim@acme.example" not in eve.get("members/").content
    assert _unchanged(scoped, victim, invitation, provider)


def test_an_invitation_is_mailed_with_a_link_and_listed(scoped, browser, letters):
    admin = browser(scoped, "admin")
    admin.post("members/invite", {"email": "ada@new.example", "role": "editor"})
    page = admin.get("members/").content.decode()
    assert "ada@new.example" in page and "days left" in page
    token = re.search(r"/t/acme/invitation/([\w-]+)/", letters[-1].body)[1]
    assert token not in page, "the link is in the letter only"


def test_what_is_wrong_with_an_invitation_is_said(scoped, browser, letters):
    admin = browser(scoped, "admin")
    admin.post("members/invite", {"email": "ada", "role": "editor"})
    assert "Enter an email address" in admin.get("members/").content.decode()
    admin.post("members/invite", {"email": "ada@new.example", "role": "owner"})
    assert "Only owners" in admin.get("members/").content.decode()
    assert not letters and not Invitation.objects.exists()


def test_an_admin_sees_owners_without_controls(scoped, browser):
    owner, editor = member("owner", "o@acme.example"), member("editor", "e@acme.example")
    page = browser(scoped, "admin").get("members/").content.decode()
    assert f"members/{owner.pk}/role" not in page and f"members/{editor.pk}/role" in page
    assert '<option value="owner"' not in page


def test_a_role_is_changed_and_a_member_removed(scoped, browser):
    owner, editor = browser(scoped, "owner"), member("editor", "e@acme.example")
    owner.post(f"members/{editor.pk}/role", {"role": "admin"})
    assert Membership.objects.get(pk=editor.pk).role == "admin"
    owner.post(f"members/{editor.pk}/remove")
    assert not Membership.objects.filter(pk=editor.pk).exists()
    assert "no longer a member" in owner.get("members/").content.decode()


def test_the_last_owner_is_told_why_not(scoped, browser):
    owner = browser(scoped, "owner")
    mine = Membership.objects.get(role="owner")
    assert f"members/{mine.pk}/remove" not in owner.get("members/").content.decode()
    owner.post(f"members/{mine.pk}/role", {"role": "analyst"})
    assert "needs an owner" in owner.get("members/").content.decode()


def test_whoever_gives_up_their_role_lands_where_they_still_may(scoped, browser):
    member("owner", "o@acme.example")
    admin = browser(scoped, "admin")
    mine = Membership.objects.get(role="admin")
    assert (
        admin.post(f"members/{mine.pk}/role", {"role": "analyst"}).headers["Location"] == "/t/acme/console/"
    )


def test_a_provider_is_set_up_by_owners_and_its_issuer_is_asked_first(scoped, browser, monkeypatch):
    asked = []
    monkeypatch.setattr("admin_ui.views.sign_in_providers.issuer_probe", asked.append)
    form = {
        "name": "Company",
        "issuer": "https://login.acme.example/",
        "client_id": "abc",
        "client_secret": "s3cret",
        "email_domains": "acme.example, @acme.test",
        "default_role": "editor",
        "enabled": "yes",
    }
    assert browser(scoped, "admin").post("members/providers/", form).status_code == 403
    owner = browser(scoped, "owner")
    answer = owner.post("members/providers/", form)
    row = SignInProvider.objects.get()
    assert asked == ["https://login.acme.example"] and row.email_domains == ["acme.example", "acme.test"]
    page = owner.get(answer.headers["Location"].removeprefix("/t/acme/console/")).content.decode()
    assert f"http://testserver/t/acme/account/with/{row.pk}/back/" in page and "s3cret" not in page


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"issuer": "http://login.acme.example"}, "https://"),
        ({"issuer": "javascript:alert(1)"}, "https://"),
        ({"email_domains": "acme"}, "is not a domain"),
        ({"default_role": "owner"}, "becomes an analyst"),
        ({"name": ""}, "are needed"),
    ],
)
def test_what_is_wrong_with_a_provider_is_said_and_what_was_entered_stays(
    scoped, browser, monkeypatch, change, words
):
    monkeypatch.setattr("admin_ui.views.sign_in_providers.issuer_probe", lambda issuer: None)
    form = {
        "name": "Company",
        "issuer": "https://login.acme.example",
        "client_id": "abc",
        "default_role": "analyst",
    }
    page = browser(scoped, "owner").post("members/providers/", {**form, **change})
    assert (
        page.status_code == 400 and words in page.content.decode() and 'value="abc"' in page.content.decode()
    )
    assert not SignInProvider.objects.exists()


def test_the_page_costs_the_same_for_many_as_for_few(scoped, browser, django_assert_max_num_queries):
    owner = browser(scoped, "owner")
    for n in range(30):
        member("analyst", f"m{n}-{uuid4().hex[:6]}@acme.example")
    with tenant_scope(scoped.id), django_assert_max_num_queries(16):
        assert owner.get("members/").status_code == 200
