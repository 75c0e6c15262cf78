"""A lane for one process at a time on this machine, by a lock on a file that ends with its holder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FileLane:
    """A Lane. Two holders in one process exclude each other as well: each opens the file anew."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def entered(self) -> Iterator[bool]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            yield _locked(handle)
        finally:
            os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
