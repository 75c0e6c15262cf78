"""The console's benchmark: every list of a large workspace as its owner's browser asks for it, at two sizes.

A page's floor is the longest of its own statements, sent again by itself: what no page around it can fall below.
`cpu_ms` is what a request costs this process, without the database; it moves less than wall time on a busy machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any
from uuid import uuid4

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_script_prefix, set_script_prefix

from config.console_rows import Size, grow
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
FAR = 1_000_000
"""A page number beyond the end: the last page is shown."""
PAGES: tuple[tuple[str, str], ...] = (
    ("overview", ""),
    ("overview, 28 days", "?days=28"),
    ("turns", "turns/?days=28"),
    ("turns, page 2", "turns/?days=28&page=2"),
    ("turns, last page", f"turns/?days=28&page={FAR}"),
    ("turns, unanswered", "turns/?about=unanswered&days=28"),
    ("turns, slow", "turns/?about=slow&days=28"),
    ("conversations", "conversations/"),
    ("conversations, page 2", "conversations/?page=2"),
    ("conversations, last page", f"conversations/?page={FAR}"),
    ("conversations, flagged", "conversations/?verdict=flagged"),
    ("conversations, found often", "conversations/?q=keep"),
    ("conversations, found never", "conversations/?q=submarine"),
    ("documents", "documents/"),
    ("documents, page 2", "documents/?page=2"),
    ("documents, last page", f"documents/?page={FAR}"),
    ("documents, failed", "documents/?state=failed"),
    ("documents, found", "documents/?q=rules"),
    ("contamination", "contamination/?days=90"),
    ("contamination, page 2", "contamination/?days=90&page=2"),
    ("contamination, confirmed", "contamination/?days=90&state=confirmed"),
    ("contamination, last page", f"contamination/?days=90&page={FAR}"),
    ("audit log", "audit-log/"),
    ("audit log, far back", "audit-log/?before=1000200"),
    ("audit log, by somebody", "audit-log/?who=librarian7"),
    ("members", "members/"),
    ("access", "access/"),
    ("keys", "keys/"),
    ("webhooks", "webhooks/"),
    ("usage", "usage/?days=90"),
    ("data", "data/"),
    ("policy", "policy/"),
    ("prompts", "prompts/"),
    ("what-if replays", "what-if/"),
    ("evaluations", "evaluations/"),
    ("search", "search/"),
)


class PageRefused(DomainError):
    """The page {page} answered {status}."""

    code = "page_refused"


@dataclass(frozen=True, slots=True)
class Plan:
    """`rounds` is how often each page is asked for; `pages` narrows the list to names that begin so."""

    turns: int = 100_000
    documents: int = 10_000
    rounds: int = 9
    pages: str = ""

    @property
    def sizes(self) -> tuple[Size, Size]:
        """A tenth, then all. At least a page of every list, so that more rows cannot mean other queries."""
        small = Size(max(1000, self.turns // SMALLER), max(100, self.documents // SMALLER))
        return small, Size(max(self.turns, small.turns), max(self.documents, small.documents))


@dataclass(frozen=True, slots=True)
class Browser:
    """An owner's, signed in at the workspace's console."""

    client: Client
    tenant: Tenant

    def get(self, path: str) -> int:
        """The status, asked for as behind the workspace's prefix."""
        before, prefix = get_script_prefix(), f"/t/{self.tenant.slug}"
        try:
            set_script_prefix(f"{prefix}/")
            with no_scope():
                return self.client.get(f"/console/{path}", SCRIPT_NAME=prefix, secure=True).status_code
        finally:
            set_script_prefix(before)


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """`{"turns", "documents", "pages": [{"page", "p50_ms", "p95_ms", "queries", "floor_ms", …}], "over_limit"}`."""
    pages = [page for page in PAGES if page[0].startswith(plan.pages)]
    small, large = plan.sizes
    with _workspace() as browser:
        few = _measured(browser, small, pages, 1, report)
        rows = _measured(browser, large, pages, plan.rounds, report)
    for row, smaller in zip(rows, few, strict=True):
        row["queries_at_a_tenth"] = smaller["queries"]
    slow = [row["page"] for row in rows if row["p50_ms"] > LIMIT_MS]
    grown = [row["page"] for row in rows if row["queries"] > row["queries_at_a_tenth"]]
    return {
        "turns": large.turns,
        "documents": large.documents,
        "pages": rows,
        "over_limit": slow,
        "growing": grown,
    }


@contextmanager
def _workspace() -> Iterator[Browser]:
    """A workspace with an owner, both removed whatever ends the block."""
    mark = f"bench-{uuid4().hex[:10]}"
    with no_scope():
        tenant = tenant_create(slug=mark, name="Library bench")
        owner = User.objects.create_user(f"{mark}@bench.example", name="Owner")
    try:
        with tenant_scope(tenant.id):
            membership_set(user=owner, role=Role.OWNER)
        client = Client(headers={"host": "localhost", "accept": "text/html"})
        client.force_login(owner)
        yield Browser(client, tenant)
    finally:
        with no_scope():
            tenant_remove(tenant)
            owner.delete()


def _measured(
    browser: Browser, size: Size, pages: Sequence[tuple[str, str]], rounds: int, report: Report
) -> list[dict[str, Any]]:
    with tenant_scope(browser.tenant.id):
        grow(browser.tenant.id, size)
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


def _is_query(sql: str) -> bool:
    """Reading rows, rather than opening a transaction or setting its scope."""
    return sql.lstrip("( ").upper().startswith(("SELECT", "WITH")) and "set_config" not in sql


def _floor(browser: Browser, queries: Sequence[dict[str, str]]) -> float:
    """The longest statement of the page by itself."""
    longest = max(queries, key=lambda query: float(query["time"]))["sql"]
    with tenant_scope(browser.tenant.id), connection.cursor() as cursor:
        return _timed(lambda: cursor.execute(longest).fetchall())


def _timed(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000
