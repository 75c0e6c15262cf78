"""`manage.py bench_retrieval`: recall and speed of the search service by tenant size and permitted share."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.table import Table

from config import benching, servers
from config.measuring import console_for, progress_on, write_figures
from kernel.errors import DomainError


class Command(BaseCommand):
    help = (
        "Measure recall, rows and speed of retrieval on synthetic tenants, against bare SQL in the same run."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--chunks", type=int, default=20_000, metavar="N", help="passages in all")
        parser.add_argument("--tenants", type=int, default=50, metavar="T", help="tenants of skewed size")
        parser.add_argument("--queries", type=int, default=40, metavar="Q", help="questions for each row")
        parser.add_argument("--promoted", type=int, default=0, metavar="N", help="one more tenant, so large")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["chunks"] < 1 or options["tenants"] < 1 or options["queries"] < 1:
            raise CommandError("--chunks, --tenants and --queries are at least 1.")
        console = console_for()
        try:
            with progress_on(console) as report, servers.available():
                result = benching.run(_plan(options), report)
        except DomainError as error:
            raise CommandError(str(error)) from error
        write_figures(options["json"], result)
        console.print(_table(result))


def _plan(options: dict[str, Any]) -> benching.Plan:
    return benching.Plan(
        options["chunks"],
        options["tenants"],
        queries=options["queries"],
        promoted=options["promoted"],
        removed_after=servers.is_configured(),
    )


def _table(result: dict[str, Any]) -> Table:
    table = Table(title=f"{result['chunks']} passages, {result['tenants']} tenants")
    names = list(result["rows"][0])
    for name in names:
        table.add_column(name, justify="right")
    for row in result["rows"]:
        table.add_row(*(_cell(row[name]) for name in names))
    return table


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
