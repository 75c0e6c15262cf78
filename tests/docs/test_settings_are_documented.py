"""docs/settings.md lists every environment variable the product reads, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
READ = re.compile(
    r"""(?:env\.(?:text|flag|number|names|limit)|(?<![\w.])(?:text|flag|number|names|limit)|environ(?:\.get)?|getenv)[(\[]\s*["']([A-Z][A-Z_0-9]+)["']"""
)
# Set by the product itself for its own children, or by the operating system.
INTERNAL = {"DJANGO_SETTINGS_MODULE", "PATH", "PYTHONPATH", "NO_COLOR", "TERM", "HOME", "PYTHONWARNINGS"}
INTERNAL |= {"PROMETHEUS_MULTIPROC_DIR"}


def settings_listed() -> set[str]:
    return set(re.findall(r"^\| `([A-Z_0-9]+)` \|", (ROOT / "docs/settings.md").read_text(), re.M))


def variables_read() -> set[str]:
    found: set[str] = set()
    for top in ("platform", "tenants", "retrieval", "conversations", "admin_ui"):
        for path in (ROOT / top).rglob("*.py"):
            found |= set(READ.findall(path.read_text()))
    return found - INTERNAL


def test_it_lists_every_variable_that_is_read_and_no_other():
    assert settings_listed() - {"CI"} == variables_read()
