"""New findings are told to staff once, by mail and on every page of their console, without a word of what was found."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from admin_ui.staff.alerts import open_findings, open_findings_forget
from conversations.audits.canaries import canary_new
from conversations.audits.judging import finding_judge
from conversations.audits.notices import findings_open, notices_complete
from conversations.audits.records import Finding, FindingNotice
from conversations.audits.scanning import scan
from conversations.mail_tasks import findings_mail, findings_sweep
from conversations.models import DeletionReason, Session
from conversations.services.retention import sessions_delete
from tenants.models import EndUser, User
from tenants.scoping import no_scope, tenant_scope
from tenants.services.erasing import tenant_erase, tenant_erase_request

pytestmark = pytest.mark.django_db(transaction=True)
PAGES = ("staff", "staff-leakage", "staff-isolation", "staff-audit-logs")


@pytest.fixture(autouse=True)
def fresh(db):
    open_findings_forget()
    yield
    open_findings_forget()


@pytest.fixture
def boss(db):
    return User.objects.create_user("bo@platform.example", "long enough 4 me", name="Bo", is_staff=True)


@pytest.fixture
def posted(monkeypatch):
    """Letters are sent at once instead of by a worker."""
    monkeypatch.setattr(findings_mail, "delay", findings_mail)


def leak(tenant, words=1, session_id=None) -> list[str]:
    """Words of nobody's turn up in an answer of the tenant."""
    planted = [canary_new() for _ in range(words)]
    with tenant_scope(tenant.pk):
        for word in planted:
            scan({"answer": f"The surgery is in {word}."}, session_id=session_id)
    return planted


def test_staff_are_written_to_once_about_a_finding(tenant, boss, posted, mailoutbox, settings):
    settings.PUBLIC_URL = "https://chat.example"
    User.objects.create_user("ann@acme.example", "long enough 4 me", name="Ann")
    [word] = leak(tenant)
    findings_sweep()
    findings_sweep()
    [letter] = mailoutbox
    assert letter.to == [boss.email] and "1 critical" in letter.subject
    assert f"https://chat.example{reverse('staff-leakage')}" in letter.body
    assert word[:8] not in letter.body and "surgery" not in letter.body and tenant.name not in letter.body


def test_many_at_once_are_one_letter(tenant, rival, boss, posted, mailoutbox):
    leak(tenant, 3)
    leak(rival, 2)
    findings_sweep()
    assert [letter.subject for letter in mailoutbox] == ["5 leakage findings (5 critical)"]


def test_the_same_finding_again_is_no_news(tenant, boss, posted, mailoutbox):
    [word] = leak(tenant)
    findings_sweep()
    with tenant_scope(tenant.pk):
        scan({"answer": f"The surgery is in {word}."}, session_id=None)
    findings_sweep()
    assert len(mailoutbox) == 1 and FindingNotice.objects.count() == 1


def test_without_staff_it_waits_for_somebody_to_write_to(tenant, posted, mailoutbox):
    leak(tenant)
    findings_sweep()
    User.objects.create_user("bo@platform.example", "long enough 4 me", name="Bo", is_staff=True)
    findings_sweep()
    assert len(mailoutbox) == 1


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_how_many_are_open_until_they_are_judged(tenant, rival, boss, page):
    client = Client()
    client.force_login(boss)
    banner = b"leakage findings open"
    assert banner not in client.get(reverse(page)).content
    leak(tenant)
    leak(rival)
    open_findings_forget()
    shown = client.get(reverse(page)).content
    assert b"2 leakage findings open" in shown and reverse("staff-leakage").encode() in shown
    for owner in (tenant, rival):
        with tenant_scope(owner.pk):
            finding = Finding.objects.get()
        judged = {"state": "dismissed", "note": "A trial."}
        assert client.post(reverse("staff-finding", args=(owner.pk, finding.pk)), judged).status_code == 302
    assert banner not in client.get(reverse(page)).content


def test_counting_is_one_query_however_many_tenants_and_is_kept_for_a_while(tenant, rival, boss):
    leak(tenant, 2)
    leak(rival)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert [open_findings(), open_findings()] == [3, 3]
    assert len(asked) == 1


def test_what_is_gone_with_its_conversation_is_not_told(tenant, rival, boss, posted, mailoutbox):
    with tenant_scope(tenant.pk):
        session = Session.objects.create(end_user=EndUser.objects.create())
    leak(tenant, session_id=session.pk)
    leak(rival)
    with tenant_scope(tenant.pk):
        assert Finding.objects.get().session_id == session.pk
        sessions_delete(Q(pk=session.pk), DeletionReason.END_USER)
    assert not FindingNotice.objects.filter(workspace=tenant.pk).exists()
    assert FindingNotice.objects.filter(workspace=rival.pk).exists() and findings_open() == 1
    findings_sweep()
    assert [letter.subject for letter in mailoutbox] == ["A leakage finding (1 critical)"]


def test_what_is_gone_with_its_workspace_is_not_told(tenant, rival, boss, posted, mailoutbox):
    leak(tenant)
    leak(rival, 2)
    erasure = tenant_erase_request(tenant_id=rival.pk)
    with no_scope():
        assert tenant_erase(erasure_id=erasure.pk)
    assert not FindingNotice.objects.filter(workspace=rival.pk).exists()
    assert FindingNotice.objects.filter(workspace=tenant.pk).exists() and findings_open() == 1
    findings_sweep()
    assert [letter.subject for letter in mailoutbox] == ["A leakage finding (1 critical)"]


def test_one_that_is_older_than_notices_is_told_after_the_nightly_check(tenant, boss):
    leak(tenant, 2)
    FindingNotice.objects.all().delete()
    with tenant_scope(tenant.pk):
        finding_judge(finding_id=Finding.objects.first().pk, state="dismissed", note="A trial.", owner=None)
        notices_complete()
    assert findings_open() == 1
