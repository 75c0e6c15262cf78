"""Whoever disturbs the platform, and how it is seen that it is well again."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import httpx2
import psycopg

from tests.bench.chaos_disk import Disk
from tests.browser.conftest import Platform, eventually

ROOT = Path(__file__).parents[2]
PARTS = ("web", "worker", "postgres", "valkey", "model")
QUIET_SECONDS = (3.0, 8.0)
PAUSE_SECONDS = (2.0, 12.0)
LIMIT_SECONDS = 420


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
    """Kills, pauses and fills one part after another, the same ones in the same order for the same seed."""

    def __init__(self, platform: Platform, model: Model, disk: Disk, seed: int) -> None:
        self._platform, self._model, self._disk = platform, model, disk
        self._parts = (*PARTS, "disk") if disk.is_there else PARTS
        self._random = random.Random(seed)
        self.counts: Counter[str] = Counter()

    async def disturb(self) -> None:
        while True:
            await asyncio.sleep(self._random.uniform(*QUIET_SECONDS))
            part = self._random.choice(self._parts)
            fault = self._random.choice((self._killed, self._paused)) if part in PARTS else self._filled
            seconds = self._random.uniform(*PAUSE_SECONDS)
            await fault(part, seconds)

    async def calm(self, disturbing: asyncio.Task[None]) -> None:
        """Stop, and let go of whatever is still paused."""
        disturbing.cancel()
        with suppress(asyncio.CancelledError):
            await disturbing
        for part in PARTS:
            self._signal(part, signal.SIGCONT)

    async def _killed(self, part: str, seconds: float) -> None:
        self.counts[f"{part} killed"] += 1
        if part == "model":
            self._model.kill()
            try:
                await asyncio.sleep(seconds)
            finally:
                self._model.start()
        else:
            self._signal(part, signal.SIGKILL)

    async def _paused(self, part: str, seconds: float) -> None:
        self.counts[f"{part} paused"] += 1
        self._signal(part, signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._signal(part, signal.SIGCONT)

    async def _filled(self, part: str, seconds: float) -> None:
        self.counts[f"{part} full"] += 1
        await asyncio.to_thread(self._disk.fill)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._disk.free()

    def _signal(self, part: str, what: signal.Signals) -> None:
        for pid in [self._model.pid] if part == "model" else self._platform.pids(part):
            with suppress(ProcessLookupError):
                os.kill(pid, what)


async def well_again(platform: Platform, turns: Collection[str], documents: Collection[str]) -> float | None:
    """Seconds until it says that it is ready and nothing acknowledged waits any more; None after the limit."""
    began = time.monotonic()

    def is_well() -> bool:
        try:
            ready = httpx2.get(f"{platform.url}readyz", timeout=5).status_code == 200
            return ready and not _waiting(platform, turns, documents)
        except (httpx2.HTTPError, psycopg.Error):
            return False

    try:
        await asyncio.to_thread(eventually, is_well, seconds=LIMIT_SECONDS, every=1.0)
    except AssertionError:
        return None
    return round(time.monotonic() - began, 1)


def _waiting(platform: Platform, turns: Collection[str], documents: Collection[str]) -> int:
    found = platform.rows(
        "select (select count(*) from conversations_turn where client_id = any(%s) and state in ('accepted', 'running'))"
        " + (select count(*) from retrieval_document where filename = any(%s)"
        " and state not in ('indexed', 'failed', 'empty'))",
        list(turns),
        list(documents),
    )
    waiting: int = found[0][0]
    return waiting
