"""Connections: what one request leaves on a pooled connection, and what threads and tasks bring along."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from django.db import connection, connections, transaction

from conversations.audits.isolation.ground import Ground
from conversations.audits.isolation.tables import rows
from conversations.audits.isolation.trials import Leaked, nothing, refused, trial
from tenants.errors import NoTenantScope
from tenants.models import Audience
from tenants.scoping import no_scope, tenant_scope
from tenants.threads import in_thread

ROUNDS = 30
_LEFT = "select current_setting('antecedent.tenant_id', true)"


class _Broken(Exception):
    pass


@trial("a pooled connection carries nothing over an exception")
def _after_an_exception(ground: Ground) -> str:
    for _ in range(ROUNDS):
        _break_inside(ground.owner.tenant.id)
        _check_clean()
    return f"{ROUNDS} broken transactions, nothing left on their connections"


def _break_inside(tenant_id: UUID) -> None:
    try:
        with tenant_scope(tenant_id), transaction.atomic():
            Audience.objects.count()
            raise _Broken
    except _Broken:
        connection.close()  # back to the pool, where there is one


def _check_clean() -> None:
    with no_scope():
        [(left,)] = rows(_LEFT)
        if left:
            raise Leaked(f"the setting of tenant {left} stayed on the connection")
        nothing(rows("select id from tenants_audience"), "rows read without a scope")


@trial("a statement's tenant ends with its transaction")
def _after_a_statement(ground: Ground) -> str:
    for _ in range(ROUNDS):
        with tenant_scope(ground.owner.tenant.id):
            rows("select id from tenants_audience")
        _check_clean()
    return f"{ROUNDS} statements, nothing left on the connection"


@trial("a new thread starts without a scope")
def _threads(ground: Ground) -> str:
    def read() -> int:
        try:
            return Audience.objects.count()
        finally:
            connections.close_all()

    with tenant_scope(ground.owner.tenant.id), ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(read) for _ in range(8)]:
            refused(future.result, NoTenantScope)
    return "8 reads in threads without a copied context were refused"


@trial("concurrent requests keep their own tenant")
def _concurrent(ground: Ground) -> str:
    seen = asyncio.run(_interleaved([ground.owner.tenant.id, ground.rival.tenant.id]))
    nothing([told for told in seen if told[1] != {told[0]}], "requests that saw another tenant's rows")
    return f"{len(seen)} interleaved reads saw their own tenant only"


async def _interleaved(tenants: list[UUID]) -> list[tuple[UUID, set[UUID]]]:
    async def seen(tenant_id: UUID) -> tuple[UUID, set[UUID]]:
        with tenant_scope(tenant_id):
            await asyncio.sleep(0)
            return tenant_id, await in_thread(_tenants_seen)

    return list(await asyncio.gather(*(seen(tenant) for tenant in tenants * ROUNDS)))


def _tenants_seen() -> set[UUID]:
    return {tenant_id for (tenant_id,) in rows("select distinct tenant_id from tenants_audience")}
