"""Programs of other projects that a test can try what lies in deploy/ with, where the machine has them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def tool(name: str, package: str) -> str:
    """The program's path; skips the test, and says what to install, where there is none."""
    found = shutil.which(name) or next(
        (str(path) for path in [Path("/usr/sbin") / name] if path.exists()), None
    )
    if found is None:
        pytest.skip(f"{name} is not on this machine; it comes with {package}")
    return found


def version_of(program: str) -> tuple[int, ...]:
    """The first version number that `program --version` tells."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    number = next(word for word in said.replace("v", " ").split() if word[0].isdigit() and "." in word)
    return tuple(int(part) for part in number.split("+")[0].split("."))
