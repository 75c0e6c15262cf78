"""Lists of the staff console ask the database as often for five tenants as for fifty, and are turned page by page."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from admin_ui.staff.selectors.leakage import PER_PAGE
from conversations.audits.records import Finding, LeakageCheckDay
from kernel.clock import now
from retrieval.models import Corpus
from tenants.models import Tenant, User
from tenants.scoping import current_scope, tenant_scope
from tenants.selectors.of_each import asked_of_each
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db
HTML = {"HTTP_ACCEPT": "text/html"}


def finding(tenant, **fields):
    with tenant_scope(tenant.pk):
        return Finding.objects.create(
            **{"kind": "tenant", "severity": "high", "where": "answer", "fingerprint": uuid4().hex, **fields}
        )


def grown(to: int, owner: User) -> None:
    """So many tenants, each with something in every list."""
    for n in range(Tenant.objects.count(), to):
        one = Tenant.objects.create(slug=f"hotel-{n:02}", name=f"Hotel {n:02}")
        finding(one, owner=owner if n % 2 else None)
        with tenant_scope(one.pk):
            LeakageCheckDay.objects.create(day=now().date(), kind="texts", checks=1)
            make_document(Corpus.objects.create(name="Wards", slug="wards"), "Hours", state="queued")


@pytest.mark.parametrize("address", ["/staff/", "/staff/leakage/", "/staff/health/"])
def test_fifty_tenants_cost_no_more_queries_than_five(staff, boss, address):
    costs = []
    for size in (5, 50):
        grown(size, boss)
        staff.get(address)
        with CaptureQueriesContext(connection) as asked:
            page = staff.get(address)
        assert page.status_code == 200 and b"Hotel" in page.content
        costs.append(len(asked))
    assert costs[0] == costs[1] <= 25


def test_findings_are_turned_page_by_page_the_gravest_first_over_all_tenants(tenant, rival, staff):
    at = now()
    for n in range(PER_PAGE + 10):
        made = finding((tenant, rival)[n % 2], severity="low" if n % 3 else "critical", turn=n + 1)
        with tenant_scope(made.tenant_id):
            # Some at the same moment: the id decides.
            Finding.objects.filter(pk=made.pk).update(created_at=at - timedelta(seconds=n // 4))
    first = staff.get("/staff/leakage/").content.decode()
    following = re.search(r'rel="next" href="([^"]+)"', first)[1].replace("&amp;", "&")
    second = staff.get("/staff/leakage/" + following).content.decode()
    ids = [re.findall(r"/staff/leakage/[0-9a-f-]{36}/([0-9a-f-]{36})/", page) for page in (first, second)]
    assert [len(part) for part in ids] == [PER_PAGE, 10] and len({*ids[0], *ids[1]}) == PER_PAGE + 10
    graves = re.findall(r"</span>(critical|low)", first + second)
    assert graves == sorted(graves)
    assert 'rel="next"' not in second and 'rel="first"' in second and 'rel="first"' not in first


@pytest.mark.parametrize("after", ["x", "9.1.1.1", "1.99999999999.000000." + "0" * 32, "%00"])
def test_a_place_that_is_none_means_the_beginning(tenant, staff, after):
    finding(tenant)
    assert b"Acme" in staff.get(f"/staff/leakage/?after={after}").content


def test_each_tenant_is_asked_inside_its_own_scope_and_nobody_reads_across(tenant, rival):
    for owner, title in ((tenant, "Ours"), (rival, "Theirs")):
        with tenant_scope(owner.pk):
            Corpus.objects.create(name=title, slug="one")
    question = "select to_jsonb(array(select name from retrieval_corpus order by name))"
    told = asked_of_each([tenant.pk, rival.pk], question, {})
    assert told == {tenant.pk: ["Ours"], rival.pk: ["Theirs"]}
    with connection.cursor() as cursor:
        cursor.execute("select count(*) from retrieval_corpus")
        assert cursor.fetchone() == (0,), "the scope is what it was before"
    with tenant_scope(tenant.pk):
        scope = current_scope()
        with pytest.raises(RuntimeError):
            asked_of_each([rival.pk], question, {})
        assert current_scope() == scope and Corpus.objects.count() == 1
