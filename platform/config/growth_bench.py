"""The growth benchmark: what a turn costs the later it comes, and what it and a sweep cost the more tenants there are.

Two in five of the other tenants have a few dozen passages, the rest none: most of a platform's tenants are small.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection

from config import turn_bench
from config.benching import KnownQuestions, remove
from config.curves import Curve, picture
from config.progress import Report, named
from config.synthetic import Loaded, Loader
from conversations.evaluation.library import tenant_remove
from conversations.tasks import turns_sweep
from retrieval.services import equipment, equipped
from tenants.models import Tenant
from tenants.scoping import no_scope
from tenants.services import tenant_create

PASSAGES = (0, 0, 20, 0, 60)
_SWEEPS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """One conversation of `turns`, then one of `sampled` turns beside each number of `tenants`."""

    turns: int = 200
    tenants: tuple[int, ...] = (10, 100, 1000)
    sampled: int = 40
    tokens: int = 60
    removed_after: bool = True


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """`{"by_turn": [{"turn", …}], "by_tenants": [{"tenants", …, "sweep_ms"}]}`; what it made is removed again."""
    long = turn_bench.run(turn_bench.Plan(turns=plan.turns, tokens=plan.tokens), named(report, "one tenant"))
    rows = []
    with _crowd(plan.removed_after) as grow:
        for number in sorted(plan.tenants):
            grow(number, report)
            rows.append(_beside(number, plan, report))
    return {"by_turn": long["by_turn"], "by_tenants": rows, "floor": long["floor"]}


def curves(figures: dict[str, Any]) -> str:
    """The figures as a picture (SVG)."""

    def of(rows: str, x: str, y: str, title: str, along: str) -> Curve:
        return Curve(title, along, [(row[x], row[y]) for row in figures[rows]])

    return picture(
        [
            of("by_turn", "turn", "own_cpu_p50_ms", "CPU of a turn, ms (p50)", "the turn's number"),
            of("by_turn", "turn", "round_trips", "round trips of a turn", "the turn's number"),
            of("by_tenants", "tenants", "own_cpu_p50_ms", "CPU of a turn, ms (p50)", "tenants"),
            of("by_tenants", "tenants", "sweep_cpu_ms", "CPU of one sweep over all tenants, ms", "tenants"),
        ]
    )


def _beside(number: int, plan: Plan, report: Report) -> dict[str, Any]:
    """A conversation of a tenant that comes to so many others."""
    _analyze()
    wanted = turn_bench.Plan(turns=plan.sampled, tokens=plan.tokens)
    figures = turn_bench.run(wanted, named(report, f"{number} tenants"))
    return {
        "tenants": number,
        "own_p50_ms": figures["own_ms"]["p50"],
        "own_cpu_p50_ms": figures["own_cpu_ms"]["p50"],
        "round_trips": figures["round_trips"],
        **_sweep(),
    }


def _sweep() -> dict[str, float]:
    """Milliseconds of the wall's clock and of this process's processor, the least of a few tries."""
    tries = []
    for _ in range(_SWEEPS):
        wall, cpu = time.perf_counter(), time.process_time()
        turns_sweep()
        spent = time.process_time() - cpu  # read first, so that the wall's span holds this one
        tries.append((spent, time.perf_counter() - wall))
    return {
        "sweep_ms": round(min(wall for _, wall in tries) * 1000, 1),
        "sweep_cpu_ms": round(min(cpu for cpu, _ in tries) * 1000, 1),
    }


def _analyze() -> None:
    """What autovacuum has done by the time that so many tenants have come."""
    with connection.cursor() as cursor:
        cursor.execute("analyze")


Grow = Callable[[int, Report], None]


@contextmanager
def _crowd(removed_after: bool) -> Iterator[Grow]:
    """Makes tenants up to a number, and removes them again."""
    loader, mark = Loader(), f"bench-{int(time.time())}"
    empty: list[Tenant] = []
    small: list[Loaded] = []

    def grow(number: int, report: Report) -> None:
        with no_scope(), equipped(replace(equipment(), embeddings=KnownQuestions())):
            for n in range(len(empty) + len(small), number):
                if passages := PASSAGES[n % len(PASSAGES)]:
                    small.append(loader.load(f"{mark}-{n}", passages, questions=0))
                else:
                    empty.append(tenant_create(slug=f"{mark}-{n}", name="Bench"))
                report("tenants", n + 1, number)

    try:
        yield grow
    finally:
        if removed_after:
            _removed(empty, small)


def _removed(empty: Sequence[Tenant], small: Sequence[Loaded]) -> None:
    with no_scope():
        remove(small)
        for tenant in empty:
            tenant_remove(tenant)
