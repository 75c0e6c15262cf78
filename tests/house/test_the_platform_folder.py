"""`platform/` is a folder of packages, never a package: as one it would shadow the standard library's module."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_it_has_no_init_file():
    assert not (ROOT / "platform" / "__init__.py").exists()


def test_it_holds_only_the_known_packages():
    inside = {path.name for path in (ROOT / "platform").iterdir() if not path.name.startswith("__pycache__")}
    assert inside == {"config", "kernel", "embedded"}


def test_it_leaves_the_standard_librarys_platform_alone_from_the_root():
    script = "import platform; print(platform.__file__)"
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert found.startswith(sysconfig.get_path("stdlib"))
