"""`antecedent provision`: what only a superuser can do, once."""

from __future__ import annotations

from typing import Any

import psycopg
from django.core.management.base import BaseCommand, CommandError

from config import environment as env
from tenants.postgres.provisioning import Wanted, provision


class Command(BaseCommand):
    help = (
        "Make the role and the database of DATABASE_URL, and the extension in it, as the superuser of"
        " PROVISION_DATABASE_URL. It can be run again; it then sets the password of DATABASE_URL."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        superuser_url = env.text("PROVISION_DATABASE_URL")
        if not superuser_url:
            raise CommandError("PROVISION_DATABASE_URL has to be a superuser's URL.")
        try:
            for done in provision(superuser_url=superuser_url, wanted=Wanted.of(env.text("DATABASE_URL"))):
                self.stdout.write(done)
        except (ValueError, psycopg.Error) as error:
            raise CommandError(str(error)) from error
