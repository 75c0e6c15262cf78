"""`make docs`: the site is built without a warning, and its pages ask no other host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import material  # noqa: F401 -- the site's theme: without it nothing here can be built
import pytest

ROOT = Path(__file__).parents[2]
# What a browser loads by itself; links that a person may follow are another matter.
_LOADED = re.compile(r"""<(?:script|img|iframe|source)\b[^>]*?\bsrc=["']?((?:https?:)?//[^"'\s>]+)""")
_LINKED = re.compile(r"<link\b[^>]*>")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(
        build,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def foreign(html: str) -> list[str]:
    linked = [tag for tag in _LINKED.findall(html) if "//" in tag and "canonical" not in tag]
    return [*_LOADED.findall(html), *linked]


def test_its_pages_load_nothing_from_another_host(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 25
    assert {page.name: found for page in pages if (found := foreign(page.read_text(encoding="utf-8")))} == {}
    assert [
        css for css in site.rglob("*.css") if re.search(r"url\(['\"]?(https?:)?//", css.read_text())
    ] == []


def test_something_of_another_host_would_be_found():
    assert foreign(
        '<script src="//cdn.example/a.js"></script><link rel="stylesheet" href="https://f.example">'
    )
