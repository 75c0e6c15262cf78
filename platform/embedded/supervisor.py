"""Runs services as one group: started in order, restarted when they die, stopped together in reverse order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from embedded.child import Child, RestartPolicy
from embedded.console import Console
from embedded.process import end_all, marked
from embedded.service import Service
from kernel.errors import DomainError

_ORPHAN_SECONDS = 10.0


def nothing() -> None:
    """The default for what follows a stage."""


@dataclass(frozen=True)
class Stage:
    """Services that start side by side; `then` runs once all of them are ready, before the next stage."""

    services: Sequence[Service]
    then: Callable[[], None] = nothing


class _Stopped(Exception):
    """Somebody asked for the end while something was awaited."""


class Supervisor:
    """Runs stages until it is told to stop or something gives up.

    `mark` names this group among all processes of the machine: what an earlier supervisor of the same mark
    left behind is ended first. Must run in the main thread, where signals arrive and whose death the kernel
    reports to the children.
    """

    def __init__(
        self, stages: Sequence[Stage], console: Console, *, mark: str, policy: RestartPolicy | None = None
    ) -> None:
        self._stages, self._console, self._mark = stages, console, mark
        self._policy = policy or RestartPolicy()

    def run(self) -> int:
        """Run to the end and return the exit code: 0 after a wanted stop, 1 when something gave up."""
        return asyncio.run(self._run())

    def stop(self) -> None:
        """Begin to stop; asked a second time, kill what is left at once. For signal handlers and the event loop."""
        if self._over.done():
            self._console.say("Once more: killing everything now.")
            self._hurry.set()
        else:
            self._console.say("Stopping. (Ctrl-C again kills.)")
            self._over.set_result(None)

    async def _run(self) -> int:
        self._hurry = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._started: list[list[tuple[Child, asyncio.Task[None]]]] = []
        self._listen()
        try:
            await asyncio.to_thread(self._end_orphans)
            for stage in self._stages:
                await self._start(stage)
            await self._over
            return 0
        except _Stopped:
            return 0
        except DomainError as error:
            self._console.say(error.message)
            return 1
        finally:
            await self._shut_down()

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.stop)

    def _end_orphans(self) -> None:
        if orphans := marked(self._mark):
            self._console.say(f"Ending {len(orphans)} processes that an earlier run left behind.")
            end_all(orphans, signal.SIGTERM, _ORPHAN_SECONDS)

    async def _start(self, stage: Stage) -> None:
        children = [Child(service, self._console, self._policy, self._mark) for service in stage.services]
        pairs = [(child, asyncio.create_task(child.run())) for child in children]
        self._started.append(pairs)
        for _, task in pairs:
            task.add_done_callback(self._noticed)
        for child, task in pairs:
            await self._unless_over(_done(task) if child.service.runs_once else child.ready.wait())
        stage.then()

    def _noticed(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) and not self._over.done():
            self._over.set_exception(error)

    async def _unless_over(self, wanted: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.ensure_future(wanted)
        await asyncio.wait({task, self._over}, return_when=asyncio.FIRST_COMPLETED)
        task.cancel()
        if self._over.done():
            self._over.result()
            raise _Stopped

    async def _shut_down(self) -> None:
        for pairs in reversed(self._started):
            await asyncio.gather(*(child.stop(self._hurry) for child, _ in pairs))
            await asyncio.gather(*(task for _, task in pairs), return_exceptions=True)
        await asyncio.to_thread(self._end_orphans)
        self._console.say("Everything has stopped.")


async def _done(task: asyncio.Task[None]) -> None:
    await asyncio.wait({task})
