"""New findings are told to staff once, by mail and on every page of their console, without a word of what was found."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from admin_ui.staff.alerts import open_findings
from conversations.audits.canaries import canary_new
from conversations.audits.judging import finding_judge
from conversations.audits.notices import findings_open, notices_tidy
from conversations.audits.records import Finding, FindingNotice
from conversations.audits.scanning import scan
from conversations.mail_tasks import findings_mail, findings_sweep
from tenants.models import User
from tenants.scoping import tenant_scope

pytestmark = pytest.mark.django_db(transaction=True)
PAGES = ("staff", "staff-leakage", "staff-isolation", "staff-audit-logs")


@pytest.fixture(autouse=True)
def fresh(db):
    cache.delete("staff-open-findings")
    yield
    cache.delete("staff-open-findings")


@pytest.fixture
def boss(db):
    return User.objects.create_user("bo@platform.example", "long enough 4 me", name="Bo", is_staff=True)


@pytest.fixture
def posted(monkeypatch):
    """Letters are sent at once instead of by a worker."""
    monkeypatch.setattr(findings_mail, "delay", findings_mail)


def leak(tenant, words=1) -> list[str]:
    """Words of nobody's turn up in an answer of the tenant."""
    planted = [canary_new() for _ in range(words)]
    with tenant_scope(tenant.pk):
        for word in planted:
            scan({"answer": f"The surgery is in {word}."}, session_id=None)
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
    cache.delete("staff-open-findings")
    shown = client.get(reverse(page)).content
    assert b"2 leakage findings open" in shown and reverse("staff-leakage").encode() in shown
    for owner in (tenant, rival):
        with tenant_scope(owner.pk):
            finding_judge(finding_id=Finding.objects.get().pk, state="dismissed", note="A trial.", owner=None)
    cache.delete("staff-open-findings")
    assert banner not in client.get(reverse(page)).content


def test_counting_is_one_query_however_many_tenants_and_is_kept_for_a_while(tenant, rival, boss):
    leak(tenant, 2)
    leak(rival)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert [open_findings(), open_findings()] == [3, 3]
    assert len(asked) == 1


def test_what_is_gone_with_its_conversation_or_workspace_is_not_counted(
    tenant, rival, boss, posted, mailoutbox
):
    leak(tenant)
    leak(rival)
    with tenant_scope(tenant.pk):
        Finding.objects.all().delete()
        notices_tidy()
    assert findings_open() == 1
    FindingNotice.objects.update(workspace="00000000-0000-4000-8000-000000000000")
    findings_sweep()
    assert findings_open() == 0 and mailoutbox == []
