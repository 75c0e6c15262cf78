"""Every link of the README and of docs/ leads to a file that exists, and to a heading that it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.site import BESIDE_THE_CODE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)")
_BLOCK = re.compile(r"```.*?```", re.S)
_HEADING = re.compile(r"^#+ (.+)$", re.M)


def anchor(heading: str) -> str:
    """As GitHub and Python-Markdown both make it of plain words."""
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def broken(page: Path) -> list[str]:
    links = _LINK.findall(_BLOCK.sub("", page.read_text(encoding="utf-8")))
    return [f"{path}#{part}" for path, part in links if not leads(page, path, part)]


def leads(page: Path, path: str, part: str) -> bool:
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return False
    return not part or part in map(anchor, _HEADING.findall(target.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_is_broken(page):
    assert broken(page) == []


def test_a_broken_link_would_be_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Here\n[a](#here) [b](#there) [c](gone.md) [d](page.md#here)\n", encoding="utf-8")
    assert broken(page) == ["#there", "gone.md#"]


def test_every_page_is_in_the_sites_menu_once():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"- (?:\w+: )?([\w-]+\.md)$", menu, re.M)
    assert sorted(named) == sorted([*BESIDE_THE_CODE, *(page.name for page in (ROOT / "docs").glob("*.md"))])


def test_every_picture_is_used_and_small():
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    pictures = sorted((ROOT / "docs/images").iterdir())
    assert [p.name for p in pictures if p.name not in shown] == []
    assert [p.name for p in pictures if p.stat().st_size > 250_000] == []
