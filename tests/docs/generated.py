"""The part of a page that is written from the code: read, and written anew, between two marks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import django

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Part:
    """Of `docs/<page>.md`, between `<!-- name -->` and `<!-- end of name -->`."""

    page: str
    name: str

    def written(self) -> str:
        """What the page says now."""
        return self._split()[1].strip()

    def write(self, made: Callable[[], str]) -> None:
        """Set Django up and write what it then says."""
        sys.path.insert(0, str(ROOT / "platform"))
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        before, _, rest = self._split()
        self._path.write_text(f"{before}{self._begin}\n{made()}\n{self._end}{rest}", encoding="utf-8")

    def _split(self) -> tuple[str, str, str]:
        before, _, more = self._path.read_text(encoding="utf-8").partition(self._begin)
        inside, _, rest = more.partition(self._end)
        return before, inside, rest

    @property
    def _path(self) -> Path:
        return ROOT / f"docs/{self.page}.md"

    @property
    def _begin(self) -> str:
        return f"<!-- {self.name} -->"

    @property
    def _end(self) -> str:
        return f"<!-- end of {self.name} -->"
