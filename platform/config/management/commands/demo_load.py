"""`manage.py demo_load`: the demonstration tenants."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from config import demonstration
from config.progress import bars, named


class Command(BaseCommand):
    help = (
        "Load the demonstration tenants: people, documents, permissions, a conversation. Safe to run twice."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            loaded = [
                self._load(progress, folder, manifest) for folder, manifest in demonstration.manifests()
            ]
        for tenant in loaded:
            console.print(summary(tenant))
        staff = demonstration.staff_load()
        console.print(f"Platform staff: {staff.email}, password {staff.password}, /staff/")

    def _load(self, progress: Progress, folder: Any, manifest: dict[str, Any]) -> demonstration.Loaded:
        return demonstration.load(folder, manifest, named(bars(progress), manifest["name"]))


def summary(loaded: demonstration.Loaded) -> Table:
    title = (
        f"{loaded.tenant.name}: {loaded.documents} documents, {loaded.turns} turns, /t/{loaded.tenant.slug}/"
    )
    table = Table(
        title=title, title_justify="left", caption=f"widget key: {loaded.widget_key}", caption_justify="left"
    )
    for column in ("sign in as", "password", "role", "audiences"):
        table.add_column(column)
    for account in loaded.accounts:
        role = account.role or "end user"
        table.add_row(account.email, account.password, role, ", ".join(account.audiences))
    return table
