"""Owners and admins decide how long conversations are kept, and are told what that deletes before it does."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from admin_ui.components.keeping import Keeping
from admin_ui.selectors.data import deleted_under
from conversations.models import DeletionReceipt, Session, TurnState
from conversations.selectors.retention import retention_due
from kernel.clock import now
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.services import retention_set
from tests.integration.admin_ui.rows import make_session, make_turn

pytestmark = pytest.mark.django_db


def silent_for(who: str, **age) -> Session:
    session = make_session(turns=1, who=who)
    Session.objects.filter(pk=session.pk).update(updated_at=now() - timedelta(**age))
    return session


@pytest.fixture
def stored(scoped):
    """Old, older, fresh, left for a newer one, held by a process, and waiting for an answer."""
    silent_for("old", days=40)
    silent_for("older", days=200)
    make_session(turns=1, who="fresh")
    Session.objects.filter(pk=make_session(turns=1, who="left").pk).update(ended_at=now())
    held = silent_for("held", days=300)
    Session.objects.filter(pk=held.pk).update(lease_until=now() + timedelta(minutes=1))
    make_turn(silent_for("waiting", days=300), 2, state=TurnState.ACCEPTED, answer="", traced=False)


@pytest.fixture
def owner(scoped, browser):
    return browser(scoped, "owner")


def kept(tenant) -> tuple[str, int]:
    return Tenant.objects.values_list("retention", "retention_days").get(pk=tenant.pk)


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


@pytest.mark.parametrize("role", ["editor", "analyst"])
def test_other_roles_neither_read_nor_change_it(scoped, browser, role):
    member = browser(scoped, role)
    assert member.get("data/").status_code == 403
    assert member.post("data/retention", {"mode": "none"}).status_code == 403
    assert "console/data/" not in member.get("").content.decode()
    assert kept(scoped)[0] == "keep"


@pytest.mark.parametrize("role", ["owner", "admin"])
def test_owners_and_admins_find_it_in_the_menu(scoped, browser, role):
    member = browser(scoped, role)
    assert "console/data/" in member.get("").content.decode()
    assert member.get("data/").status_code == 200


@pytest.mark.parametrize(
    ("mode", "days", "n"), [("none", 1, 3), ("days", 30, 2), ("days", 90, 1), ("keep", 1, 0)]
)
def test_it_counts_what_the_purge_would_delete(scoped, stored, mode, days, n):
    assert deleted_under(Keeping(mode, days)) == n


@pytest.mark.parametrize(
    ("mode", "days"), [("none", 1), ("days", 30), ("days", 90), ("days", 3650), ("keep", 1)]
)
def test_its_count_is_that_of_the_purge(scoped, stored, mode, days):
    retention_set(tenant_id=scoped.pk, mode=mode, days=days)
    due = retention_due(tenant_id=scoped.pk)
    assert deleted_under(Keeping(mode, days)) == (Session.objects.filter(due.sessions).count() if due else 0)


def test_a_change_that_deletes_asks_first(scoped, stored, owner):
    asked = owner.post("data/retention", {"mode": "days", "days": "30"})
    assert asked.status_code == 200
    assert "deletes 2 conversations" in text_of(asked)
    assert kept(scoped) == ("keep", 90)


def test_it_is_saved_once_confirmed(scoped, stored, owner):
    answer = owner.post("data/retention", {"mode": "days", "days": "30", "confirmed": "yes"})
    assert answer.status_code == 302
    assert kept(scoped) == ("days", 30)
    assert Session.objects.count() == 6  # the purge deletes, not the page
    page = text_of(owner.get("data/"))
    assert "now kept for 30 days after the last activity" in page
    assert "2 of 6 conversations are deleted as soon as it runs" in page


@pytest.mark.parametrize("wanted", [{"mode": "days", "days": "365"}, {"mode": "keep"}])
def test_a_change_that_deletes_nothing_is_saved_at_once(scoped, owner, wanted):
    silent_for("old", days=40)
    retention_set(tenant_id=scoped.pk, mode="days", days=60)
    assert owner.post("data/retention", wanted).status_code == 302
    assert kept(scoped)[0] == wanted["mode"]


@pytest.mark.parametrize(
    "wanted", [{}, {"mode": "forever"}, {"mode": "days"}, {"mode": "days", "days": "0"}, {"mode": "days", "days": "-3"},
               {"mode": "days", "days": "3651"}, {"mode": "days", "days": "²"}, {"mode": "days", "days": "9" * 30}]
)  # fmt: skip
def test_nonsense_changes_nothing_and_is_told(scoped, stored, owner, wanted):
    assert owner.post("data/retention", {**wanted, "confirmed": "yes"}).status_code == 302
    assert kept(scoped) == ("keep", 90)
    assert 'data-level="error"' in owner.get("data/").content.decode()


def test_reading_the_address_of_the_form_changes_nothing(scoped, owner):
    assert owner.get("data/retention?mode=none&confirmed=yes").status_code == 405


def test_receipts_tell_when_why_and_how_much(scoped, owner):
    DeletionReceipt.objects.create(reason="age", counts={"Turn": 1, "Session": 1200, "PineCone": 2})
    page = text_of(owner.get("data/"))
    assert "1,200 conversations · 1 message" in page
    assert "2 pine cones" in page
    assert "too old" in page


def test_no_receipt_yet_is_said(scoped, owner):
    assert "Nothing was deleted yet." in text_of(owner.get("data/"))


def test_a_rival_counts_their_own_only(scoped, rival, stored, browser):
    DeletionReceipt.objects.create(reason="end_user", counts={"Session": 77})
    retention_set(tenant_id=scoped.pk, mode="days", days=30)
    with tenant_scope(rival.pk):
        page = text_of(browser(rival, "owner").get("data/"))
        browser(rival, "owner").post("data/retention", {"mode": "none", "confirmed": "yes"})
    assert "77" not in page
    assert "now kept until somebody deletes them" in page
    assert kept(scoped) == ("days", 30)


def test_members_of_another_workspace_stay_outside(scoped, rival, browser):
    stranger = browser(scoped, "owner", member_of=rival)
    assert stranger.get("data/").status_code == 403
    assert stranger.post("data/retention", {"mode": "none", "confirmed": "yes"}).status_code == 403
    assert kept(scoped)[0] == "keep"
