"""Every claim of SECURITY.md points to a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`")


def test_every_named_test_exists():
    named = _NAMED.findall((ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(named) > 15
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).is_file()
        or (name and f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert missing == []
