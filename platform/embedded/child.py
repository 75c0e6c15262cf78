"""One service under supervision: launched, watched until it is ready, launched again when it ends, stopped."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace

from embedded.console import Console
from embedded.errors import ProgramGaveUp, TaskFailed
from embedded.process import MARK, Launch, as_user, dies_with_parent, how_it_ended, signal_group
from embedded.service import Service, reason_of
from kernel.errors import DomainError

_POLL_SECONDS = 0.05
_TAIL_LINES = 12


@dataclass(frozen=True)
class RestartPolicy:
    """When to launch again: after a delay that doubles while it ends early, and not for ever.

    A run that lasted `quick_seconds` counts as good and resets both.
    """

    first_delay: float = 0.5
    longest_delay: float = 10.0
    quick_seconds: float = 15.0
    quick_limit: int = 5

    def delay(self, quick_ends: int) -> float:
        return min(self.first_delay * 2.0 ** max(quick_ends - 1, 0), self.longest_delay)


class Child:
    """A service's process and its successors."""

    def __init__(self, service: Service, console: Console, policy: RestartPolicy, mark: str) -> None:
        self.service = service
        self.ready = asyncio.Event()
        self._console, self._policy, self._mark = console, policy, mark
        self._stopping = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)

    async def run(self) -> None:
        """Keep the service running until `stop`. Raises ProgramGaveUp, or TaskFailed for a task."""
        quick_ends = 0
        while not self._stopping.is_set():
            started = asyncio.get_running_loop().time()
            ended = await self._run_once()
            if self._stopping.is_set() or (self.service.runs_once and ended is None):
                return
            words = ended or how_it_ended(0)
            if self.service.runs_once:
                raise TaskFailed(name=self.service.name, ended=words)
            lasted = asyncio.get_running_loop().time() - started
            quick_ends = quick_ends + 1 if lasted < self._policy.quick_seconds else 1
            await self._pause_after(quick_ends, words)

    async def stop(self, hurry: asyncio.Event) -> None:
        """Ask the process to end, more firmly each time, and at last kill it; at once when `hurry` is set."""
        self._stopping.set()
        for number in self.service.stop_signals:
            if not self._is_alive() or hurry.is_set():
                break
            self._signal(number)
            await self._gone(hurry, self.service.stop_seconds)
        if self._is_alive():
            self._console.say("It does not end; killing it.", self.service.name)
            self.kill()

    def kill(self) -> None:
        """End the process and all that it started, at once."""
        if self._process:
            signal_group(self._process.pid, signal.SIGKILL)

    async def _pause_after(self, quick_ends: int, words: str) -> None:
        name, policy = self.service.name, self._policy
        if quick_ends >= policy.quick_limit:
            raise ProgramGaveUp(name=name, ended=words, times=quick_ends, tail=" / ".join(self._tail))
        delay = policy.delay(quick_ends)
        self._console.say(f"{name} {words}; starting it again in {delay:g} s.")
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), delay)

    async def _run_once(self) -> str | None:
        """One life of the process: how it ended in words, or None for a task that ended well."""
        try:
            launch = await asyncio.to_thread(self.service.prepare)
            if self._stopping.is_set():
                return None
            self._process = process = await self._spawn(launch)
        except (DomainError, OSError, subprocess.SubprocessError) as error:
            return f"could not be started ({reason_of(error)})"
        pump, watch = asyncio.create_task(self._pump(process)), asyncio.create_task(self._watch(process))
        code = await process.wait()
        # What it started itself must not outlive it: the successor would meet it.
        signal_group(process.pid, signal.SIGKILL)
        await watch
        await asyncio.wait({pump}, timeout=2)
        pump.cancel()
        return None if self.service.runs_once and code == 0 else how_it_ended(code)

    async def _spawn(self, launch: Launch) -> asyncio.subprocess.Process:
        launch = replace(launch, env={**launch.env, MARK: self._mark})
        return await asyncio.create_subprocess_exec(
            *launch.command,
            cwd=launch.cwd,
            env=dict(launch.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=dies_with_parent(launch.death_signal),
            **as_user(launch.user),
        )

    async def _pump(self, process: asyncio.subprocess.Process) -> None:
        """Pass on what the process writes, line by line."""
        assert process.stdout
        rest = b""
        while block := await process.stdout.read(65_536):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                self._heard(line)
        self._heard(rest)

    def _heard(self, line: bytes) -> None:
        if text := self.service.tidy(line.decode("utf-8", "replace").rstrip()):
            self._tail.append(text)
            self._console.say(text, self.service.name)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Note when the process is ready; end one that does not get there, so that it is launched again."""
        if self.service.runs_once:
            return
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self.service.ready_seconds):
                while not await asyncio.to_thread(self.service.is_ready):
                    await asyncio.sleep(_POLL_SECONDS)
                    if process.returncode is not None:
                        return
                await asyncio.to_thread(self.service.settle)
        except (TimeoutError, DomainError, OSError, subprocess.SubprocessError) as error:
            if process.returncode is None:
                reason = reason_of(error) or f"not ready after {self.service.ready_seconds:g} s"
                self._console.say(f"{self.service.name} is not usable ({reason}).")
                self.kill()
            return
        seconds = asyncio.get_running_loop().time() - started
        words = f"Ready after {seconds:.1f} s." if self.service.answers else "Started."
        self._console.say(words, self.service.name)
        self.ready.set()

    async def _gone(self, hurry: asyncio.Event, seconds: float) -> None:
        assert self._process
        ends = {asyncio.ensure_future(self._process.wait()), asyncio.ensure_future(hurry.wait())}
        _, pending = await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()

    def _is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def _signal(self, number: signal.Signals) -> None:
        assert self._process
        with suppress(ProcessLookupError):
            self._process.send_signal(number)
