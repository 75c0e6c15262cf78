"""Runs the reader in a child process with limits, so that no file can take a worker down.

A plain subprocess and not `multiprocessing`: Celery's prefork workers are daemons and may have no such
children, and a fresh interpreter inherits no database connection and no secret.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import IO

from kernel.errors import DomainError
from retrieval.adapters.converters.wire import load
from retrieval.domain.errors import (
    ConverterUnavailable,
    DocumentBomb,
    DocumentCorrupt,
    DocumentTimeout,
)
from retrieval.domain.passages import ConvertedDocument
from retrieval.domain.ports import ConversionLimits, Heartbeat

_log = logging.getLogger(__name__)
_CHILD = "retrieval.adapters.converters.child"
_FIRST_WAIT = 0.005
_LONGEST_WAIT = 0.25
_HEARTBEAT_SECONDS = 3.0
# Signals of a process that ran out of what it was allowed.
_OUT_OF_TIME = {signal.SIGALRM, signal.SIGXCPU}
_OUT_OF_MEMORY = {signal.SIGABRT, signal.SIGTRAP, signal.SIGILL, signal.SIGKILL, signal.SIGXFSZ}


class SandboxedConverter:
    """A ConverterPort whose work happens, and if need be dies, elsewhere."""

    def __init__(self, limits: ConversionLimits | None = None) -> None:
        self._limits = limits or ConversionLimits()

    def convert(self, data: bytes, *, filename: str, heartbeat: Heartbeat | None = None) -> ConvertedDocument:
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as answer:
            source.write(data)
            source.seek(0)
            with tempfile.TemporaryFile() as complaints:
                status = self._run(filename, source, answer, complaints, heartbeat)
                complaints.seek(0)
                self._note(complaints.read(4000))
            if status != 0:
                raise self._reason(status)
            answer.seek(0)
            return self._load(answer.read())

    def _run(
        self,
        filename: str,
        source: IO[bytes],
        answer: IO[bytes],
        complaints: IO[bytes],
        heartbeat: Heartbeat | None,
    ) -> int:
        options = {
            "filename": filename,
            "memory_bytes": self._limits.memory_bytes,
            "seconds": self._limits.seconds,
            "text_characters": self._limits.text_characters,
        }
        try:
            child = subprocess.Popen(
                # Without `site`: the path is given, and a child starts a fifth sooner.
                [sys.executable, "-S", "-m", _CHILD, json.dumps(options)],
                stdin=source,
                stdout=answer,
                stderr=complaints,
                env=_environment(),
                start_new_session=True,
            )
        except OSError as error:
            raise ConverterUnavailable from error
        try:
            return self._wait(child, heartbeat)
        finally:
            _end(child)

    def _wait(self, child: subprocess.Popen[bytes], heartbeat: Heartbeat | None) -> int:
        deadline = time.monotonic() + self._limits.seconds
        beat = time.monotonic() + _HEARTBEAT_SECONDS
        wait = _FIRST_WAIT
        while (status := child.poll()) is None:
            now = time.monotonic()
            if now > deadline:
                raise DocumentTimeout(seconds=round(self._limits.seconds))
            if heartbeat and now > beat:
                heartbeat()
                beat = now + _HEARTBEAT_SECONDS
            time.sleep(wait)
            wait = min(wait * 1.25, _LONGEST_WAIT)
        return status

    def _reason(self, status: int) -> DomainError:
        """A child that met a bad file still ends with 0; above 0 it could not even start."""
        if status > 0:
            return ConverterUnavailable()
        if status < 0 and -status in _OUT_OF_TIME:
            return DocumentTimeout(seconds=round(self._limits.seconds))
        if status < 0 and -status in _OUT_OF_MEMORY:
            return DocumentBomb()
        return DocumentCorrupt()

    @staticmethod
    def _load(answer: bytes) -> ConvertedDocument:
        try:
            return load(answer)
        except (ValueError, KeyError, TypeError) as error:
            raise DocumentCorrupt from error

    @staticmethod
    def _note(complaints: bytes) -> None:
        if complaints.strip():
            _log.info("document reader said: %s", complaints.decode("utf-8", "replace").strip())


def _environment() -> dict[str, str]:
    """Only what an interpreter needs: no keys, no database address."""
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR", "HOME") if name in os.environ
    }
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    return {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
