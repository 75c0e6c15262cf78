"""What can be quoted from a passage: whole sentences, list items and table rows.

A list item remembers the line that introduces its list, and a table row remembers its column headings, so
that each reads well when it stands alone.
Headings and code fences are never quoted themselves, but headings help to tell what a sentence is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_ITEM = re.compile(r"\s*(?:[-*+•‣▪·]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_RULE = re.compile(r"\s*([-*_=])(?:\s*\1){2,}\s*$")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_PAIR = re.compile(r"\s*\**[^\W\d_][^:.!?]{0,40}:\**\s+\S")
_PAIRS = r"(?:; [^:;\n]{1,80}: [^;\n]*)"
# "Region: Dublin; RPO: 5 minutes", or "Telephone; Basic: no; Business: yes" where the corner of the table is empty.
_RECORD = re.compile(
    rf"\s*(?:[-*+•]\s+)?(?:[^:;|\n]{{1,80}}: [^;\n]+{_PAIRS}+|[^:;|.!?\n]{{1,80}}{_PAIRS}{{2,}})\.?\s*$"
)
# A heading of a plain text: a short line all in capitals.
_CAPITALS = re.compile(r"(?=.*[A-ZÀ-Þ]{3})[A-ZÀ-Þ0-9][A-ZÀ-Þ0-9 ,&'’()/-]{2,59}$")
_GENERIC = frozenset(
    {"value", "values", "description", "details", "detail", "answer", "meaning", "explanation"}
)
_TERMINAL = re.compile(r"[.!?…。！？:;](?:[\"'”’)\]*_]|\[\d+\])*$")
_BREAK = re.compile(r"[.!?…](?:[\"'”’)\]*_]|\[\d+\])*\s+|[。！？](?:[」』”）])*\s*")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|excl|dr|mr|mrs|ms|prof|st|inc|ltd|corp|dept|est|al|z\.b|d\.h"
    r"|bzw|ca|jan|feb|apr|aug|sept|oct|nov|dec|u\.s|u\.k|e\.u|[A-Za-z])\.$",
    re.I,
)
_BEFORE_NUMBER = re.compile(
    r"(?:^|[\s(])(?:no|nos|nr|fig|figs|sec|art|vol|ext|tel|max|min|abs|p|pp|§)\.$", re.I
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable piece. `text` reads on its own without Markdown; `source` is verbatim.

    `lead` is the line that introduces a list; `about` is what else tells its subject (headings, table
    heading); `cells` are (heading, value) pairs of a table row, the row's own name first.
    """

    text: str
    source: str
    kind: str  # sentence | item | row | code
    lead: str = ""
    about: str = ""
    cells: tuple[tuple[str, str], ...] = ()
    block: int = 0  # units of one paragraph, list or table share it


@dataclass(slots=True)
class _Block:
    kind: str
    lines: list[str] = field(default_factory=list)


@lru_cache(maxsize=2048)
def units(passage_text: str) -> tuple[Unit, ...]:
    """Everything quotable of one passage, in reading order."""
    found: list[Unit] = []
    headings: dict[int, str] = {}
    lead = ""
    for number, block in enumerate(_blocks(passage_text)):
        if block.kind == "heading":
            level = len(block.lines[0].lstrip()) - len(block.lines[0].lstrip().lstrip("#")) or 6
            headings = {k: v for k, v in headings.items() if k < level} | {
                level: plain(block.lines[0].lstrip(" #"))
            }
            lead = ""
            continue
        about = " ".join(headings.values())
        made = [replace(u, about=f"{about} {u.about}".strip(), block=number) for u in _units_of(block, lead)]
        found += made
        lead = made[-1].text if made and block.kind == "text" and made[-1].text.endswith(":") else ""
    return tuple(u for u in found if not (u.kind == "sentence" and u.text.endswith(":")) or len(found) == 1)


def sentences(text: str) -> list[str]:
    """Whole sentences, verbatim; abbreviations, initials, decimals and versions do not end one."""
    found, start = [], 0
    for match in _BREAK.finditer(text):
        if match.end() < len(text) and _continues(text, start, match):
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    found.append(text[start:].strip())
    return [s for s in found if s]


def plain(markdown: str) -> str:
    """The words without Markdown or HTML; a bracketed number, which would read as a citation, gets round brackets."""
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"</?[a-zA-Z][^<>\n]{0,200}>", "", text) if "`" not in text else text
    text = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
    text = re.sub(r"(?<![\w*])([*_])(?=[^\s*_])([^*_\n]+?)(?<=\S)\1(?![\w*])", r"\2", text)
    text = re.sub(r"\\([*_#|\[\]`-])", r"\1", text)
    text = re.sub(r"[\[【](\^?\d[\d,\s–-]*)[\]】]", r"(\1)", text)
    return " ".join(text.split())


def row_text(cells: tuple[tuple[str, str], ...], wanted: tuple[str, ...] = ()) -> str:
    """ "Frankfurt: RPO 5 minutes, RTO 1 hour". With `wanted` headings, the other columns are left out.

    An empty cell is left out too, unless it is the one that is wanted: that there is nothing is the answer.
    """
    (_, name), rest = cells[0], [(h, v) for h, v in cells[1:] if v.strip(" -–—")]
    rest = [(h, v or "–") for h, v in cells[1:] if h in wanted] or rest
    parts = [_labelled(heading, value) for heading, value in rest]
    joined = ("; " if any("," in p for p in parts) else ", ").join(parts)
    return f"{name}: {joined}" if name and joined else name or joined


def _labelled(heading: str, value: str) -> str:
    if not heading or heading.casefold() in _GENERIC:
        return value
    long = len(value.split()) > 6 or heading.endswith("?")
    return f"{heading}: {value}" if long else f"{heading} {value}"


def _blocks(text: str) -> Iterator[_Block]:
    block, fenced = _Block(""), False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
            kind = ""
        else:
            kind = "code" if fenced and line.strip() else _kind(line, block)
        joins = kind == block.kind and kind not in ("heading", "pair", "")
        if not joins:
            if block.lines and block.kind:
                yield block
            block = _Block(kind)
        if kind:
            block.lines.append(line)
    if block.lines and block.kind:
        yield block


def _kind(line: str, block: _Block) -> str:
    if not line.strip():
        return ""
    wrapped = block.kind == "text" and not _TERMINAL.search(block.lines[-1])
    if _HEADING.match(line) or (not wrapped and _CAPITALS.match(line)):
        return "heading"
    if line.lstrip().startswith("|") or " | " in line or "\t" in line.strip():
        return "table"
    if block.kind == "table" and _TABLE_RULE.match(line):
        return "table"
    if _RULE.match(line):
        return ""
    if _RECORD.match(line):
        return "record"
    if _ITEM.match(line) or (block.kind == "list" and line[:1] in " \t"):
        return "list"
    if wrapped:
        return "text"
    return "pair" if _PAIR.match(line) and len(line.split()) <= 16 else "text"


def _units_of(block: _Block, lead: str) -> Iterator[Unit]:
    if block.kind == "table":
        yield from _rows(block.lines)
    elif block.kind == "record":
        yield from map(_record, block.lines)
    elif block.kind == "list":
        for source in _items(block.lines):
            body = plain(_ITEM.sub("", source, count=1))
            yield Unit(body, source.strip(), "item", lead=lead)
    elif block.kind == "code":
        yield from (Unit(f"`{line.strip()}`", line.strip(), "code") for line in block.lines)
    else:
        source = "\n".join(block.lines)
        yield from (Unit(plain(s), s, "sentence") for s in sentences(source) if plain(s))


def _record(line: str) -> Unit:
    """A table row that a converter wrote out as "Region: Dublin; RPO: 5 minutes"."""
    pairs = [pair.partition(": ") for pair in _ITEM.sub("", line, count=1).strip().split("; ")]
    cells = tuple((plain(heading), plain(value)) for heading, _, value in pairs)
    if not pairs[0][1]:
        cells = (("", cells[0][0]), *cells[1:])
    return Unit(row_text(cells), line.strip(), "row", about=cells[0][0], cells=cells)


def _items(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if _ITEM.match(line) or not items:
            items.append(line)
        else:
            items[-1] += "\n" + line
    return items


def _rows(lines: list[str]) -> Iterator[Unit]:
    table = [(line, _cells(line)) for line in lines]
    rule = next((i for i, (line, _) in enumerate(table) if _TABLE_RULE.match(line)), None)
    headings = table[rule - 1][1] if rule else ()
    if rule is None and len(table) > 1 and not any(c.isdigit() for c in table[0][0]):
        headings, table = table[0][1], table[1:]
    elif rule is not None:
        table = table[rule + 1 :]
    for line, cells in table:
        if _TABLE_RULE.match(line) or not any(cells):
            continue
        named = tuple((headings[i] if i < len(headings) else "", cell) for i, cell in enumerate(cells))
        yield Unit(row_text(named), line.strip(), "row", about=headings[0] if headings else "", cells=named)


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip()
    if "|" not in inner:
        return tuple(plain(c) for c in inner.split("\t"))
    inner = inner.removeprefix("|")
    inner = inner.removesuffix("|") if not inner.endswith("\\|") else inner
    return tuple(plain(c.replace("\\|", "|")) for c in re.split(r"(?<!\\)\|", inner))


def _continues(text: str, start: int, match: re.Match[str]) -> bool:
    if match[0][0] in "。！？":
        return False
    after = text[match.end()]
    if after.islower():
        return True
    if match[0][0] != ".":
        return False
    before = text[max(start, match.start() - 12) : match.start() + 1]
    return bool(_ABBREVIATION.search(before) or (after.isdigit() and _BEFORE_NUMBER.search(before)))
