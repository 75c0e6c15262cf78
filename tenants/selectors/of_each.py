"""Figures of many tenants at once, for platform staff."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from kernel.json import JsonObject, json_text
from tenants.scoping import NOBODY, current_scope


def asked_of_each(tenant_ids: Sequence[UUID], question: str, given: JsonObject) -> dict[UUID, Any]:
    """What one question reads in each tenant, in one query however many there are.

    The database asks it inside the scope of each in turn, so that row-level security stands as ever; the question
    names the tenant besides. `question` is SQL that reads one JSON value, with `$1` the tenant's id and `$2` what is
    `given`. Raises RuntimeError inside the scope of a tenant: from there no other may be looked at.
    """
    if current_scope() != NOBODY:
        raise RuntimeError("who works for one tenant asks nothing of others")
    if not tenant_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            "select tenant, answer::text from tenants_asked_of_each(%s, %s, %s::jsonb)",
            [list(tenant_ids), question, json_text(given)],
        )
        return {tenant_id: json.loads(answer) for tenant_id, answer in cursor.fetchall()}
