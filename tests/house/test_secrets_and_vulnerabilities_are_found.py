"""The scanners of continuous integration find what they are there for, and say when they could not look."""

from __future__ import annotations

import json
import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLANTED = {
    "key.py": f"aws = '{'AKIA' + 'Z7QK3M5N8P2R4T6V'}'\n",
    "settings.ini": f"password = {'correct' + 'Horse9battery'}Staple\n",
    "id": f"-----BEGIN {'RSA PRIVATE'} KEY-----\nMIIEow\n",
    "url.txt": f"postgres://admin:{'S3cr3t' + 'Pa55'}@db.example/x\n",
}


def scan(*files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / ".ci/secrets", *files], capture_output=True, text=True, timeout=120)


def test_planted_secrets_are_found_and_a_clean_file_passes(tmp_path):
    for name, text in PLANTED.items():
        (tmp_path / name).write_text(text)
    found = scan(*(tmp_path / name for name in PLANTED))
    assert found.returncode == 1
    assert [name for name in PLANTED if name not in found.stdout + found.stderr] == []
    (tmp_path / "clean.py").write_text("greeting = 'hello'\n")
    assert scan(tmp_path / "clean.py").returncode == 0


def package(name: str, **more: object) -> dict[str, object]:
    return {"name": name, "version": "1", "vulns": [], **more}


@pytest.mark.parametrize(
    "report, code, said",
    [
        ("", 3, "NOT CHECKED"),
        ({"dependencies": [{"name": "a", "skip_reason": "not found"}]}, 3, "NOT CHECKED"),
        ({"dependencies": [package("a"), {"name": "b", "skip_reason": "not found"}]}, 0, "NOT CHECKED: b"),
        ({"dependencies": [package("a")]}, 0, "1 packages checked, 0 known"),
        ({"dependencies": [package("a", vulns=[{"id": "X-1", "fix_versions": ["2"]}])]}, 1, "a 1: X-1, mended in 2"),
    ],
)  # fmt: skip
def test_an_audit_that_could_not_look_never_says_that_all_is_well(report, code, said):
    verdict = runpy.run_path(str(ROOT / ".ci/audit_report.py"))["verdict"]
    got, lines = verdict(report if isinstance(report, str) else json.dumps(report))
    assert got == code and said in "\n".join(lines)
