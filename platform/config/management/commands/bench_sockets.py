"""`manage.py bench_sockets`: what one web process needs for idle, asking and streaming tabs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.table import Table

from config import servers, socket_bench
from config.measuring import console_for, progress_on, write_figures


class Command(BaseCommand):
    help = "Measure one web process: memory of idle sockets, first events, paced streams, answers a second."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--idle", type=int, default=2000, metavar="N", help="idle sockets")
        parser.add_argument("--chats", type=int, default=50, metavar="N", help="questions at one moment")
        parser.add_argument(
            "--paced", type=int, default=200, metavar="N", help="streams of 50 tokens a second"
        )
        parser.add_argument("--streams", type=int, default=100, metavar="N", help="answers at full speed")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")

    def handle(self, *args: Any, **options: Any) -> None:
        plan = socket_bench.Plan(options["idle"], options["chats"], options["paced"], options["streams"])
        if min(plan.idle, plan.chats, plan.paced, plan.streams) < 1:
            raise CommandError("every number must be 1 or more")
        console = console_for(120)
        with progress_on(console) as report, servers.available():
            figures = socket_bench.run(plan, report)
        write_figures(options["json"], figures)
        console.print(_table(figures))


def _table(figures: dict[str, Any]) -> Table:
    load = figures["load"]
    busy = f"load {load['began']:.1f} to {load['ended']:.1f} on {load['processors']} processors"
    table = Table(title=f"one web process, {busy}")
    table.add_column("what")
    table.add_column("value", justify="right")
    idle, paced = figures["idle"], figures["paced"]
    rows = {
        f"{idle['sockets']} idle sockets, kB each": idle["kb_each"],
        "their share of a processor": idle["cpu_share"],
        **_pair("first event after the stored message, ms", figures["first_event_ms"]),
        **_pair("message stored, ms", figures["accepted_ms"]),
        **_pair("answer complete, ms", figures["completed_ms"]),
        "answers of 200 tokens a second": figures["streams_per_s"],
        "processor ms of an answer": figures["cpu_ms_per_stream"],
        "paced streams": f"{paced['streams']}, {paced['at_once']} of them at once",
        **_pair("they come later than ideal by", paced["late_share"]),
        "processor ms of a paced answer": paced["cpu_ms_per_stream"],
        "the client's own share of a processor, asking at once": figures["client_share"],
        "the client's own share of a processor, paced": paced["client_share"],
        "floor: echo of a bare socket, ms": figures["floor"]["echo_ms"],
    }
    for name, value in rows.items():
        table.add_row(name, str(value))
    return table


def _pair(name: str, values: dict[str, float]) -> dict[str, str]:
    return {name: f"{values['p50']} (p95 {values['p95']})"}
