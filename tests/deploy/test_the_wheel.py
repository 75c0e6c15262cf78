"""What is installed is what the checkout runs: every file of the packages is in the wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APPS = ("tenants", "retrieval", "conversations", "admin_ui")


def files_of_the_tree() -> set[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *APPS, "platform"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name for name in listed if (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built in a copy, so that nothing is left in the checkout and nothing left there gets in."""
    copy, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in {*files_of_the_tree(), "pyproject.toml", "README.md", "LICENSE"}:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(out)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=copy, check=True, capture_output=True)
    (path,) = out.iterdir()
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_it_holds_every_file_of_the_packages_and_no_other(wheel):
    wanted = {name.removeprefix("platform/") for name in files_of_the_tree()}
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert held == wanted


def test_it_brings_the_command(wheel):
    (entry_points,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "antecedent = config.command:main" in wheel.read(entry_points).decode()
