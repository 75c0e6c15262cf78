"""The frame's modules as it loads them: each entry with what it imports in one file, named by its content.

The sources are plain ES modules that browsers and node read as they are. Packed, a page fetches three files instead of
fifteen, one after the other, and they compress against each other. What goes is import lines, `export` of inner
modules, comments that fill lines, indentation, spaces around operators on lines where these cannot be anything else,
and the length of private names (`#name`), which nobody outside can tell.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

STATIC = Path(__file__).parent / "static" / "widget"
# An entry with modules that are packed into it; what one loads later, with `import()`, is an entry of its own.
ENTRIES = ("chat.js", "frame.js", "page.js")
STYLES = {"chat.css": ("base.css", "chat.css"), "page.css": ("base.css", "chat.css", "page.css")}

_IMPORT = re.compile(r'^import (?:[^;"]*? from )?"\./([\w/-]+\.js)";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|async|class) )", re.M)
_COMMENT = re.compile(r"^\s*/\*.*?\*/\n", re.M | re.S)
_INDENT = re.compile(r"^[ \t]+", re.M)
_SPACED = re.compile(r" *([=<>?:&|,{}();\[\]!*]+) *")
# Simple strings. A line with any other quote, or with a slash (a regular expression?), stays as it is.
_STRING = re.compile(r'("[^"\\]*"|`[^`\\$]*`)')
_UNSURE = re.compile(r"[/'`\\\"]")
_PRIVATE = re.compile(r"(?<![\w\"'`/])#([a-z]\w+)\b")
_PRIVATE_MADE = re.compile(r"^(?:async )?#([a-z]\w+)\b", re.M)
_RULE = re.compile(r"\s*([{},;>])\s*")
# The loader draws in a shadow root of its own, from a style sheet in a string.
_OWN_STYLE = re.compile(r"(?<=const STYLE = `)[^`$]*")
_LEADING_ZERO = re.compile(r"(?<![\d.])0(?=\.\d)")
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent. `zipped` is the same for browsers that read gzip."""

    body: bytes
    zipped: bytes
    content_type: str
    etag: str


def asset(name: str) -> Asset | None:
    """A packed entry, a stylesheet, a language's texts or the loader; None when there is no such file."""
    return _asset(name, stamp())


def digest() -> str:
    """Names the present content of all assets."""
    return _digest(stamp())


def stamp() -> int:
    """Changes whenever a source does."""
    return max(path.stat().st_mtime_ns for path in _sources())


@cache
def _sources() -> tuple[Path, ...]:
    return tuple(path for path in sorted(STATIC.rglob("*")) if path.suffix in _TYPES)


@lru_cache(maxsize=2)
def _digest(_stamp: int) -> str:
    return sha256(b"".join(path.read_bytes() for path in _sources())).hexdigest()[:12]


@lru_cache(maxsize=64)
def _asset(name: str, _stamp: int) -> Asset | None:
    text = _text(name)
    if text is None:
        return None
    body = text.encode()
    etag = f'"{sha256(body).hexdigest()[:16]}"'
    return Asset(body, gzip.compress(body, 9, mtime=0), _TYPES[Path(name).suffix], etag)


def _text(name: str) -> str | None:
    if name in ENTRIES:
        return _packed(name)
    if name in STYLES:
        return _tight_style("".join(_read(part) for part in STYLES[name]))
    known = {path.relative_to(STATIC).as_posix() for path in _sources()}
    is_alone = name.startswith("texts/") or name in {"loader.js", "early.js"}
    return _bare(_read(name)) if name in known and is_alone else None


def _packed(entry: str) -> str:
    order: list[str] = []
    _visit(entry, order)
    inner = [_EXPORT.sub("", _IMPORT.sub("", _read(name))) for name in order[:-1]]
    return _short_names(_bare("".join([*inner, _IMPORT.sub("", _read(entry))])))


def _visit(name: str, order: list[str]) -> None:
    """What a module imports comes before it, each module once."""
    for imported in _IMPORT.findall(_read(name)):
        if imported not in order:
            _visit(imported, order)
    if name not in order:
        order.append(name)


def _bare(text: str) -> str:
    styled = _OWN_STYLE.sub(lambda found: _tight_style(found[0]).strip(), _COMMENT.sub("", text))
    return "\n".join(_tight_line(line) for line in _INDENT.sub("", styled).split("\n"))


def _tight_line(line: str) -> str:
    parts = _STRING.split(line)
    if any(_UNSURE.search(part) for part in parts[::2]):
        return line
    return "".join(part if at % 2 else _SPACED.sub(r"\1", part) for at, part in enumerate(parts))


def _short_names(text: str) -> str:
    made = sorted(set(_PRIVATE_MADE.findall(text)))
    short = {name: f"#{_letters(at)}" for at, name in enumerate(made)}
    return _PRIVATE.sub(lambda found: short.get(found[1], found[0]), text)


def _letters(number: int) -> str:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return alphabet[number] if number < 26 else alphabet[number // 26 - 1] + alphabet[number % 26]


def _tight_style(text: str) -> str:
    tight = _RULE.sub(r"\1", _COMMENT.sub("", text)).replace(";}", "}").replace(": ", ":")
    return _LEADING_ZERO.sub("", tight)


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
