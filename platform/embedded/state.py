"""The state directory: everything that the embedded servers and the supervisor keep between two starts.

It is `.antecedent/` at the project's root, or what ANTECEDENT_STATE names, and never lies inside a package.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import pwd
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from embedded.errors import ForeignState, StackInUse

PROJECT_ROOT = Path(__file__).resolve().parents[2]


def default_state_dir() -> Path:
    """Where state lives unless a caller says otherwise.

    A checkout keeps it at its root. Installed as a package there is no root, so the working directory serves.
    """
    if chosen := os.environ.get("ANTECEDENT_STATE"):
        return Path(chosen).expanduser().resolve()
    root = PROJECT_ROOT if (PROJECT_ROOT / "manage.py").exists() else Path.cwd()
    return root / ".antecedent"


def key_of(path: Path) -> str:
    """Twelve hex digits that stand for a path where the path itself is too long."""
    return hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]


def make_dir(path: Path, mode: int = 0o711) -> Path:
    """Create a directory and its parents, for the owner of the directory above.

    Others may pass through (0711) but not list: a server that runs as another user must reach its own
    folder below. Raises ForeignState when the directory cannot be used.
    """
    if not path.exists():
        check_writable(make_dir(path.parent))
        path.mkdir(exist_ok=True)
        path.chmod(mode)
        _share_with_owner_above(path)
    return path


def check_writable(path: Path) -> None:
    """Raises ForeignState when this user cannot write in `path`."""
    if not os.access(path, os.W_OK | os.X_OK):
        raise ForeignState(path=path, owner=user_name(path.stat().st_uid), user=user_name(os.geteuid()))


def user_name(uid: int) -> str:
    """The user's name, or the number where the system does not know one."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def write_private(path: Path, text: str) -> None:
    """Replace a file in one step; only its owner may read it."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    _share_with_owner_above(part)
    part.replace(path)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Keep a mapping in a private file."""
    write_private(path, json.dumps(value, indent=2, sort_keys=True) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """A mapping kept before; empty when there is none, or when it cannot be understood."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    except PermissionError as error:
        owner = user_name(path.stat().st_uid)
        raise ForeignState(path=path, owner=owner, user=user_name(os.geteuid())) from error
    return value if isinstance(value, dict) else {}


def _share_with_owner_above(path: Path) -> None:
    # Run once with sudo, a checkout must still work for its owner afterwards.
    if os.geteuid() == 0:
        above = path.parent.stat()
        os.chown(path, above.st_uid, above.st_gid)


def own_tree(top: Path, uid: int, gid: int) -> None:
    """Give a folder and all that is in it to a user."""
    for folder, _, files in os.walk(top):
        for path in (Path(folder), *(Path(folder) / name for name in files)):
            os.chown(path, uid, gid, follow_symlinks=False)


def wheel_folder(package: str) -> Path:
    """Where an installed package's files lie, without running its code. Raises ImportError."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"The package {package} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


@contextmanager
def exclusive(state_dir: Path) -> Iterator[None]:
    """Own the state directory for a while; the kernel gives it back even after `kill -9`.

    Raises StackInUse when another live process owns it.
    """
    check_writable(make_dir(state_dir))
    path = _lock_file(state_dir)
    with open(path, "a+", encoding="utf-8") as file:
        _share_with_owner_above(path)
        if not _lock(file.fileno()):
            raise StackInUse(state_dir=state_dir, pid=holder(state_dir))
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def is_owned(state_dir: Path) -> bool:
    """Whether a live process owns the state directory."""
    try:
        with open(_lock_file(state_dir), encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def holder(state_dir: Path) -> str:
    """The number of the process that owns the state directory, or did so last."""
    return _lock_file(state_dir).read_text(encoding="utf-8").strip() or "(unknown)"


def _lock_file(state_dir: Path) -> Path:
    return state_dir / "lock"


def _lock(descriptor: int, tries: int = 10) -> bool:
    # Somebody who only looks holds a shared lock for an instant.
    for _ in range(tries):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.03)
        else:
            return True
    return False
