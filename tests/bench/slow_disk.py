"""Has everything that writes to a file system wait four fifths of the time: `python -m tests.bench.slow_disk FOLDER`.

It freezes and thaws the file system in turns until it is told to end (SIGTERM), and ends by itself with whoever started
it: a file system that stayed frozen would hold whoever writes to it beyond any signal's reach.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from pathlib import Path
from threading import Event

FREEZE, THAW = 0xC0045877, 0xC0045878  # FIFREEZE and FITHAW of linux/fs.h
FROZEN_SECONDS, THAWED_SECONDS = 0.08, 0.02


def main(folder: Path) -> None:
    over, parent = Event(), os.getppid()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    at = os.open(folder, os.O_RDONLY)
    while not over.is_set() and os.getppid() == parent:
        fcntl.ioctl(at, FREEZE, 0)
        try:
            over.wait(FROZEN_SECONDS)
        finally:
            fcntl.ioctl(at, THAW, 0)
        over.wait(THAWED_SECONDS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
