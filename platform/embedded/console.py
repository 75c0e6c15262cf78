"""One readable log of everything that runs: on standard output, and in a file that never grows without end."""

from __future__ import annotations

import logging
import sys
import time
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

from embedded.state import make_dir

_COLOURS = (36, 33, 35, 34, 32, 96, 95, 93)  # ANSI foregrounds that read on dark and light
_FILE_BYTES, _FILES_KEPT = 5_000_000, 3
SUPERVISOR = "up"


class Console:
    """Lines of `time name │ text`, the name coloured on a terminal and plain in a pipe."""

    def __init__(self, log_file: Path, names: list[str], stream: TextIO | None = None) -> None:
        self._stream: TextIO | None = stream or sys.stdout
        self._coloured = self._stream.isatty()
        self._names = [SUPERVISOR, *names]
        self._width = max(len(name) for name in self._names)
        make_dir(log_file.parent)
        self._file = logging.Logger("antecedent.log")
        handler = RotatingFileHandler(
            log_file, maxBytes=_FILE_BYTES, backupCount=_FILES_KEPT, encoding="utf-8"
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        self._file.addHandler(handler)

    def say(self, text: str, name: str = SUPERVISOR) -> None:
        """Write text, one line or several, under the name of who says it."""
        for line in text.splitlines():
            column = f"{name:<{self._width}}"
            self._file.info("%s | %s", column, line)
            self._write(f"{time.strftime('%H:%M:%S')} {self._paint(name, column)} │ {line}\n")

    def close(self) -> None:
        for handler in self._file.handlers:
            handler.close()

    def _paint(self, name: str, column: str) -> str:
        if not self._coloured:
            return column
        place = self._names.index(name) if name in self._names else 0
        return f"\033[{_COLOURS[place % len(_COLOURS)]}m{column}\033[0m"

    def _write(self, line: str) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(line)
            self._stream.flush()
        except UnicodeEncodeError:
            self._stream.write(line.encode("ascii", "replace").decode("ascii"))
        except OSError:
            self._stream = None  # the terminal or the pipe's reader is gone; the file still gets everything


class ConsoleHandler(logging.Handler):
    """Sends what this package logs to the console, each logger under the last part of its name."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.say(record.getMessage(), record.name.rpartition(".")[2])
