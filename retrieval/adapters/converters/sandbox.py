"""Runs the reader outside of this process, with limits, so that no file can take a worker down.

A process of readers is started when the first file comes and forks for each file; see `child`. It is a plain
subprocess and not `multiprocessing`: Celery's prefork workers are daemons and may have no such children, and a fresh
interpreter inherits no database connection and no secret.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from contextlib import suppress
from typing import IO

from kernel.errors import DomainError
from retrieval.adapters.converters.sniff import refuse_unreadable
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
_HEARTBEAT_SECONDS = 3.0
_FILES_EACH = 500
"""After so many files a process of readers is replaced: nothing that a library leaves behind grows for ever."""
_GONE = 1
# Signals of a process that ran out of what it was allowed.
_OUT_OF_TIME = {signal.SIGALRM, signal.SIGXCPU}
_OUT_OF_MEMORY = {signal.SIGABRT, signal.SIGTRAP, signal.SIGILL, signal.SIGKILL, signal.SIGXFSZ}


class SandboxedConverter:
    """A ConverterPort whose work happens, and if need be dies, elsewhere. Threads may share it."""

    def __init__(self, limits: ConversionLimits | None = None) -> None:
        self._limits = limits or ConversionLimits()
        self._idle: list[_Readers] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _end_all, self._idle)

    def convert(self, data: bytes, *, filename: str, heartbeat: Heartbeat | None = None) -> ConvertedDocument:
        with (
            tempfile.TemporaryFile() as source,
            tempfile.TemporaryFile() as answer,
            tempfile.TemporaryFile() as complaints,
        ):
            source.write(data)
            source.flush()
            request, files = self._request(filename), (source, answer, complaints)
            status = self._run(request, files, heartbeat)
            if status > 0:  # The process was gone before the file was read: its end is not the file's doing.
                answer.truncate(0)
                answer.seek(0)
                status = self._run(request, files, heartbeat)
            complaints.seek(0)
            self._note(complaints.read(4000))
            if status != 0:
                raise self._reason(status)
            answer.seek(0)
            return self._load(answer.read())

    def check(self, data: bytes, *, filename: str) -> None:
        """In this process: it looks at marks and names, and unpacks next to nothing."""
        refuse_unreadable(data, filename)

    def close(self) -> None:
        """End the processes that wait for work."""
        with self._lock:
            _end_all(self._idle)

    def _request(self, filename: str) -> bytes:
        options = {
            "filename": filename[-300:],
            "memory_bytes": self._limits.memory_bytes,
            "seconds": self._limits.seconds,
            "text_characters": self._limits.text_characters,
        }
        return json.dumps(options).encode()

    def _run(self, request: bytes, files: tuple[IO[bytes], ...], heartbeat: Heartbeat | None) -> int:
        """The exit code of the reader. A process that met trouble, or was stopped, is not used again."""
        readers = self._take(request, files)
        status: int | None = None
        try:
            status = self._wait(readers, heartbeat)
        finally:
            if status == 0 and readers.files < _FILES_EACH:
                with self._lock:
                    self._idle.append(readers)
            else:
                readers.end()
        return status

    def _take(self, request: bytes, files: tuple[IO[bytes], ...]) -> _Readers:
        """One that waits, if it still lives, else a new one; with the request on its way."""
        while True:
            with self._lock:
                readers = self._idle.pop() if self._idle else None
            is_new = readers is None
            readers = readers or _Readers()
            try:
                readers.send(request, files)
                return readers
            except OSError as error:
                readers.end()
                if is_new:
                    raise ConverterUnavailable from error

    def _wait(self, readers: _Readers, heartbeat: Heartbeat | None) -> int:
        deadline = time.monotonic() + self._limits.seconds
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise DocumentTimeout(seconds=round(self._limits.seconds))
            status = readers.status(min(left, _HEARTBEAT_SECONDS))
            if status is not None:
                return status
            if heartbeat is not None:
                heartbeat()

    def _reason(self, status: int) -> DomainError:
        """A reader that met a bad file still ends with 0; above 0 it could not even start."""
        if status > 0:
            return ConverterUnavailable()
        if -status in _OUT_OF_TIME:
            return DocumentTimeout(seconds=round(self._limits.seconds))
        return DocumentBomb() if -status in _OUT_OF_MEMORY else DocumentCorrupt()

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


class _Readers:
    """A process that has the readers loaded, and the socket to it. Raises ConverterUnavailable if it cannot start."""

    def __init__(self) -> None:
        self.files = 0
        self._owner = os.getpid()
        self._channel, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                # Without `site`: the path is given, and it starts a fifth sooner.
                [sys.executable, "-S", "-m", _CHILD, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_environment(),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            self._channel.close()
            raise ConverterUnavailable from error
        finally:
            theirs.close()

    def send(self, request: bytes, files: tuple[IO[bytes], ...]) -> None:
        """Raises OSError when the process is gone, or belongs to the process this one was forked from."""
        if self._owner != os.getpid() or self._process.poll() is not None:
            raise BrokenPipeError
        self.files += 1
        socket.send_fds(self._channel, [request], [file.fileno() for file in files])

    def status(self, seconds: float) -> int | None:
        """How the fork for the file ended; None when it has not within `seconds`."""
        self._channel.settimeout(seconds)
        try:
            answer = self._channel.recv(64)
        except (TimeoutError, BlockingIOError):
            return None
        except OSError:
            answer = b""
        return int(answer) if answer.strip() else self._own_end()

    def end(self) -> None:
        """With all that it started. A fork of the owner only lets go of the socket."""
        self._channel.close()
        if self._owner != os.getpid():
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _own_end(self) -> int:
        """The process itself is gone, and the fork with the answer or without: nothing was heard of it."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        return _GONE


def _end_all(idle: list[_Readers]) -> None:
    while idle:
        idle.pop().end()


def _environment() -> dict[str, str]:
    """Only what an interpreter needs: no keys, no database address."""
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR", "HOME") if name in os.environ
    }
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    return {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
