"""Background work of many tenants, shared out by turns: one tenant's backlog does not delay another's.

The work itself waits in the database. A message to the workers carries no work: it says "serve whoever is next", and
only a few are on their way at once, however much waits. A worker serves tenants for about a second, then sends a message
on, so that other kinds of work get their turn too. Lost messages and dead workers cost one sweep; a message that comes
twice finds nothing more to do.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from uuid import UUID

from tenants.acting import SYSTEM, acting_as
from tenants.adapters.fair_line import Called, FairLine
from tenants.adapters.shared_memory import OUTAGES
from tenants.scoping import tenant_scope
from tenants.selectors import active_tenant_ids

log = logging.getLogger(__name__)

SECONDS_AT_ONCE = 1.0
AFTER_FAILURE_SECONDS = 5.0


class FairWork:
    """One kind of work. `serve` does a piece of it for the current tenant and says in how many seconds there is more:
    0 at once, None not that it knew of.

    `send` puts a message into the broker. `wake_later` has `wake` called with the name, the tenant and a delay.
    """

    def __init__(
        self,
        name: str,
        *,
        send: Callable[[str], object],
        serve: Callable[[], float | None],
        wake_later: Callable[[str, UUID, float], object],
    ) -> None:
        self.name, self._send, self._serve, self._wake_later = name, send, serve, wake_later
        self._line = FairLine(name)
        _kinds[name] = self

    def wake(self, tenant_id: UUID) -> None:
        """There is work for the tenant. Where that cannot be told now, the sweep tells it later."""
        try:
            self._line.join(tenant_id)
            self._tell_workers()
        except OUTAGES as error:
            log.warning("%s of tenant %s wait for the next sweep: %s", self.name, tenant_id, error)

    def work(self, message: str) -> None:
        """What a worker does with a message. Where nobody can be told who is next, the sweep has it go on."""
        try:
            self._work(message)
        except OUTAGES as error:
            log.warning("%s go on with the next sweep: %s", self.name, error)

    def _work(self, message: str) -> None:
        self._line.arrived(message)
        until = time.monotonic() + SECONDS_AT_ONCE
        while called := self._line.call():
            self._tell_workers()  # others may join in
            self._serve_called(called)
            if time.monotonic() >= until:
                break
        self._tell_workers()

    def sweep(self, waits: Callable[[], bool]) -> None:
        """Put every tenant in line for which `waits`, asked inside its scope, says that there is work."""
        for tenant_id in active_tenant_ids():
            with tenant_scope(tenant_id):
                is_waiting = waits()
            if is_waiting:
                self.wake(tenant_id)

    def _serve_called(self, called: Called) -> None:
        started = time.monotonic()
        more: float | None = None
        try:
            with tenant_scope(called.tenant_id), acting_as(SYSTEM):
                more = self._serve()
        except Exception:
            log.exception("%s of tenant %s failed and goes on in a moment", self.name, called.tenant_id)
            more = AFTER_FAILURE_SECONDS
        if more == 0:
            # A second worker that found the only piece taken may have put the tenant out of the line meanwhile.
            self._line.join(called.tenant_id)
        self._line.charge(called, time.monotonic() - started)
        if more is None or more > 0:
            self._line.leave(called)
        if more and self._line.first_to_wait(called, more):
            self._wake_later(self.name, called.tenant_id, more)

    def _tell_workers(self) -> None:
        message = self._line.message()
        if message is None:
            return
        try:
            self._send(message)
        except Exception as error:  # the broker is out of reach, whichever it is
            self._line.arrived(message)
            log.warning("no worker could be told of %s, the next sweep does: %s", self.name, error)


_kinds: dict[str, FairWork] = {}


def wake(name: str, tenant_id: UUID) -> None:
    """`FairWork.wake` by name: services know no tasks. Unknown work waits for the sweep."""
    if (kind := _kinds.get(name)) is not None:
        kind.wake(tenant_id)
