"""The background work on a tenant's data as a whole: erasures first, because people wait for them, then archives."""

from __future__ import annotations

from tenants.selectors.exports import exports_waiting
from tenants.services.erasing import erasure_serve, erasures_waiting
from tenants.services.exports import export_serve


def data_serve() -> float | None:
    """Do one of them for the current tenant. Says whether more wait, as `FairWork` wants it."""
    if not erasure_serve():
        export_serve()
    return 0 if data_waits() else None


def data_waits() -> bool:
    """Whether there is one that nobody works on."""
    return bool(erasures_waiting().exists() or exports_waiting().exists())
