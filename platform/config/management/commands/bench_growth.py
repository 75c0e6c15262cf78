"""`manage.py bench_growth`: how the cost of a turn grows with a tenant's turns and with the number of tenants."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.table import Table

from config import growth_bench, servers
from config.measuring import console_for, ended_in_order, progress_on, write_figures


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


class Command(BaseCommand):
    help = "Measure what a turn costs along a long conversation, and beside 10, 100 and 1,000 tenants."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--turns", type=int, default=200, metavar="N", help="in the long conversation")
        parser.add_argument(
            "--tenants", type=_numbers, default="10,100,1000", metavar="A,B", help="numbers of tenants"
        )
        parser.add_argument("--sampled", type=int, default=40, metavar="N", help="turns beside each number")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")
        parser.add_argument("--svg", type=Path, metavar="OUT", help="draw the curves there")

    def handle(self, *args: Any, **options: Any) -> None:
        turns, tenants, sampled = options["turns"], options["tenants"], options["sampled"]
        if min(turns, sampled) < 5 or min(tenants) < 1:
            raise CommandError("--turns and --sampled must be 5 or more, each of --tenants 1 or more")
        plan = growth_bench.Plan(turns, tenants, sampled, removed_after=servers.is_configured())
        console = console_for(120)
        with progress_on(console) as report, servers.available(), ended_in_order():
            figures = growth_bench.run(plan, report)
        write_figures(options["json"], figures)
        if options["svg"] is not None:
            options["svg"].write_text(growth_bench.curves(figures), encoding="utf-8")
        console.print(_table("along the conversation", figures["by_turn"]))
        console.print(_table("beside other tenants", figures["by_tenants"]))


def _table(title: str, rows: list[dict[str, Any]]) -> Table:
    table = Table(title=title)
    for name in rows[0]:
        table.add_column(name.replace("_", " "), justify="right")
    for row in rows:
        table.add_row(*map(str, row.values()))
    return table
