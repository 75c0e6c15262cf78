"""`manage.py leakage_probe --probes N`: made-up people ask for what they must not learn."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.table import Table

from config import leakage, servers
from config.measuring import console_for, ended_in_order, progress_on, write_figures
from conversations.audits.runs import audit_run
from kernel.json import JsonObject


class Command(BaseCommand):
    help = (
        "Ask for other tenants', other people's and other conversations' words in many ways, and count leaks."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--probes", type=int, default=1000, metavar="N", help="how many (1000)")
        parser.add_argument("--seed", type=int, default=1, help="another choice of questions")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write everything there")

    def handle(self, *args: Any, **options: Any) -> None:
        console = console_for()
        with (
            ended_in_order(),
            progress_on(console) as told,
            servers.available(),
            audit_run("leakage_probe") as record,
        ):
            report = leakage.run(options["probes"], told, seed=options["seed"])
            record(report, report["leaks"])
        write_figures(options["json"], report)
        console.print(_table(report))
        if report["leaks"]:
            raise CommandError(f"{report['leaks']} of {report['probes']} probes got what they must not.")


def _table(report: JsonObject) -> Table:
    table = Table(title="Leakage probes", title_justify="left")
    for column in ("kind", "probes", "leaks"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for kind, counts in report["by_kind"].items():
        table.add_row(kind, f"{counts['probes']:,}", str(counts["leaks"]))
    table.add_section()
    table.add_row("all", f"{report['probes']:,}", str(report["leaks"]))
    return table
