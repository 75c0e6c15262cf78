"""`manage.py audit_verify`: follow the audit log of one workspace or all, and say where it is broken."""

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

from kernel.errors import DomainError
from tenants.anchors import anchors_read, anchors_write
from tenants.audit_chain import Anchor
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.selectors.audit import Verdict, audit_length, audit_verify

WIDTH_IN_A_PIPE = 120


class Command(BaseCommand):
    help = "Verify audit logs: every entry, the chain they form, and where each log ends. Exit code 1 when broken."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--tenant", metavar="SLUG", help="one workspace; all, suspended ones too, without"
        )
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the findings there")
        parser.add_argument(
            "--anchors",
            type=Path,
            metavar="FILE",
            help="where logs ended at the last run: found out when one is put back; brought up to date afterwards",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        tenants = _tenants(options["tenant"])
        try:
            anchors = anchors_read(options["anchors"]) if options["anchors"] else {}
        except DomainError as error:
            raise CommandError(str(error)) from error
        console = Console(width=None if sys.stdout.isatty() else WIDTH_IN_A_PIPE)
        verdicts = _verdicts(tenants, anchors, console)
        if options["json"]:
            options["json"].write_text(f"{json.dumps(_figures(verdicts), indent=2)}\n", encoding="utf-8")
        if options["anchors"]:
            anchors_write(options["anchors"], _kept(anchors, verdicts, everybody=not options["tenant"]))
        console.print(_table(verdicts))
        if broken := sum(bool(verdict.broken) for verdict in verdicts.values()):
            raise CommandError(f"Broken audit logs: {broken} of {len(verdicts)}.")


def _tenants(slug: str | None) -> list[Tenant]:
    tenants = list(Tenant.objects.filter(**({"slug": slug} if slug else {})).order_by("slug"))
    if slug and not tenants:
        raise CommandError(f"There is no workspace at the address {slug}.")
    return tenants


def _verdicts(tenants: list[Tenant], anchors: dict[str, Anchor], console: Console) -> dict[Tenant, Verdict]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    found = {}
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("entries", total=None)
        for tenant in tenants:
            with tenant_scope(tenant.id):
                progress.reset(bar, total=audit_length(), description=tenant.slug)
                found[tenant] = audit_verify(
                    anchor=anchors.get(str(tenant.id)),
                    report=lambda entries: progress.update(bar, completed=entries),
                )
    return found


def _figures(verdicts: dict[Tenant, Verdict]) -> dict[str, Any]:
    return {
        "entries": sum(verdict.entries for verdict in verdicts.values()),
        "broken": [
            {"tenant": tenant.slug, "seq": found.seq, "reason": found.reason.value, "detail": found.detail}
            for tenant, verdict in verdicts.items()
            for found in verdict.broken
        ],
    }


def _kept(
    before: dict[str, Anchor], verdicts: dict[Tenant, Verdict], *, everybody: bool
) -> dict[str, Anchor]:
    """A broken log keeps its old anchor. Workspaces that are gone are forgotten when all were looked at."""
    known = {str(tenant.id) for tenant in verdicts}
    kept = {tenant: anchor for tenant, anchor in before.items() if tenant in known or not everybody}
    fresh = {str(tenant.id): verdict.anchor for tenant, verdict in verdicts.items() if verdict.anchor}
    return kept | fresh


def _table(verdicts: dict[Tenant, Verdict]) -> Table:
    table = Table("workspace", "entries", "entry", "finding", "what it means")
    for tenant, verdict in verdicts.items():
        size = f"{verdict.entries:,}"
        if not verdict.broken:
            table.add_row(tenant.slug, size, "", "[green]whole[/]", "")
        for found in verdict.broken:
            table.add_row(tenant.slug, size, str(found.seq), f"[red]{found.reason}[/]", found.detail)
    return table
