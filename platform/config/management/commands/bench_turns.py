"""`manage.py bench_turns`: what a turn costs beside its model and its embeddings, and whether that grows."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.table import Table

from config import relay_bench, servers, socket_bench, turn_bench
from config.measuring import console_for, progress_on, write_figures


class Command(BaseCommand):
    help = "Measure the platform's own time in a turn, stage by stage, against a model server without delay."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=1, metavar="C", help="conversations at once")
        parser.add_argument("--turns", type=int, default=200, metavar="N", help="in each conversation")
        parser.add_argument("--answer-tokens", type=int, default=60, metavar="T", help="in every answer")
        parser.add_argument("--streams", type=int, default=60, help="answers over sockets; 0 leaves them out")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")

    def handle(self, *args: Any, **options: Any) -> None:
        plan = turn_bench.Plan(options["concurrency"], options["turns"], options["answer_tokens"])
        if min(plan.concurrency, plan.turns, plan.tokens) < 1:
            raise CommandError("--concurrency, --turns and --answer-tokens must be 1 or more")
        console = console_for(120)
        with progress_on(console) as report, servers.available():
            figures = turn_bench.run(plan, report)
            if options["streams"]:
                figures["relayed_per_s"] = relay_bench.relayed_per_second(2 * options["streams"])
                figures["streams_per_s"] = socket_bench.streams_per_second(options["streams"])
        write_figures(options["json"], figures)
        console.print(_table(figures))
        console.print(_growth(figures))


def _table(figures: dict[str, Any]) -> Table:
    table = Table(title=f"{figures['turns']} turns in each of {figures['concurrency']} conversations")
    table.add_column("what")
    table.add_column("p50 ms", justify="right")
    table.add_column("p95 ms", justify="right")
    for name in ("own_ms", "own_outside_language_ms", "own_cpu_ms"):
        if figures[name]:
            row = figures[name]
            table.add_row(
                name.removesuffix("_ms").replace("_", " "), f"{row['p50']:.1f}", f"{row['p95']:.1f}"
            )
    for name, value in figures["stages_ms"].items():
        table.add_row(f"stage: {name}", f"{value:.1f}", "")
    for name, value in figures["floor"].items():
        table.add_row(f"floor: {name.removesuffix('_ms').replace('_', ' ')}", f"{value:.1f}", "")
    table.add_row("round trips to the database, a number", str(figures["round_trips"]), "")
    table.add_row("turns a second", f"{figures['turns_per_s']:.1f}", "")
    if figures["streams_per_s"] is not None:
        table.add_row("answers of 200 tokens passed on a second", f"{figures['relayed_per_s']:.1f}", "")
        table.add_row("the same with their turns, over sockets", f"{figures['streams_per_s']:.1f}", "")
    return table


def _growth(figures: dict[str, Any]) -> Table:
    table = Table(title="along the conversation")
    for name in ("turn", "own p50 ms", "CPU p50 ms", "prompt tokens", "round trips", "model calls"):
        table.add_column(name, justify="right")
    for row in figures["by_turn"]:
        table.add_row(*map(str, row.values()))
    return table
