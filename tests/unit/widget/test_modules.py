"""The chat frame's own modules, run by node, and what the frame promises about its size and its safety."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WIDGET = HERE.parents[2] / "conversations" / "widget"
STATIC = WIDGET / "static" / "widget"
BUDGET = 30_000
"""Bytes, gzipped one file at a time, of every module and style that a page in one language loads."""

LANGUAGES = sorted(path.stem for path in (STATIC / "texts").glob("*.js"))
SHARED = [*sorted(STATIC.glob("*.js")), STATIC / "base.css", STATIC / "chat.css"]
PAGE = sorted((WIDGET / "templates" / "widget").glob("*.html"))


def gzipped(paths: list[Path]) -> int:
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


@pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed: the JavaScript tests need it"
)
@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_it_passes_its_javascript_tests(name: str) -> None:
    done = subprocess.run(["node", "--test", name], cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"^# pass (\d+)", done.stdout, re.M)[0]) > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_stays_within_its_size(language: str) -> None:
    size = gzipped([*SHARED, STATIC / "texts" / f"{language}.js"])
    assert size < BUDGET, f"{size} bytes gzipped"


def test_it_stays_within_its_size_in_english_with_page_and_icons() -> None:
    size = gzipped([*SHARED, STATIC / "texts" / "en.js", *PAGE])
    assert size < BUDGET, f"{size} bytes gzipped"


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.js")), ids=lambda path: path.name)
def test_it_never_builds_markup_or_code_from_strings(path: Path) -> None:
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc"
    )
    assert not re.findall(forbidden, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted(WIDGET.rglob("*.html")), ids=lambda path: path.name)
def test_its_templates_need_no_inline_script_or_style(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"\sstyle=|<style|\son[a-z]+=|javascript:|https?://", text)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda path: path.name)
def test_it_touches_storage_only_behind_a_guard(path: Path) -> None:
    text = re.sub(r"try \{.*?\} catch", "", path.read_text(encoding="utf-8"), flags=re.S)
    assert "localStorage" not in text
    assert "sessionStorage" not in text


def test_it_has_every_icon_that_it_draws() -> None:
    drawn = set[str]()
    for path in STATIC.glob("*.js"):
        drawn |= set(re.findall(r'(?:icon|iconButton)\("([a-z-]+)"', path.read_text(encoding="utf-8")))
    sprite = (WIDGET / "templates" / "widget" / "icons.html").read_text(encoding="utf-8")
    assert drawn
    assert drawn <= set(re.findall(r'id="i-([a-z-]+)"', sprite))
