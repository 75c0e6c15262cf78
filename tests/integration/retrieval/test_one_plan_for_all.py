"""A search is planned once for a connection, goes out in one trip, and leaves no setting behind."""

from __future__ import annotations

import pytest
from django.conf import settings as django
from django.db import DataError, connection, transaction

from tenants.errors import NoTenantScope
from tenants.postgres import statements
from tenants.postgres.statements import Statement
from tenants.scoping import no_scope

pytestmark = pytest.mark.django_db(transaction=True)

TUNED = ("plan_cache_mode", "enable_sort", "antecedent.tenant_id")


def settings():
    values = {}
    with no_scope(), connection.cursor() as cursor:
        for name in TUNED:
            cursor.execute("select current_setting(%s, true)", [name])
            values[name] = cursor.fetchone()[0]
    return values


def shown(name):
    with connection.cursor() as cursor:
        cursor.execute("select current_setting(%s, true)", [name])
        return cursor.fetchone()[0]


@pytest.fixture
def book(add):
    return add("loans.md", "Books may be borrowed for three weeks.")


def test_the_search_has_one_plan_however_often_it_is_asked(book, find):
    for number in range(8):
        assert find(f"how long may books be borrowed {number}")[0].document_id == book.id
    with connection.cursor() as cursor:
        cursor.execute(
            "select generic_plans, custom_plans from pg_prepared_statements"
            " where statement like '%%granted_corpora%%' and statement like '%%fused%%'"
        )
        assert cursor.fetchall() == [(8, 0)]


def test_nothing_is_set_after_a_search(book, find):
    find("books")
    before = settings()
    assert before["plan_cache_mode"] == "auto" and before["enable_sort"] == "on"
    assert before["antecedent.tenant_id"] in ("", None)


def test_a_transaction_of_the_caller_is_tuned_for_the_search_only(book, find):
    tuned = Statement("select current_setting('enable_sort') || ' ' || current_setting('plan_cache_mode')")
    with transaction.atomic():
        assert tuned.fetch({}, {"enable_sort": "off"}) == [("off force_generic_plan",)]
        assert find("books")[0].document_id == book.id
        assert (shown("enable_sort"), shown("plan_cache_mode")) == ("on", "auto")
    assert tuned.fetch({}, {"enable_sort": "off"}) == [("off force_generic_plan",)]
    assert settings()["enable_sort"] == "on"


def test_a_statement_that_fails_leaves_the_connection_usable(book, find):
    wrong = Statement("select 1 / %(by)s::integer")
    with pytest.raises(DataError):
        wrong.fetch({"by": 0})
    assert find("books")[0].document_id == book.id
    with transaction.atomic():
        with pytest.raises(DataError):
            wrong.fetch({"by": 0}, may_fail=True)
        assert find("books")[0].document_id == book.id


def test_where_tables_are_distributed_a_search_has_a_transaction_of_its_own(book, find, monkeypatch):
    monkeypatch.setitem(django.ANTECEDENT, "DISTRIBUTED", True)
    monkeypatch.delattr(statements, "_scope_text")
    assert find("books")[0].document_id == book.id
    assert settings()["antecedent.tenant_id"] in ("", None)


def test_nothing_is_asked_for_nobody(book):
    with no_scope(), pytest.raises(NoTenantScope):
        Statement("select 1").fetch({})
