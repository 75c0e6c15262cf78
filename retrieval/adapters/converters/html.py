"""HTML, by selectolax: the content of a page without its navigation, scripts and footers."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from retrieval.adapters.converters.decoding import decode
from retrieval.domain.outline import Outline

_DROPPED = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "canvas",
        "iframe",
        "object",
        "embed",
        "nav",
        "footer",
        "aside",
        "form",
        "button",
        "select",
        "textarea",
        "input",
        "dialog",
        "head",
        "audio",
        "video",
        "map",
    ]
)
_DROPPED_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "menu"})
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "header",
        "hgroup",
        "html",
        "li",
        "main",
        "ol",
        "p",
        "section",
        "summary",
        "ul",
        "table",
        "caption",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "td",
        "th",
    ]
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CODE = re.compile(r"<\s*(script|style)\b.*?(?:<\s*/\s*\1[^>]*>|\Z)", re.IGNORECASE | re.DOTALL)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)


def decode_html(data: bytes, filename: str) -> tuple[str, str]:
    """Believe a byte order mark, then valid UTF-8, then what the page declares, then statistics."""
    declared = _CHARSET.search(data[:4096])
    if declared and not data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        for name in ("utf-8", declared.group(1).decode("ascii", "replace")):
            try:
                return data.decode(name), name
            except (UnicodeDecodeError, LookupError):
                continue
    return decode(data, filename)


def read_html(text: str, outline: Outline) -> str | None:
    """Fill `outline` from the main content; return the page's title, if any."""
    parser = LexborHTMLParser(text)
    title = next((node for node in parser.css("title") if not _is_drawn(node)), None)
    root = _main_content(parser)
    if root is not None:
        _Walker(outline).walk(root)
    return without_code(title.text(strip=True)).strip() if title is not None else None


def without_code(text: str) -> str:
    """Text that may hold a script or a style as text (titles and attributes do not nest elements), without it."""
    return _CODE.sub(" ", text)


def _is_drawn(node: LexborNode) -> bool:
    """Whether a title is a drawing's and not the page's."""
    parent = node.parent
    return parent is not None and parent.tag == "svg"


def _main_content(parser: LexborHTMLParser) -> LexborNode | None:
    """The one `main` (or `article`) of a page that has one, else its body."""
    for selector in ("main, [role=main]", "article"):
        found = parser.css(selector)
        if len(found) == 1 and len(found[0].text(strip=True)) > 0:
            return found[0]
    return parser.body


class _Walker:
    """Goes through the tree without recursion (hostile pages nest a million deep), collecting runs of text."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.run: list[str] = []
        self.numbers: list[int | None] = []
        self.mark = ""

    def walk(self, root: LexborNode) -> None:
        for node, leaving in _events(root):
            tag = node.tag or ""
            if tag == "-text":
                self.run.append(node.text_content or "")
            elif tag == "br":
                self.run.append(" ")
            elif tag == "img":
                alt = (node.attributes or {}).get("alt") or ""
                self.run.append(f" {without_code(alt)} ")
            elif tag in _HEADINGS or tag in _BLOCKS or tag == "pre":
                self._edge(node, tag, leaving)
        self._flush()

    def _edge(self, node: LexborNode, tag: str, leaving: bool) -> None:
        if tag in _HEADINGS and leaving:
            text, self.run = "".join(self.run), []
            self.outline.heading(text, _HEADINGS[tag])
            return
        self._flush()
        if tag == "table" and not leaving:
            self._table(node)
        elif tag == "pre" and not leaving:
            self.outline.code(_text(node, between=""))
        elif tag in ("ul", "ol"):
            self._list(tag, leaving)
        elif tag == "li" and not leaving:
            self.mark = self._next_mark()

    def _list(self, tag: str, leaving: bool) -> None:
        if not leaving:
            self.numbers.append(1 if tag == "ol" else None)
        elif self.numbers:
            self.numbers.pop()

    def _next_mark(self) -> str:
        number = self.numbers[-1] if self.numbers else None
        if number is None:
            return "- "
        self.numbers[-1] = number + 1
        return f"{number}. "

    def _flush(self) -> None:
        text, self.run = " ".join("".join(self.run).split()), []
        if not text:
            return
        if self.numbers or self.mark:
            self.outline.list_item(self.mark + text)
            self.mark = ""
        else:
            self.outline.paragraph(text)

    def _table(self, table: LexborNode) -> None:
        """A table of data row by row; a table that only lays out a page as its texts."""
        rows = [[" ".join(_text(cell).split()) for cell in row.css("th, td")] for row in table.css("tr")]
        rows = [row for row in rows if any(row)]
        caption = table.css_first("caption")
        if caption is not None:
            self.outline.paragraph(_text(caption))
        if not rows:
            return
        has_header = table.css_first("th") is not None or table.css_first("thead") is not None
        if has_header and len(rows) > 1:
            self.outline.table(rows[0], rows[1:])
        else:
            self.outline.table((), rows)


def _text(root: LexborNode, between: str = " ") -> str:
    """The text of a cell or of preformatted lines, of kept nodes only."""
    parts: list[str] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.tag == "-text":
            parts.append(node.text_content or "")
        elif node.tag == "br":
            parts.append(" " if between else "\n")
        child = node.last_child
        while child is not None:
            if not _is_dropped(child):
                stack.append(child)
            child = child.prev
    return between.join(parts)


def _events(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Every kept node when it is entered and, unless it is text, when it is left."""
    stack: list[tuple[LexborNode, bool]] = [(root, False)]
    while stack:
        node, leaving = stack.pop()
        yield node, leaving
        if leaving or node.tag == "-text":
            continue
        stack.append((node, True))
        if node.tag in ("table", "pre"):
            continue
        child = node.last_child
        while child is not None:
            if not _is_dropped(child):
                stack.append((child, False))
            child = child.prev


def _is_dropped(node: LexborNode) -> bool:
    tag = node.tag or ""
    if tag == "-text":
        return False
    if tag in _DROPPED or tag.startswith("-"):
        return True
    attributes = node.attributes or {}
    return (
        attributes.get("role") in _DROPPED_ROLES
        or "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
    )
