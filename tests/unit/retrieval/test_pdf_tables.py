"""A table in a PDF gives rows that name their columns; prose, lists and columns of prose stay text."""

from __future__ import annotations

import io

import pytest
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BalancedColumns,
    ListFlowable,
    Paragraph,
    SimpleDocTemplate,
    Table,
    TableStyle,
)

from retrieval.adapters.converters.read import read_document

STYLES = getSampleStyleSheet()
WARDS = [
    ["Ward", "Beds", "Visits"],
    ["A", "12", "9 to 12"],
    ["Burns unit", "9", "14 to 16"],
    ["C", "", "by arrangement"],
]
PROSE = (
    "The clinic opens its gates at seven and the first tram arrives a little later, so that people who start early "
    "have time for a coffee in the hall before the lifts are switched on and the wards begin their day. "
)


def paragraph(text, style="Normal"):
    return Paragraph(text, STYLES[style])


def pdf(*parts):
    file = io.BytesIO()
    SimpleDocTemplate(file).build(list(parts))
    return read_document(file.getvalue(), "a.pdf")


def rows(document):
    return [
        document.text[b.start : b.end] for b in document.blocks if b.kind.value in ("table_row", "record")
    ]


EXPECTED = [
    "Ward: A; Beds: 12; Visits: 9 to 12",
    "Ward: Burns unit; Beds: 9; Visits: 14 to 16",
    "Ward: C; Visits: by arrangement",
]


@pytest.mark.parametrize(
    "style",
    [
        [],
        [("GRID", (0, 0), (-1, -1), 0.5, colors.black)],
        [("ALIGN", (0, 0), (-1, -1), "RIGHT")],
        [("ALIGN", (0, 0), (-1, -1), "CENTER")],
        [("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"), ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey)],
        [("TOPPADDING", (0, 0), (-1, -1), 0), ("BOTTOMPADDING", (0, 0), (-1, -1), 0)],
    ],
)
def test_a_table_is_found_however_it_is_set(style):
    document = pdf(
        paragraph("Wards", "Title"),
        paragraph(PROSE),
        Table(WARDS, style=TableStyle(style)),
        paragraph("After it."),
    )
    assert rows(document) == EXPECTED
    assert document.text.startswith("Wards\n\nThe clinic opens") and document.text.endswith("After it.")
    assert document.blocks[-1].heading_path == ("Wards",)


def test_cells_of_several_lines_are_joined():
    data = [["Plan", "What it holds", "Price"]]
    data += [[name, paragraph(text), price] for name, text, price in (
        ("Small", "one room with a window to the garden and a desk", "10"),
        ("Large", "two rooms, a kitchen and a place for two bicycles", "20"),
        ("House", "everything", "90"),
    )]  # fmt: skip
    assert rows(pdf(Table(data, colWidths=[80, 120, 60]))) == [
        "Plan: Small; What it holds: one room with a window to the garden and a desk; Price: 10",
        "Plan: Large; What it holds: two rooms, a kitchen and a place for two bicycles; Price: 20",
        "Plan: House; What it holds: everything; Price: 90",
    ]


def test_a_table_over_two_pages_is_found_on_both():
    data = [["Station", "Line", "Opened"]] + [[f"Stop {n}", f"L{n % 5}", str(1900 + n)] for n in range(60)]
    document = pdf(Table(data, repeatRows=1))
    assert len(rows(document)) == 60
    assert rows(document)[-1] == "Station: Stop 59; Line: L4; Opened: 1959"
    assert {block.page for block in document.blocks} == {1, 2}


def test_prose_stays_prose_also_when_it_is_justified():
    from reportlab.lib.enums import TA_JUSTIFY
    from reportlab.lib.styles import ParagraphStyle

    justified = ParagraphStyle("j", parent=STYLES["Normal"], alignment=TA_JUSTIFY)
    assert rows(pdf(*(Paragraph(PROSE * 3, justified) for _ in range(8)))) == []


def test_two_columns_of_prose_are_no_table():
    assert rows(pdf(BalancedColumns([paragraph(PROSE * 4) for _ in range(6)], nCols=2))) == []


def test_lists_are_no_tables():
    for kind in ("bullet", "1"):
        items = ListFlowable(
            [paragraph(f"Thing {n} to bring") for n in range(6)], bulletType=kind, leftIndent=40
        )
        assert rows(pdf(items)) == []


def test_two_lines_in_columns_are_no_table():
    assert rows(pdf(paragraph(PROSE), Table([["Date", "12 May"], ["Place", "Cork"]]))) == []


def test_an_address_beside_a_date_is_no_table():
    file = io.BytesIO()
    canvas = Canvas(file)
    for number, line in enumerate(("City Library", "12 Quay Street", "Cork", "Ireland")):
        canvas.drawString(60, 780 - 14 * number, line)
    canvas.drawString(400, 780, "3 March 2026")
    canvas.drawString(60, 700, PROSE[:90])
    canvas.save()
    assert rows(read_document(file.getvalue(), "a.pdf")) == []
