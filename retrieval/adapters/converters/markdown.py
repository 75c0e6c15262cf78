"""Markdown, by the token stream of markdown-it-py."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from retrieval.domain.outline import Outline

_FRONT_MATTER = re.compile(r"\A---[^\S\n]*\n(?P<body>.*?\n)(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title\s*:\s*[\"']?(?P<title>[^\"'\n]+)", re.MULTILINE | re.IGNORECASE)
_OPENING = re.compile(r"<(script|style)\b", re.IGNORECASE)
_CLOSING = re.compile(r"</(script|style)\b", re.IGNORECASE)
_CLOSED = re.compile(r"<(script|style)\b.*?</\1[^>]*>", re.IGNORECASE | re.DOTALL)
_TEXTS = frozenset({"inline", "fence", "code_block", "html_block"})


def read_markdown(text: str, outline: Outline) -> str | None:
    """Fill `outline`; return the title that the front matter names, if any."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    title = None
    front = _FRONT_MATTER.match(text)
    if front:
        named = _TITLE.search(front.group("body"))
        title = named.group("title").strip() if named else None
        text = text[front.end() :]
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    _Reader(outline, _last_closings(text)).read(tokens)
    return title


def _last_closings(text: str) -> dict[str, int]:
    """The last line that closes a script and a style: one that nothing closes is a word about HTML, not code."""
    return {
        match.group(1).lower(): number
        for number, line in enumerate(text.split("\n"))
        for match in _CLOSING.finditer(line)
    }


class _Reader:
    def __init__(self, outline: Outline, closings: dict[str, int]) -> None:
        self.outline = outline
        self.closings = closings
        self.code = ""
        self.lists: list[int | None] = []
        self.mark = ""
        self.heading = 0
        self.rows: list[list[str]] | None = None

    def read(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            if token.type in _TEXTS and self._is_code(token):
                continue
            handle = getattr(self, f"on_{token.type}", None)
            if handle is not None:
                handle(token)

    def _is_code(self, token: Token) -> bool:
        """Markdown ends raw HTML at an empty line, so a script can go on in what looks like paragraphs."""
        if self.code:
            if f"</{self.code}" in token.content.lower():
                self.code = ""
            return True
        if token.type in ("inline", "html_block"):
            self.code = self._left_open(token)
        return False

    def _left_open(self, token: Token) -> str:
        """The script or style that a token opens and a later one closes."""
        opening = _OPENING.search(_CLOSED.sub("", _raw_html(token)))
        if opening is None:
            return ""
        name, after = opening.group(1).lower(), token.map[1] if token.map else 0
        return name if self.closings.get(name, -1) >= after else ""

    def on_heading_open(self, token: Token) -> None:
        self.heading = int(token.tag[1])

    def on_heading_close(self, token: Token) -> None:
        self.heading = 0

    def on_bullet_list_open(self, token: Token) -> None:
        self.lists.append(None)

    def on_ordered_list_open(self, token: Token) -> None:
        self.lists.append(int(token.attrGet("start") or 1))

    def on_bullet_list_close(self, token: Token) -> None:
        self.lists.pop()

    on_ordered_list_close = on_bullet_list_close

    def on_list_item_open(self, token: Token) -> None:
        number = self.lists[-1]
        self.mark = "- " if number is None else f"{number}. "
        if number is not None:
            self.lists[-1] = number + 1

    def on_table_open(self, token: Token) -> None:
        self.rows = []

    def on_tr_open(self, token: Token) -> None:
        if self.rows is not None:
            self.rows.append([])

    def on_table_close(self, token: Token) -> None:
        rows, self.rows = self.rows or [[]], None
        self.outline.table(rows[0], rows[1:] or rows[:1])

    def on_inline(self, token: Token) -> None:
        text = inline_text(token, self.code)
        if self.rows is not None:
            self.rows[-1].append(text)
        elif self.heading and not self.lists:
            self.outline.heading(text, self.heading)
        elif self.lists:
            self.outline.list_item(self.mark + text)
            self.mark = ""
        else:
            self.outline.paragraph(text)

    def on_fence(self, token: Token) -> None:
        self.outline.code(token.content)

    on_code_block = on_fence

    def on_html_block(self, token: Token) -> None:
        from retrieval.adapters.converters.html import read_html

        read_html(token.content, self.outline)


def inline_text(token: Token, left_open: str = "") -> str:
    """What a reader sees of a line: text, code, picture descriptions; no marks, no addresses, no scripts.

    `left_open` names a script or a style that only a later line closes.
    """
    children = token.children or []
    parts = []
    code = ""
    for at, child in enumerate(children):
        if child.type == "html_inline":
            code = _code_after(code, child.content, children[at + 1 :], left_open)
        if code:
            continue
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image":
            parts.append(inline_text(child) or child.content)
        elif child.type == "html_inline" and child.content.lower().startswith("<br"):
            parts.append(" ")
    return "".join(parts)


def _code_after(code: str, tag: str, following: Sequence[Token], left_open: str) -> str:
    """The name of the script or style that the text after this tag belongs to, empty when it is text."""
    if code:
        return "" if tag.lower().startswith(f"</{code}") else code
    opening = _OPENING.match(tag)
    if opening is None:
        return ""
    name = opening.group(1).lower()
    closed = any(_closes(token, name) for token in following)
    return name if closed or name == left_open else ""


def _closes(token: Token, name: str) -> bool:
    return token.type == "html_inline" and token.content.lower().startswith(f"</{name}")


def _raw_html(token: Token) -> str:
    if token.type == "html_block":
        return token.content
    return "".join(child.content for child in token.children or () if child.type == "html_inline")
