"""Platform staff come into a workspace: for a while, in a role, with a reason that the workspace reads."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import set_script_prefix

from admin_ui.staff.selectors.tenants import figures_of
from kernel.clock import now
from tenants.acting import SYSTEM, acting_as
from tenants.models import AuditEntry, EndUserAudience, Membership
from tenants.scoping import tenant_scope
from tenants.selectors import belongs_here, workspaces_of
from tenants.selectors.audit import audit_verify
from tenants.services import audience_create, audiences_join, end_user_for_account
from tenants.services.support import support_leave, support_visits_expire

pytestmark = pytest.mark.django_db
HTML = {"HTTP_ACCEPT": "text/html"}
FORM = {"role": "analyst", "minutes": "15", "reason": "Ticket 81: answers are slow"}


@pytest.fixture
def inside(boss, browser):
    def opened(tenant):
        client = browser(tenant, **HTML)
        client.force_login(boss)
        return client

    return opened


def enter(staff, tenant, **changes):
    set_script_prefix("/")  # the staff console stands outside every workspace's address
    return staff.post(f"/staff/tenants/{tenant.pk}/support/", FORM | changes)


def log(tenant, action):
    with tenant_scope(tenant.pk):
        assert not audit_verify().broken
        return list(AuditEntry.objects.filter(action=action))


def over(tenant):
    with tenant_scope(tenant.pk):
        Membership.objects.filter(until__isnull=False).update(until=now() - timedelta(seconds=1))


def test_the_console_opens_in_that_role_with_the_reason_on_every_page(tenant, rival, staff, inside, boss):
    assert inside(tenant).get("/console/").status_code == 403
    assert enter(staff, tenant).headers["Location"] == "/t/acme/console/"
    page = inside(tenant).get("/console/conversations/").content.decode()
    assert "You are here for support until" in page and FORM["reason"] in page
    assert inside(tenant).get("/console/members/").status_code == 403  # an analyst's role, and no more
    assert inside(rival).get("/console/").status_code == 403
    [entry] = log(tenant, "support.entered")
    assert (entry.actor, entry.target) == ("staff", boss.email)
    assert (entry.data["role"], entry.data["reason"]) == ("analyst", FORM["reason"])
    assert not log(rival, "support.entered")


@pytest.mark.parametrize(
    "changes",
    [
        {"reason": " "},
        {"reason": "x" * 301},
        {"role": "owner"},
        {"role": "king"},
        {"minutes": "9999"},
        {"minutes": "٣"},
    ],
)
def test_no_reason_no_visit_and_nobody_comes_in_as_an_owner(tenant, staff, inside, changes):
    assert enter(staff, tenant, **changes).status_code == 200
    assert inside(tenant).get("/console/").status_code == 403
    assert not log(tenant, "support.entered")


def test_what_is_done_meanwhile_is_in_the_log_as_done_by_staff(tenant, staff, inside):
    enter(staff, tenant, role="admin")
    inside(tenant).post("/console/members/two-factor", {"required": "yes"})
    [entry] = log(tenant, "two_factor.required")
    assert entry.actor == "staff"


def test_when_the_time_is_over_every_door_is_shut_at_once_and_the_row_goes_soon(tenant, staff, inside, boss):
    enter(staff, tenant)
    assert [workspace.slug for workspace in workspaces_of(boss)] == ["acme"]
    over(tenant)
    assert inside(tenant).get("/console/").status_code == 403 and workspaces_of(boss) == []
    with tenant_scope(tenant.pk), acting_as(SYSTEM):
        assert [support_visits_expire(), support_visits_expire()] == [1, 0]
        assert not Membership.objects.exists()
    assert len(log(tenant, "support.left")) == 1


def test_the_visitor_leaves_and_a_second_time_nothing_happens(tenant, staff, inside):
    enter(staff, tenant)
    client = inside(tenant)
    assert client.post("/console/members/support/leave").headers["Location"] == "/staff/"
    assert client.post("/console/members/support/leave").status_code == 403
    staff.post(f"/staff/tenants/{tenant.pk}/support/leave")
    assert client.get("/console/").status_code == 403
    assert len(log(tenant, "support.left")) == 1


def test_owners_see_the_visit_and_can_end_it_but_not_make_it_more(
    tenant, staff, inside, person, browser, boss
):
    owner = browser(tenant, **HTML)
    owner.force_login(person(tenant, "ann@acme.example", "owner"))
    enter(staff, tenant)
    page = owner.get("/console/members/").content.decode()
    assert "platform staff, until" in page and FORM["reason"] in page
    with tenant_scope(tenant.pk):
        visit = Membership.objects.get(user=boss)
    owner.post(f"/console/members/{visit.pk}/role", {"role": "owner"})
    with tenant_scope(tenant.pk):
        assert Membership.objects.get(user=boss).role == "analyst"
    owner.post(f"/console/members/{visit.pk}/remove")
    assert inside(tenant).get("/console/").status_code == 403
    assert len(log(tenant, "support.left")) == 1 and not log(tenant, "membership.removed")


def test_a_visitor_is_not_counted_as_a_member(tenant, staff, person):
    person(tenant, "ann@acme.example", "owner")
    enter(staff, tenant)
    assert figures_of(tenant).members == 1


def test_a_visit_that_is_over_leaves_no_audience_and_no_known_end_user(tenant, staff, boss):
    enter(staff, tenant)
    with tenant_scope(tenant.pk), acting_as(SYSTEM):
        known = end_user_for_account(user=boss)
        audiences_join(end_user=known, audiences=[audience_create(name="Nurses")])
        support_leave(user=boss)
        assert not belongs_here(boss)
        assert not EndUserAudience.objects.filter(end_user=known).exists()


def test_a_member_needs_no_visit_and_keeps_their_role(tenant, staff, boss):
    from tenants.services import membership_set

    with tenant_scope(tenant.pk):
        membership_set(user=boss, role="owner")
    assert enter(staff, tenant).status_code == 200
    with tenant_scope(tenant.pk):
        assert (Membership.objects.get().role, Membership.objects.get().until) == ("owner", None)


def test_whoever_is_made_a_member_during_a_visit_stays(tenant, staff, boss):
    from tenants.services import membership_set

    enter(staff, tenant)
    with tenant_scope(tenant.pk):
        membership_set(user=boss, role="analyst")
        assert support_visits_expire() == 0 and Membership.objects.get().until is None
    assert log(tenant, "membership.set")[0].data["before"] is None
