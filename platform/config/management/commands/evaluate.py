"""`manage.py evaluate followups`: follow-up sets through the real pipeline, by strategy, with gates."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from config import evaluating, servers
from config.measuring import console_for, ended_in_order, progress_on, write_figures
from conversations.evaluation import report as told
from conversations.evaluation.gates import Failure, Gates, failures, gates_from
from conversations.evaluation.strategies import DEFAULT, NAMES, contenders
from kernel.errors import DomainError


class Command(BaseCommand):
    help = (
        "Run follow-up sets through the real pipeline and report recall, contamination and more by stratum."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", choices=["followups"])
        parser.add_argument(
            "--items", type=Path, metavar="FILE", help="a follow-up set (default: the shipped sets)"
        )
        parser.add_argument(
            "--corpus", type=Path, metavar="FILE", help="its passages, as JSON lines of id and text"
        )
        parser.add_argument(
            "--strategy",
            nargs="+",
            metavar="S",
            default=[DEFAULT],
            help=f"any of {', '.join((*NAMES, 'all'))}",
        )
        parser.add_argument(
            "--gates", type=Path, metavar="FILE", help="floors and ceilings; 1 is returned if any breaks"
        )
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")
        parser.add_argument("--dump", type=Path, metavar="OUT", help="write one line an item there")
        parser.add_argument("--no-guard", action="store_true", help="measure what the guard keeps out")

    def handle(self, *args: Any, **options: Any) -> None:
        console = console_for()
        try:
            gates = gates_from(options["gates"]) if options["gates"] else None
            with ended_in_order():
                results = self._results(console, options)
        except (DomainError, OSError) as error:
            raise CommandError(str(error)) from error
        broken = failures(gates, results.strategies()) if gates else None
        _write(results, broken, options)
        _print(console, results, gates, broken)
        if broken:
            sys.exit(1)

    def _results(self, console: Console, options: dict[str, Any]) -> told.Results:
        plan = evaluating.Plan(
            name=options["items"].stem if options["items"] else "shipped",
            parts=evaluating.parts(options["items"], options["corpus"]),
            contenders=contenders(options["strategy"]),
            guarded=not options["no_guard"],
        )
        with progress_on(console) as report, servers.available():
            return evaluating.run(plan, report)


def _write(results: told.Results, broken: Sequence[Failure] | None, options: dict[str, Any]) -> None:
    write_figures(options["json"], results.as_json(broken))
    if options["dump"]:
        lines = (json.dumps(line, ensure_ascii=False) for line in results.lines())
        options["dump"].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _print(
    console: Console, results: told.Results, gates: Gates | None, broken: Sequence[Failure] | None
) -> None:
    strategies = results.strategies()
    guard = "" if results.guarded else ", without the guard"
    console.print(f"{results.name}, {results.engine} engine{guard}")
    for name, report in strategies.items():
        console.print(told.strategy_table(name, report))
    if len(strategies) > 1:
        for table in (*told.comparison_tables(strategies), told.literature_table()):
            console.print(table)
    if broken:
        console.print(told.failure_table(broken))
    elif gates is not None:
        console.print(f"All gates hold for {gates.strategy}.")
