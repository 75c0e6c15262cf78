"""Markdown, by the token stream of markdown-it-py."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from retrieval.domain.outline import Outline

_FRONT_MATTER = re.compile(r"\A---[^\S\n]*\n(?P<body>.*?\n)(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title\s*:\s*[\"']?(?P<title>[^\"'\n]+)", re.MULTILINE | re.IGNORECASE)


def read_markdown(text: str, outline: Outline) -> str | None:
    """Fill `outline`; return the title that the front matter names, if any."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    title = None
    front = _FRONT_MATTER.match(text)
    if front:
        named = _TITLE.search(front.group("body"))
        title = named.group("title").strip() if named else None
        text = text[front.end() :]
    _Reader(outline).read(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text))
    return title


class _Reader:
    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.lists: list[int | None] = []
        self.mark = ""
        self.heading = 0
        self.rows: list[list[str]] | None = None

    def read(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            handle = getattr(self, f"on_{token.type}", None)
            if handle is not None:
                handle(token)

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
        text = inline_text(token)
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


def inline_text(token: Token) -> str:
    """What a reader sees of a line: text, code, picture descriptions; no marks and no addresses."""
    parts = []
    for child in token.children or ():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image":
            parts.append(inline_text(child) or child.content)
        elif child.type == "html_inline" and child.content.lower().startswith("<br"):
            parts.append(" ")
    return "".join(parts)
