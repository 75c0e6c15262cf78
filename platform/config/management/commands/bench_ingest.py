"""`manage.py bench_ingest`: ingest against the bare embedder, on the same texts in the same run."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.table import Table

from config import ingest_bench, servers
from config.measuring import console_for, progress_on, write_figures


class Command(BaseCommand):
    help = "Measure how much of the bare embedder's rate ingest keeps, and what its time goes into."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--documents", type=int, default=80, metavar="N", help="of a page or two each")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["documents"] < 1:
            raise CommandError("--documents must be 1 or more")
        console = console_for(120)
        with progress_on(console) as report, servers.available():
            figures = ingest_bench.run(options["documents"], report)
        write_figures(options["json"], figures)
        console.print(_table(figures))


def _table(figures: dict[str, Any]) -> Table:
    table = Table(
        title=f"{figures['documents']} documents, {figures['passages']} passages, {figures['space']}"
    )
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_row("ingest, passages a second", f"{figures['ingest_passages_per_s']:.1f}")
    table.add_row("bare embedder, passages a second", f"{figures['bare_passages_per_s']:.1f}")
    table.add_row("ingest against bare (median of rounds)", f"{figures['ratio']:.0%}")
    for name, share in figures["share_of_wall"].items():
        table.add_row(f"wall time: {name.replace('_', ' ')}", f"{share:.0%}")
    return table
