"""The console's benchmark: every page of a large workspace as its owner's browser asks for it, at two sizes; staff's too.

A page's floor is the longest of its own statements, sent again by itself: what no page around it can fall below.
`cpu_ms` is what a request costs this process, without the database; it moves less than wall time on a busy machine.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import cpu_count, getloadavg
from statistics import median
from typing import Any
from uuid import uuid4

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_script_prefix, set_script_prefix

from config.console_pages import PAGES
from config.console_rows import Size, grow
from config.console_work import landmarks
from config.measuring import p95
from config.progress import Report
from conversations.evaluation.library import tenant_remove
from kernel.errors import DomainError
from tenants.models import Role, Tenant, User
from tenants.scoping import no_scope, tenant_scope
from tenants.services import membership_set, tenant_create

LIMIT_MS = 300.0
SMALLER = 10
"""The first of the two sizes is so many times smaller."""
_LITERAL = re.compile(r"'(?:[^']|'')*'")


class PageRefused(DomainError):
    """The page {page} answered {status}."""

    code = "page_refused"


@dataclass(frozen=True, slots=True)
class Plan:
    """`rounds` is how often each page is asked for; `pages` narrows the list to names that begin so.

    `keep` leaves both workspaces where they are, for the next run of the same sizes.
    """

    turns: int = 100_000
    documents: int = 10_000
    rounds: int = 9
    pages: str = ""
    keep: bool = False

    @property
    def sizes(self) -> tuple[Size, Size]:
        """A tenth, then all. At least a page of every list, so that more rows cannot mean other queries."""
        small = Size(max(1000, self.turns // SMALLER), max(100, self.documents // SMALLER))
        return small, Size(max(self.turns, small.turns), max(self.documents, small.documents))


@dataclass(frozen=True, slots=True)
class Browser:
    """An owner's, signed in at the workspace's console; and one of the platform's staff."""

    client: Client
    staff: Client
    tenant: Tenant
    landmarks: Mapping[str, str]

    def get(self, path: str) -> int:
        """The status. As behind the workspace's prefix, unless the address begins at the root."""
        path = path.format(**self.landmarks)
        if path.startswith("/"):
            with no_scope():
                return self.staff.get(path, secure=True).status_code
        before, prefix = get_script_prefix(), f"/t/{self.tenant.slug}"
        try:
            set_script_prefix(f"{prefix}/")
            with no_scope():
                return self.client.get(f"/console/{path}", SCRIPT_NAME=prefix, secure=True).status_code
        finally:
            set_script_prefix(before)


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """`{"turns", "documents", "load", "pages": [{"page", "p50_ms", "p95_ms", "queries", "floor_ms", …}], "over_limit"}`.

    `load` is how many programs wanted a processor at the beginning and at the end, and how many processors there are.
    """
    began = getloadavg()[0]
    pages = [page for page in PAGES if page[0].startswith(plan.pages)]
    small, large = plan.sizes
    with _workspace(small, plan.keep) as browser:
        few = _measured(browser, small, pages, 1, report)
    with _workspace(large, plan.keep) as browser:
        rows = _measured(browser, large, pages, plan.rounds, report)
    for row, smaller in zip(rows, few, strict=True):
        row["queries_at_a_tenth"] = smaller["queries"]
    slow = [row["page"] for row in rows if row["p50_ms"] > LIMIT_MS]
    grown = [row["page"] for row in rows if row["queries"] > row["queries_at_a_tenth"]]
    return {
        "turns": large.turns,
        "documents": large.documents,
        "load": {"began": began, "ended": getloadavg()[0], "processors": cpu_count()},
        "pages": rows,
        "over_limit": slow,
        "growing": grown,
    }


@contextmanager
def _workspace(size: Size, keep: bool) -> Iterator[Browser]:
    """A workspace of that size with an owner, and staff; all are removed whatever ends the block, unless they are kept."""
    mark = f"console-bench-{size.turns}-{size.documents}" if keep else f"bench-{uuid4().hex[:10]}"
    with no_scope():
        tenant = Tenant.objects.filter(slug=mark).first() or tenant_create(slug=mark, name="Library bench")
        owner, staff = (
            _account(f"{mark}@bench.example"),
            _account(f"{mark}@staff.bench.example", is_staff=True),
        )
    try:
        with tenant_scope(tenant.id):
            membership_set(user=owner, role=Role.OWNER)
            grow(tenant.id, size)
            rows = {**landmarks(), "tenant": str(tenant.id)}
        yield Browser(_signed_in(owner), _signed_in(staff), tenant, rows)
    finally:
        if not keep:
            with no_scope():
                tenant_remove(tenant)
                owner.delete()
                staff.delete()


def _account(address: str, *, is_staff: bool = False) -> User:
    found = User.objects.filter(email=address).first()
    return found or User.objects.create_user(address, name="Bench", is_staff=is_staff)


def _signed_in(user: User) -> Client:
    client = Client(headers={"host": "localhost", "accept": "text/html"})
    client.force_login(user)
    return client


def _measured(
    browser: Browser, size: Size, pages: Sequence[tuple[str, str]], rounds: int, report: Report
) -> list[dict[str, Any]]:
    rows = []
    for number, (name, path) in enumerate(pages, start=1):
        rows.append(_row(browser, name, path, rounds))
        report(f"pages at {size.turns} turns", number, len(pages))
    return rows


def _row(browser: Browser, name: str, path: str, rounds: int) -> dict[str, Any]:
    _asked(browser, name, path)  # templates, plans and pages of the database are warm from here on
    with CaptureQueriesContext(connection) as captured:
        _asked(browser, name, path)
    queries = [query for query in captured.captured_queries if _is_query(query["sql"])]
    began = time.process_time()
    times = [_timed(lambda: _asked(browser, name, path)) for _ in range(rounds)]
    cpu = (time.process_time() - began) * 1000 / rounds
    floor = [_floor(browser, queries) for _ in range(min(rounds, 5))]
    return {
        "page": name,
        "p50_ms": round(median(times), 1),
        "p95_ms": round(p95(times), 1),
        "queries": len(queries),
        "cpu_ms": round(cpu, 1),
        "floor_ms": round(median(floor), 1),
    }


def _asked(browser: Browser, name: str, path: str) -> None:
    status = browser.get(path)
    if status != 200:
        raise PageRefused(page=name, status=status)


def _is_query(sql: str | None) -> bool:
    """Reading rows, rather than opening a transaction or setting its scope. Of a bare COPY there is no text."""
    return (
        sql is not None
        and sql.lstrip("( ").upper().startswith(("SELECT", "WITH"))
        and "set_config" not in sql
    )


def _floor(browser: Browser, queries: Sequence[dict[str, str]]) -> float:
    """The longest statement of the page by itself, of those that are logged with their values."""
    whole = [query for query in queries if "$1" not in _LITERAL.sub("", query["sql"])]
    longest = max(whole, key=lambda query: float(query["time"]))["sql"]
    with tenant_scope(browser.tenant.id), connection.cursor() as cursor:
        return _timed(lambda: cursor.execute(longest).fetchall())


def _timed(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000
