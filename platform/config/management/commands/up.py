"""`manage.py up`: run the whole platform until Ctrl-C."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from embedded.up import Options, run


class Command(BaseCommand):
    help = "Run everything: PostgreSQL, Valkey, web, worker and beat (DATABASE_URL and VALKEY_URL replace the first two)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument(
            "--port", type=int, default=8000, help="port to listen on; the next free one if taken"
        )
        parser.add_argument("--only", choices=["services"], help="start PostgreSQL and Valkey alone")
        parser.add_argument("--seed", choices=["demo"], default="", help="load the demonstration data first")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = Options(
            host=options["host"],
            port=options["port"],
            only_services=options["only"] == "services",
            seed=options["seed"],
        )
        sys.exit(run(chosen))
