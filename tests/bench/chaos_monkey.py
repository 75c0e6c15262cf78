"""Whoever disturbs the platform: one fault of one part at a time, with quiet between."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import psutil
import psycopg

from tests.bench.chaos_deck import PARTS, Deck, cards
from tests.bench.chaos_disk import LOG, Disk, Disks
from tests.browser.conftest import Platform

ROOT = Path(__file__).parents[2]
QUIET_SECONDS = (3.0, 8.0)
FAULT_SECONDS = (2.0, 12.0)
STOPPED_SECONDS, RUNNING_SECONDS = 0.08, 0.02
"""Of a slow part: it gets a fifth of its time."""
FILL_SECONDS = 0.2
SEGMENTS = 100
FAMILY_SECONDS = 0.5
"""How often a slow part is asked for processes that it has started meanwhile."""


class Model:
    """The model provider as a process, on a port that stays the same when it is started again."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Model:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.bench.model_process", str(self.port)]
        self._process = subprocess.Popen(command, cwd=ROOT)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()


class Monkey:
    """Deals faults to parts. `dealt` is set when each of them has come up and is over; it goes on until `calm`."""

    def __init__(self, platform: Platform, model: Model, disks: Disks, seed: int, *, only: str = "") -> None:
        self._platform, self._model, self._disks = platform, model, disks
        self._random = random.Random(seed)
        self.deck = Deck(cards(disks.cards(), only=only), seed)
        self.dealt = asyncio.Event()

    async def disturb(self) -> None:
        faults = {
            "killed": self._killed,
            "paused": self._paused,
            "slow": self._slow,
            "full": self._full,
        }
        while True:
            await asyncio.sleep(self._random.uniform(*QUIET_SECONDS))
            seconds = self._random.uniform(*FAULT_SECONDS)
            card = self.deck.deal()
            await faults[card.fault](card.part, seconds)
            if self.deck.was_dealt:
                self.dealt.set()

    async def calm(self, disturbing: asyncio.Task[None]) -> None:
        """Stop, and let go of whatever is still paused."""
        disturbing.cancel()
        with suppress(asyncio.CancelledError):
            await disturbing
        for part in PARTS:
            self._signal(part, signal.SIGCONT)

    async def _killed(self, part: str, seconds: float) -> None:
        if part == "model":
            self._model.kill()
            try:
                await asyncio.sleep(seconds)
            finally:
                self._model.start()
        else:
            self._signal(part, signal.SIGKILL)

    async def _paused(self, part: str, seconds: float) -> None:
        self._signal(part, signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._signal(part, signal.SIGCONT)

    async def _slow(self, part: str, seconds: float) -> None:
        if part not in PARTS:
            await self._slow_disk(self._disks[part], seconds)
            return
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            family, asked = list(self._family(part)), time.monotonic()
            while time.monotonic() < min(until, asked + FAMILY_SECONDS):
                _send(family, signal.SIGSTOP)
                try:
                    await asyncio.sleep(STOPPED_SECONDS)
                finally:
                    _send(family, signal.SIGCONT)
                await asyncio.sleep(RUNNING_SECONDS)

    async def _slow_disk(self, disk: Disk, seconds: float) -> None:
        disk.slow_down()
        try:
            await asyncio.sleep(seconds)
        finally:
            await asyncio.to_thread(disk.speed_up)

    async def _full(self, part: str, seconds: float) -> None:
        """Kept full: what is given back meanwhile is taken as well."""
        disk, until = self._disks[part], time.monotonic() + seconds
        await asyncio.to_thread(disk.fill)
        if part == LOG:
            await asyncio.to_thread(self._use_up_the_log)
        try:
            while time.monotonic() < until:
                await asyncio.to_thread(disk.fill)
                await asyncio.sleep(FILL_SECONDS)
        finally:
            disk.free()

    def _use_up_the_log(self) -> None:
        """PostgreSQL keeps segments ready to be written over: without them it would not notice for a while."""
        with suppress(psycopg.Error), psycopg.connect(self._platform.database, autocommit=True) as connection:
            for _ in range(SEGMENTS):
                connection.execute("select pg_logical_emit_message(false, 'chaos', 'x'), pg_switch_wal()")

    def _signal(self, part: str, what: signal.Signals) -> None:
        _send(self._family(part), what)

    def _family(self, part: str) -> Iterator[psutil.Process]:
        """The part's processes and whatever they have started: a database answers through its children."""
        for pid in [self._model.pid] if part == "model" else self._platform.pids(part):
            with suppress(psutil.Error):
                parent = psutil.Process(pid)
                yield parent
                yield from parent.children(recursive=True)


def _send(processes: Iterator[psutil.Process] | list[psutil.Process], what: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process.pid, what)
