"""Rules about form that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = [
    path
    for top in ("platform", "tenants", "retrieval", "conversations", "admin_ui")
    for path in sorted((ROOT / top).rglob("*.py"))
]
OWN = [path for path in CODE if "migrations" not in path.parts]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_top_level_is_the_owners():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    top = {line.split("/")[0] for line in tracked.splitlines()}
    allowed = set(
        "manage.py pyproject.toml platform tenants conversations retrieval admin_ui tests deploy README.md Makefile "
        "requirements.lock .ci .pre-commit-config.yaml CHANGELOG.md LICENSE SECURITY.md docs mkdocs.yml demo .gitignore .gitattributes".split()
    )
    assert top <= allowed


@pytest.mark.parametrize("path", OWN, ids=name)
def test_no_file_is_called_utils(path):
    assert not re.match(r"(utils?|helpers?|misc|common)\b", path.stem)


@pytest.mark.parametrize("path", OWN, ids=name)
def test_no_file_passes_three_hundred_and_fifty_lines(path):
    assert len(path.read_text().splitlines()) <= 350


@pytest.mark.parametrize(
    "path", [p for p in OWN if "domain" in p.parts and p.name != "__init__.py"], ids=name
)
def test_every_domain_module_opens_for_a_product_owner(path):
    opening = ast.get_docstring(ast.parse(path.read_text()))
    assert opening and len(opening) > 80


@pytest.mark.parametrize("path", [p for p in CODE if "migrations" in p.parts], ids=name)
def test_no_migration_imports_an_application(path):
    imported = {
        (node.module or "").split(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
    } | {
        alias.name.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not imported & {"tenants", "retrieval", "conversations", "admin_ui", "config"}
