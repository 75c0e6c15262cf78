"""`manage.py promote_tenant`: move a tenant's vectors to partitions of their own, or back."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.table import Table

from kernel.errors import DomainError
from retrieval.selectors import spaces_list
from retrieval.services import space_demote, space_promote
from tenants.scoping import tenant_scope
from tenants.selectors import tenant_by_slug


class Command(BaseCommand):
    help = "Move a tenant's vectors to partitions of their own with an index, or back. It can be stopped and run again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the tenant's address")
        parser.add_argument("--back", action="store_true", help="to the shared partition")

    def handle(self, *args: Any, **options: Any) -> None:
        move = space_demote if options["back"] else space_promote
        console = Console()
        try:
            with tenant_scope(tenant_by_slug(options["slug"]).id), console.status("moving vectors"):
                for space in spaces_list():
                    move(space_id=space.id)
                console.print(_table())
        except DomainError as error:
            raise CommandError(str(error)) from error


def _table() -> Table:
    table = Table("model", "passages", "placement", "ef_search", "recall@10")
    for space in spaces_list():
        recall = "" if space.measured_recall is None else f"{space.measured_recall:.3f}"
        table.add_row(
            str(space), str(vars(space)["passages"]), space.placement, str(space.search_width or ""), recall
        )
    return table
