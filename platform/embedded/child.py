"""One service under supervision: launched, watched until it is ready, launched again when it ends, stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, replace

from embedded.console import Console
from embedded.errors import ProgramGaveUp, TaskFailed
from embedded.process import MARK, Launch, how_it_ended, popen_arguments, signal_group
from embedded.service import Service, reason_of
from kernel.errors import DomainError

_POLL_SECONDS = 0.05
_TAIL_LINES = 12
_PUMP_SECONDS = 2.0  # for what a dead process still had in its pipe


@dataclass(frozen=True)
class RestartPolicy:
    """When to launch again: after a delay that doubles while it ends early, and not for ever unless it ran well once.

    A run that lasted `quick_seconds` counts as good and resets the delay.
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
        self._stopping, self._ran_well = asyncio.Event(), False
        self._process: asyncio.subprocess.Process | None = None
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)

    async def run(self) -> None:
        """Keep the service running until `stop`. Raises TaskFailed for a task, ProgramGaveUp for what never ran well.

        What ran well once ends early because of something that may pass, such as a disk that is full.
        """
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
            is_quick = lasted < self._policy.quick_seconds
            self._ran_well |= not is_quick or (self.service.answers and self.ready.is_set())
            quick_ends = quick_ends + 1 if is_quick else 1
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
        if quick_ends >= policy.quick_limit and not self._ran_well:
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
            process, output = await self._spawn(launch)
        except (DomainError, OSError, subprocess.SubprocessError) as error:
            return f"could not be started ({reason_of(error)})"
        if self._stopping.is_set():  # asked while it was being started: `stop` found nothing to stop
            self.kill()
        pump, watch = asyncio.create_task(self._pump(output)), asyncio.create_task(self._watch(process))
        code = await process.wait()
        # What it started itself must not outlive it: the successor would meet it.
        signal_group(process.pid, signal.SIGKILL)
        await watch
        await asyncio.wait({pump}, timeout=_PUMP_SECONDS)
        pump.cancel()
        return None if self.service.runs_once and code == 0 else how_it_ended(code)

    async def _spawn(self, launch: Launch) -> tuple[asyncio.subprocess.Process, int]:
        """Start the process; also returns the end of the pipe where its output can be read.

        The pipe is our own: with asyncio's, waiting for the process would last until its own children have
        closed it as well.
        """
        launch = replace(launch, env={**launch.env, MARK: self._mark})
        output, written = os.pipe()
        try:
            arguments = popen_arguments(launch, written)
            self._process = await asyncio.create_subprocess_exec(*launch.command, **arguments)
        except BaseException:
            os.close(output)
            raise
        finally:
            os.close(written)
        return self._process, output

    async def _pump(self, output: int) -> None:
        """Pass on what the process writes, line by line."""
        reader, rest = asyncio.StreamReader(), b""
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(output, "rb", 0)
        )
        try:
            while block := await reader.read(65_536):
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    self._heard(line)
            self._heard(rest)
        finally:
            transport.close()

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
