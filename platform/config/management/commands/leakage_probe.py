"""`manage.py leakage_probe --probes N`: made-up people ask for what they must not learn."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from config import leakage, servers
from config.management.commands.evaluate import WIDTH_IN_A_PIPE, ended_in_order
from config.progress import bars
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
        console = Console(width=None if sys.stdout.isatty() else WIDTH_IN_A_PIPE)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with (
            ended_in_order(),
            Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
            servers.available(),
            audit_run("leakage_probe") as record,
        ):
            report = leakage.run(options["probes"], bars(progress), seed=options["seed"])
            record(report, report["leaks"])
        if options["json"]:
            options["json"].write_text(
                f"{json.dumps(report, indent=2, ensure_ascii=False)}\n", encoding="utf-8"
            )
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
