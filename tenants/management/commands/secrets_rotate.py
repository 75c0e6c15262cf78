"""`manage.py secrets_rotate`: seal every stored secret with the newest key."""

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

from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.services.rotation import Rotation, sealed_count, secrets_rotate
from tenants.sign_in.two_factor import authenticators_rotate

WIDTH_IN_A_PIPE = 120
ACCOUNTS = "(accounts)"  # second factors belong to people, not to a workspace; no slug has brackets


class Command(BaseCommand):
    help = (
        "Seal every stored secret, second factors included, and the end of every audit log with the newest of SECRETS_KEYS. It can be stopped and"
        " run again. Exit code 1 when something cannot be read with any of the keys."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(width=None if sys.stdout.isatty() else WIDTH_IN_A_PIPE)
        rotations = _rotations(console)
        if options["json"]:
            options["json"].write_text(f"{json.dumps(_figures(rotations), indent=2)}\n", encoding="utf-8")
        console.print(_table(rotations))
        if any(rotation.unreadable for rotation in rotations.values()):
            raise CommandError(
                "Some secrets cannot be read. Put the key they were sealed with back into SECRETS_KEYS."
            )


def _rotations(console: Console) -> dict[str, Rotation]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    found = {}
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("secrets", total=None)
        for tenant in Tenant.objects.order_by("slug"):
            with tenant_scope(tenant.id):
                progress.reset(bar, total=sealed_count(), description=tenant.slug)
                found[tenant.slug] = secrets_rotate(report=lambda done: progress.update(bar, completed=done))
    found[ACCOUNTS] = authenticators_rotate()
    return found


def _figures(rotations: dict[str, Rotation]) -> dict[str, Any]:
    return {
        "resealed": sum(rotation.resealed for rotation in rotations.values()),
        "current": sum(rotation.current for rotation in rotations.values()),
        "unreadable": [
            {"tenant": slug, "what": what}
            for slug, rotation in rotations.items()
            for what in rotation.unreadable
        ],
    }


def _table(rotations: dict[str, Rotation]) -> Table:
    table = Table("workspace", "sealed anew", "sealed so already", "unreadable")
    for slug, rotation in rotations.items():
        table.add_row(slug, str(rotation.resealed), str(rotation.current), "\n".join(rotation.unreadable))
    return table
