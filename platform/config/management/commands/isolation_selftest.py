"""`manage.py isolation_selftest`: every lock of the wall, tried on the running system."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.table import Table

from config import isolation, servers
from config.measuring import console_for, ended_in_order, progress_on, write_figures
from conversations.audits.isolation import Result
from conversations.audits.runs import audit_run


class Command(BaseCommand):
    help = "Try every lock between tenants, sessions and people on the running system."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", type=Path, metavar="OUT", help="write everything there")

    def handle(self, *args: Any, **options: Any) -> None:
        console = console_for()
        with (
            ended_in_order(),
            progress_on(console) as told,
            servers.available(),
            audit_run("isolation_selftest") as record,
            isolation.perhaps_broken(),
        ):
            results = isolation.run(told)
            report = isolation.as_json(results)
            record(report, report["failed"])
        write_figures(options["json"], report)
        console.print(_table(results))
        if report["failed"]:
            raise CommandError(f"{report['failed']} of {len(results)} checks failed.")


def _table(results: tuple[Result, ...]) -> Table:
    table = Table(title="Isolation", title_justify="left")
    for column in ("check", "passed", "what was seen"):
        table.add_column(column)
    for result in results:
        table.add_row(result.name, "yes" if result.passed else "NO", result.evidence)
    return table
