"""The process that reads files, one fork for each: `python -m retrieval.adapters.converters.child FD`.

It waits on its socket, and loads a reader when the first file comes that is named like one for it. Each request comes with three open files: what to read,
where to write the answer, and where to complain. A fork of it reads that one file under limits that are the kernel's
(address space, processor time, size of what is written) and ends; what came of it is told in a line. So a file costs
a few milliseconds instead of the start of an interpreter, and still has a process of its own to fall with.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from retrieval.adapters.converters.read import read_document
from retrieval.adapters.converters.wire import dump_document, dump_error
from retrieval.domain.errors import DocumentBomb, DocumentCorrupt, DocumentError

IDLE_SECONDS = 120.0
"""Without work for so long, the process ends and gives its memory back."""
REQUEST_BYTES = 8192
FILES = 3
_GRACE_SECONDS = 5
_ANSWER_BYTES = 600_000_000
_LARGE_BYTES = 1_000_000
_BY_SUFFIX = {
    **dict.fromkeys((".docx", ".docm"), "docx"),
    **dict.fromkeys((".pptx", ".pptm"), "pptx"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "workbook"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv_rows"),
    ".pdf": "pdf",
}
"""Only a guess of what to load: what a file is, its fork finds out."""


def serve(channel: socket.socket) -> None:
    """Answer requests until the other end is gone or has been silent for long."""
    channel.settimeout(IDLE_SECONDS)
    while True:
        try:
            request, files, _, _ = socket.recv_fds(channel, REQUEST_BYTES, FILES)
        except TimeoutError:
            return
        if not request or len(files) != FILES:
            return
        options = json.loads(request)
        _load_reader(options["filename"])
        status = _in_a_fork(options, files)
        for file in files:
            os.close(file)
        channel.sendall(f"{status}\n".encode())


def _load_reader(filename: str) -> None:
    name = _BY_SUFFIX.get(PurePath(filename).suffix.lower())
    for module in ("decoding", "text") if name is None else ("decoding", name):
        importlib.import_module(f"retrieval.adapters.converters.{module}")


def _in_a_fork(options: dict[str, Any], files: list[int]) -> int:
    """The exit code of the fork, negative for a signal, as `subprocess` tells it."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
        status = read_one(options)
    finally:
        os._exit(status)


def read_one(options: dict[str, Any]) -> int:
    """Read standard input, write standard output. 0 with an answer, be it only the reason why there is no text."""
    _limit(int(options["memory_bytes"]), float(options["seconds"]))
    try:
        data = _all_of(0)
        if len(data) > _LARGE_BYTES:
            os.nice(5)  # A large file takes what processor time others leave.
        document = read_document(data, options["filename"], text_characters=options["text_characters"])
        answer = dump_document(document)
    except DocumentError as error:
        answer = dump_error(error)
    except MemoryError:
        answer = dump_error(DocumentBomb())
    except Exception as error:
        # A parser that fails on a file has met a damaged one; the trace goes to the parent's log.
        sys.excepthook(type(error), error, error.__traceback__)
        answer = dump_error(DocumentCorrupt())
    with open(1, "wb", closefd=False) as out:
        out.write(answer)
    sys.stderr.flush()
    return 0


def _all_of(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    with open(file, "rb", closefd=False) as source:
        return source.read()


def _limit(memory: int, seconds: float) -> None:
    """The alarm ends an orphan whose parent was killed; a parent that lives stops its child itself."""
    cpu = int(seconds) + _GRACE_SECONDS
    for what, soft in (
        (resource.RLIMIT_AS, memory + _address_space()),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, _ANSWER_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
        resource.setrlimit(what, (soft, soft))
    signal.alarm(cpu)


def _address_space() -> int:
    """Bytes that the loaded readers take before any file; 0 where the system does not tell."""
    with suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()
    return 0


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
