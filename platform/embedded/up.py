"""Everything with one command: the servers, the migrations, the web process, the worker and its clock."""

from __future__ import annotations

import logging
import os
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from embedded import ports
from embedded.application import PythonProgram, Task, Web, beat, reachable_host, worker
from embedded.console import Console, ConsoleHandler
from embedded.errors import StackInUse
from embedded.postgres import Postgres
from embedded.service import Server
from embedded.stack import Endpoints, cache_dir, endpoints, published
from embedded.state import default_state_dir, exclusive, holder
from embedded.supervisor import Stage, Supervisor
from embedded.valkey import Valkey
from kernel.errors import DomainError

NAMES = ["postgres", "valkey", "migrate", "web", "worker", "beat", "seed", "pages"]


@dataclass(frozen=True)
class Options:
    """What the command line chose. `seed` names a data set to load before the platform counts as ready."""

    host: str = "127.0.0.1"
    port: int = 8000
    only_services: bool = False
    seed: str = ""


def run(options: Options, state_dir: Path | None = None) -> int:
    """Run until Ctrl-C and return the exit code; 1 at once when the same state directory is in use already."""
    state_dir = (state_dir or default_state_dir()).resolve()
    try:
        with exclusive(state_dir):
            return _Up(options, state_dir).run()
    except StackInUse as error:
        print(already_running(state_dir) or error.message, file=sys.stderr)  # noqa: T201
    except DomainError as error:
        print(error.message, file=sys.stderr)  # noqa: T201
    return 1


def already_running(state_dir: Path) -> str:
    """What a second `up` says about the first one; empty when that has no addresses yet."""
    addresses = endpoints(state_dir)
    if addresses is None:
        return ""
    where = (
        addresses.web_url or "only its servers, for which `manage.py` commands find the addresses themselves"
    )
    pid = holder(state_dir)
    return f"Antecedent is already running (process {pid}): {where}\nStop it with Ctrl-C there, or with: kill {pid}"


class _Up:
    def __init__(self, options: Options, state_dir: Path) -> None:
        self._options, self._state_dir = options, state_dir
        self._began = time.monotonic()
        self._published = ExitStack()
        self._console = Console(state_dir / "log" / "antecedent.log", NAMES)
        self._postgres = (
            None if os.environ.get("DATABASE_URL") else Postgres(state_dir, cache_dir=cache_dir(state_dir))
        )
        self._valkey = None if os.environ.get("VALKEY_URL") else Valkey(state_dir)
        self._port = options.port if options.only_services else self._free_port()
        # Somebody else's site beside the platform: another port, and another name where there is one.
        self._pages_port = ports.next_free(self._port + 1, options.host) if options.seed else 0

    def run(self) -> int:
        logging.getLogger("embedded").addHandler(ConsoleHandler(self._console))
        logging.getLogger("embedded").setLevel(logging.INFO)
        self._console.say(f"Starting. Everything is kept in {self._state_dir}")
        try:
            with self._published:
                return Supervisor(self._stages(), self._console, mark=str(self._state_dir)).run()
        finally:
            self._console.close()

    def _stages(self) -> list[Stage]:
        servers = Stage(self._servers(), then=self._publish)
        if self._options.only_services:
            return [servers, Stage([], then=self._say_servers_ready)]
        addresses = self._addresses
        migrate = Task("migrate", ("migrate", "--noinput"), addresses)
        # Starting is mostly imports: what a person waits for goes first, the two that wait for work go last.
        web = Web(self._options.host, self._port, addresses)
        background = [worker(addresses), beat(self._state_dir, addresses)]
        return [
            servers,
            Stage([migrate]),
            Stage([web, *self._seeds(), *self._pages()]),
            Stage(background, then=self._say_ready),
        ]

    def _servers(self) -> list[Server]:
        return [server for server in (self._postgres, self._valkey) if server]

    def _seeds(self) -> list[Task]:
        return [Task("seed", (f"{self._options.seed}_load",), self._addresses)] if self._options.seed else []

    def _pages(self) -> list[PythonProgram]:
        """The demonstration's own web pages."""
        arguments = ("-m", "config.demo_site", self._options.host, str(self._pages_port))
        return [PythonProgram("pages", arguments, self._addresses)] if self._options.seed else []

    def _addresses(self) -> dict[str, str]:
        return {
            "DATABASE_URL": self._postgres.dsn if self._postgres else os.environ["DATABASE_URL"],
            "VALKEY_URL": self._valkey.url if self._valkey else os.environ["VALKEY_URL"],
            "ANTECEDENT_STATE": str(self._state_dir),
            "ANTECEDENT_URL": self._web_url(),
            "ANTECEDENT_PAGES": self._pages_url(),
        }

    def _publish(self) -> None:
        urls = self._addresses()
        superuser = self._postgres.superuser_dsn if self._postgres else ""
        addresses = Endpoints(urls["DATABASE_URL"], superuser, urls["VALKEY_URL"], self._web_url())
        self._published.enter_context(published(self._state_dir, addresses))

    def _web_url(self) -> str:
        return "" if self._options.only_services else f"http://{_in_url(self._options.host)}:{self._port}/"

    def _pages_url(self) -> str:
        if not self._pages_port:
            return ""
        host = _in_url(self._options.host)
        return f"http://{'localhost' if host == '127.0.0.1' else host}:{self._pages_port}/"

    def _free_port(self) -> int:
        port = ports.next_free(self._options.port, self._options.host)
        if port != self._options.port:
            self._console.say(f"Port {self._options.port} is taken by another program; using {port}.")
        return port

    def _say_servers_ready(self) -> None:
        self._ready(f"The servers are ready; their addresses are in {self._state_dir / 'stack.json'}")

    def _say_ready(self) -> None:
        self._ready(f"Antecedent is ready: {self._web_url()}")
        if pages := self._pages_url():
            self._console.say(f"Customers' pages with the widget: {pages}harbor/ and {pages}nimbus/")

    def _ready(self, what: str) -> None:
        self._console.say(f"{what} (after {time.monotonic() - self._began:.1f} s)")
        self._console.say(
            f"Ctrl-C stops everything. This log is kept in {self._state_dir / 'log' / 'antecedent.log'}"
        )


def _in_url(host: str) -> str:
    host = reachable_host(host)
    return f"[{host}]" if ":" in host else host
