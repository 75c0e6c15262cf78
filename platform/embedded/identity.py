"""What a server keeps between two starts, so that its address stays the same: its port and its passwords."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from embedded import ports
from embedded.state import read_json, write_json

_BYTES = 24


@dataclass(frozen=True)
class Identity:
    """`password` is the application's; `superuser_password` that of the server's administrator, if it has one."""

    port: int
    password: str
    superuser_password: str

    @classmethod
    def kept(cls, file: Path) -> Identity | None:
        """What was written before, if anything usable was."""
        kept = read_json(file)
        try:
            return cls(int(kept["port"]), str(kept["password"]), str(kept["superuser_password"]))
        except (KeyError, ValueError, TypeError):
            return None

    @classmethod
    def settle(cls, file: Path) -> Identity:
        """What was written before, or a new one; with another port if somebody else has taken the old one."""
        before = cls.kept(file)
        after = cls(
            port=ports.choose_persistent(before.port if before else None),
            password=before.password if before else secrets.token_urlsafe(_BYTES),
            superuser_password=before.superuser_password if before else secrets.token_urlsafe(_BYTES),
        )
        if after != before:
            write_json(file, asdict(after))
        return after
