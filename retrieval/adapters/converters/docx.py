"""Word documents (DOCX, DOCM), by python-docx: headings, lists with their numbers, tables, notes, in reading order.

What tracked changes have deleted stays out, what they have inserted is in.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import docx
from docx.document import Document as WordDocument
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn

from retrieval.adapters.converters.docx_numbering import Numbering
from retrieval.adapters.converters.docx_tables import table_rows
from retrieval.adapters.converters.grid import find_header
from retrieval.adapters.converters.office import parsed, refusing_damage
from retrieval.domain.outline import Outline

_PARAGRAPH, _TABLE, _CONTENT = qn("w:p"), qn("w:tbl"), qn("w:sdtContent")
_TEXTBOX = qn("w:txbxContent")
_SKIPPED = {
    qn("w:del"),
    qn("w:moveFrom"),
    qn("w:instrText"),
    qn("w:rPr"),
    qn("w:pPr"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_SPACES = {qn("w:tab"), qn("w:br"), qn("w:cr"), qn("w:ptab")}
_RENDERED_BREAK = qn("w:lastRenderedPageBreak")
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_HEADING_CHARACTERS = 300
_DEEPEST = 9


def read_docx(data: bytes, outline: Outline) -> tuple[str | None, int | None]:
    """Fill `outline`; return the title in the properties and the pages, if Word has noted where they end.

    Raises DocumentCorrupt.
    """
    with refusing_damage():
        document = docx.Document(io.BytesIO(data))
        pages = _Reader(document, outline).read()
        title = (document.core_properties.title or "").strip()
    return (None if title.lower() in ("word document", "untitled") else title) or None, pages


class _Reader:
    def __init__(self, document: WordDocument, outline: Outline) -> None:
        self.document = document
        self.outline = outline
        self.styles = {style.style_id: style for style in document.styles}
        self.numbering = Numbering(document)
        body = document.element.body
        self.page: int | None = 1 if next(body.iter(_RENDERED_BREAK), None) is not None else None

    def read(self) -> int | None:
        self._blocks(self.document.element.body)
        for kind in (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES):
            self._notes(kind)
        return self.page

    def _blocks(self, parent: Any) -> None:
        for node in _content(parent):
            if node.tag == _TABLE:
                self._table(node)
            else:
                self._paragraph(node)

    def _paragraph(self, node: Any) -> None:
        text = text_of(node)
        level = self._level(node)
        label = self.numbering.label(node, self.styles) if text else ""
        if level is not None and len(text) <= _HEADING_CHARACTERS:
            self.outline.heading(f"{label}{text}" if label != "- " else text, level, self.page)
        elif label:
            self.outline.list_item(label + text, self.page)
        else:
            self.outline.paragraph(text, self.page)
        for box in node.iter(_TEXTBOX):
            if not _is_skipped(box, node):
                self._blocks(box)
        self._turn_pages(node)

    def _table(self, node: Any) -> None:
        rows, marked = table_rows(node, text_of)
        if len(rows) == 1 or max(map(len, rows), default=0) == 1:
            for cell in dict.fromkeys(cell for row in rows for cell in row):
                self.outline.paragraph(cell, self.page)
        elif marked or len(rows[0]) > 2:
            header, height = (rows[0], 1) if marked else find_header(rows)
            self.outline.table(header, rows[height:], self.page)
        else:
            self.outline.table((), rows, self.page)
        self._turn_pages(node)

    def _turn_pages(self, node: Any) -> None:
        if self.page is not None:
            self.page += sum(1 for _ in node.iter(_RENDERED_BREAK))

    def _level(self, node: Any) -> int | None:
        """From the paragraph's own outline level, its style's, or the name of a style it is based on."""
        properties = node.find(qn("w:pPr"))
        own = _outline_level(properties)
        if own is not None:
            return own
        named = properties.find(qn("w:pStyle")) if properties is not None else None
        style = self.styles.get(named.get(qn("w:val"))) if named is not None else None
        for _ in range(_DEEPEST):
            if style is None:
                return None
            if (level := _style_level(style)) is not None:
                return level
            style = getattr(style, "base_style", None)
        return None

    def _notes(self, kind: str) -> None:
        for relation in self.document.part.rels.values():
            if relation.reltype != kind or relation.is_external:
                continue
            for note in parsed(relation.target_part.blob):
                if note.get(qn("w:type")) in (None, "normal"):
                    self.outline.paragraph(" ".join(text_of(p) for p in note.iter(_PARAGRAPH)), None)


def _content(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables of a body or a box, also inside content controls and inserted blocks."""
    for child in parent:
        if child.tag in (_PARAGRAPH, _TABLE):
            yield child
        elif child.tag == qn("w:sdt"):
            for content in child.findall(_CONTENT):
                yield from _content(content)
        elif child.tag in (qn("w:ins"), qn("w:customXml"), qn("w:smartTag")):
            yield from _content(child)


def text_of(node: Any) -> str:
    """The text of a paragraph or a cell, without its boxes and without what was deleted."""
    parts: list[str] = []
    stack = list(reversed(node))
    while stack:
        child = stack.pop()
        if child.tag == qn("w:t"):
            parts.append(child.text or "")
        elif child.tag in _SPACES:
            parts.append(" ")
        elif child.tag == qn("w:noBreakHyphen"):
            parts.append("-")
        elif child.tag not in _SKIPPED and child.tag != _TEXTBOX:
            stack.extend(reversed(child))
            if child.tag == _PARAGRAPH:
                parts.append(" ")
    return " ".join("".join(parts).split())


def _is_skipped(node: Any, root: Any) -> bool:
    """Whether a box stands in what is left out, or inside another box that is read for itself."""
    parent = node.getparent()
    while parent is not root:
        if parent.tag in _SKIPPED or parent.tag == _TEXTBOX:
            return True
        parent = parent.getparent()
    return False


def _outline_level(properties: Any) -> int | None:
    found = properties.find(qn("w:outlineLvl")) if properties is not None else None
    level = int(found.get(qn("w:val"), _DEEPEST)) if found is not None else _DEEPEST
    return level + 1 if level < _DEEPEST else None


def _style_level(style: Any) -> int | None:
    name = style.name or ""
    if name.lower() == "title":
        return 0
    named = _HEADING.fullmatch(name)
    return int(named.group(1)) if named else _outline_level(style.element.find(qn("w:pPr")))
