"""`manage.py scenario NAME`: a long conversation through the real pipeline, with what came of it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.table import Table

from config import scenarios, servers
from config.measuring import console_for, ended_in_order, progress_on, write_figures
from conversations.evaluation.scenarios.report import ScenarioReport
from conversations.evaluation.scenarios.script import Script
from conversations.evaluation.scenarios.shelf import SCRIPTS, script_named
from kernel.errors import DomainError


class Command(BaseCommand):
    help = "Hold a long conversation through the real pipeline: rewrites, memory, passages and prompt size."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME", help="which one; without it, the list")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write everything there")

    def handle(self, *args: Any, **options: Any) -> None:
        console = console_for()
        if options["name"] not in SCRIPTS:
            console.print(_list())
            if options["name"]:
                raise CommandError(f"There is no scenario called {options['name']}.")
            return
        try:
            with ended_in_order():
                report = _held(console, script_named(options["name"]))
            write_figures(options["json"], report.as_json())
        except (DomainError, OSError) as error:
            raise CommandError(str(error)) from error
        for table in report.tables():
            console.print(table)


def _held(console: Console, script: Script) -> ScenarioReport:
    with progress_on(console) as report, servers.available():
        return scenarios.run(script, report)


def _list() -> Table:
    table = Table(title="Scenarios", title_justify="left")
    for column in ("name", "turns", "what happens"):
        table.add_column(column)
    for name in SCRIPTS:
        script = script_named(name)
        table.add_row(name, str(len(script.turns)), script.title)
    return table
