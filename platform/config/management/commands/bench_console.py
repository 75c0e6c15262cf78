"""`manage.py bench_console`: how long the console's lists take in a large workspace, and whether queries grow."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.table import Table

from config import console_bench, servers
from config.measuring import console_for, progress_on, write_figures
from kernel.errors import DomainError


class Command(BaseCommand):
    help = (
        "Measure every list of the console in a large workspace, its queries at two sizes, against bare SQL."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--turns", type=int, default=100_000, metavar="N", help="in the workspace")
        parser.add_argument("--documents", type=int, default=10_000, metavar="N", help="in the workspace")
        parser.add_argument("--rounds", type=int, default=9, metavar="R", help="requests for each page")
        parser.add_argument("--pages", default="", metavar="NAME", help="only those whose name begins so")
        parser.add_argument(
            "--keep", action="store_true", help="leave both workspaces for the next run of the same sizes"
        )
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")

    def handle(self, *args: Any, **options: Any) -> None:
        if min(options["turns"], options["documents"], options["rounds"]) < 1:
            raise CommandError("--turns, --documents and --rounds are at least 1.")
        if options["keep"] and not servers.is_configured():
            raise CommandError("--keep needs a database that stays: start one with `manage.py up` beside.")
        names = ("turns", "documents", "rounds", "pages", "keep")
        plan = console_bench.Plan(**{name: options[name] for name in names})
        console = console_for(120)
        try:
            with progress_on(console) as report, servers.available():
                result = console_bench.run(plan, report)
        except DomainError as error:
            raise CommandError(str(error)) from error
        write_figures(options["json"], result)
        console.print(_table(result))


def _table(result: dict[str, Any]) -> Table:
    load = result["load"]
    busy = f"load {load['began']:.1f} to {load['ended']:.1f} on {load['processors']} processors"
    title = f"{result['turns']} turns, {result['documents']} documents · {busy}"
    table = Table(title=title, caption=_caption(result))
    table.add_column("page")
    for name in ("p50 ms", "p95 ms", "CPU ms", "queries", "at a tenth", "floor ms"):
        table.add_column(name, justify="right")
    for row in result["pages"]:
        figures = ("p50_ms", "p95_ms", "cpu_ms", "queries", "queries_at_a_tenth", "floor_ms")
        table.add_row(row["page"], *(str(row[name]) for name in figures))
    return table


def _caption(result: dict[str, Any]) -> str:
    slow, grown = ", ".join(result["over_limit"]), ", ".join(result["growing"])
    return f"over {console_bench.LIMIT_MS:g} ms: {slow or 'none'} · more queries with more rows: {grown or 'none'}"
