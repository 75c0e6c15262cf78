"""Presentations (PPTX, PPTM), by python-pptx: each slide under its title, with tables, charts, diagrams and notes.

Slides that their author hid stay unread.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER
from pptx.slide import Slide

from retrieval.adapters.converters.grid import find_header
from retrieval.adapters.converters.office import parsed, refusing_damage
from retrieval.domain.outline import Outline

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM_PARTS = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_BARE_NOTES = {
    PP_PLACEHOLDER.SLIDE_NUMBER,
    PP_PLACEHOLDER.DATE,
    PP_PLACEHOLDER.FOOTER,
    PP_PLACEHOLDER.HEADER,
}
_SAME_LINE = 200_000
"""Shapes whose tops differ by less than this (in EMU, about half a centimetre) are read from left to right."""


def read_pptx(data: bytes, outline: Outline) -> tuple[str | None, int]:
    """Fill `outline`, the slide's number as page; return the title in the properties and the number of slides.

    Raises DocumentCorrupt.
    """
    with refusing_damage():
        presentation = Presentation(io.BytesIO(data))
        slides = list(presentation.slides)
        for number, slide in enumerate(slides, start=1):
            if slide.element.get("show") not in ("0", "false"):
                _SlideReader(slide, number, outline).read()
        title = (presentation.core_properties.title or "").strip()
    return (None if title.lower() in ("powerpoint presentation", "untitled") else title) or None, len(slides)


class _SlideReader:
    def __init__(self, slide: Slide, number: int, outline: Outline) -> None:
        self.slide = slide
        self.number = number
        self.outline = outline

    def read(self) -> None:
        """A slide without a title goes by its number, so that its passages still say where they are."""
        title = self.slide.shapes.title
        text = " ".join(_paragraphs(title)) if title is not None and title.has_text_frame else ""
        self.outline.heading(text or f"Slide {self.number}", 1, self.number)
        for shape in _in_reading_order(self.slide.shapes):
            if title is None or shape.shape_id != title.shape_id:
                self._shape(shape)
        self._notes()

    def _shape(self, shape: Any) -> None:
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            for inner in _in_reading_order(shape.shapes):
                self._shape(inner)
        elif shape.has_text_frame:
            self._text(shape)
        elif getattr(shape, "has_table", False):
            self._table(shape.table)
        elif getattr(shape, "has_chart", False):
            self._chart(shape.chart)
        else:
            self._diagram(shape)

    def _text(self, shape: Any) -> None:
        if shape.is_placeholder and shape.placeholder_format.type in _BARE_NOTES:
            return
        lines = list(_paragraphs(shape))
        if len(lines) < 2:
            self.outline.paragraph(" ".join(lines), self.number)
            return
        for line in lines:
            self.outline.list_item(f"- {line}", self.number)

    def _table(self, table: Any) -> None:
        rows = [[" ".join(cell.text.split()) for cell in row.cells] for row in table.rows]
        rows = [row for row in rows if any(row)]
        if not rows:
            return
        header, height = (rows[0], 1) if table.first_row and len(rows) > 1 else find_header(rows)
        self.outline.table(header, rows[height:], self.number)

    def _chart(self, chart: Any) -> None:
        """The figures behind a chart, one row for each category."""
        if chart.has_title and chart.chart_title.has_text_frame:
            self.outline.paragraph(chart.chart_title.text_frame.text, self.number)
        for plot in chart.plots:
            series = list(plot.series)
            columns = [[_figure(value) for value in one.values] for one in series]
            rows = [
                [str(category), *(column[index] if index < len(column) else "" for column in columns)]
                for index, category in enumerate(plot.categories)
            ]
            self.outline.table(["", *(one.name or "" for one in series)], rows, self.number)

    def _diagram(self, shape: Any) -> None:
        """The texts of a SmartArt graphic are in a part of their own."""
        for parts in shape.element.iter(_DIAGRAM_PARTS):
            relation = self.slide.part.rels.get(parts.get(_DIAGRAM_DATA) or "")
            if relation is None or relation.is_external:
                continue
            for paragraph in parsed(relation.target_part.blob).iter(f"{_DRAWING}p"):
                text = "".join(piece.text or "" for piece in paragraph.iter(f"{_DRAWING}t"))
                self.outline.list_item(f"- {text}" if text.strip() else "", self.number)

    def _notes(self) -> None:
        if not self.slide.has_notes_slide:
            return
        frame = self.slide.notes_slide.notes_text_frame
        if frame is not None:
            for paragraph in frame.paragraphs:
                self.outline.paragraph(paragraph.text, self.number)


def _in_reading_order(shapes: Iterable[Any]) -> list[Any]:
    return sorted(shapes, key=lambda shape: ((shape.top or 0) // _SAME_LINE, shape.left or 0))


def _paragraphs(shape: Any) -> Iterator[str]:
    for paragraph in shape.text_frame.paragraphs:
        text = " ".join(paragraph.text.split())
        if text:
            yield text


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.15g}"
