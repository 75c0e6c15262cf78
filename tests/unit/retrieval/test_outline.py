"""Blocks keep their place and the headings above them."""

from __future__ import annotations

import pytest

from retrieval.domain.errors import DocumentTooLong, DocumentWithoutText
from retrieval.domain.outline import Outline, table_row


def test_a_deeper_heading_stands_under_the_last_higher_one():
    outline = Outline()
    for level, title in ((1, "A"), (3, "B"), (2, "C"), (1, "D")):
        outline.heading(title, level)
        outline.paragraph(f"below {title}")
    document = outline.document(format="test")
    paths = [b.heading_path for b in document.blocks if b.kind == "paragraph"]
    assert paths == [("A",), ("A", "B"), ("A", "C"), ("D",)]


def test_every_block_is_a_piece_of_the_text():
    outline = Outline()
    outline.heading("Title", 1)
    outline.paragraph("some\n text", page=2)
    outline.list_item("- one")
    outline.list_item("- two")
    document = outline.document(format="test")
    assert document.text == "Title\n\nsome text\n\n- one\n- two"
    assert [document.text[b.start : b.end] for b in document.blocks] == [
        "Title",
        "some text",
        "- one",
        "- two",
    ]
    assert document.blocks[1].page == 2


def test_a_row_names_its_columns():
    assert table_row(["Region", "RPO"], ["Dublin", "15 min"]) == "Region: Dublin; RPO: 15 min"
    assert table_row(["", "RPO"], ["Dublin", ""]) == "Dublin"
    assert table_row([], ["a", "b"]) == "a; b"


def test_what_a_database_cannot_store_is_left_out():
    outline = Outline()
    outline.paragraph("a\x00b\ud800c\u200bd")
    outline.code("x\x00y\n\tz")
    assert outline.document(format="test").text == "abcd\n\nxy\n\tz"


def test_the_first_heading_is_the_title_unless_one_is_given():
    outline = Outline()
    outline.heading("Returns", 1)
    assert outline.document(format="test").title == "Returns"
    assert outline.document(format="test", title="Other").title == "Other"


def test_no_text_is_no_document():
    outline = Outline()
    outline.paragraph(" \n ")
    with pytest.raises(DocumentWithoutText):
        outline.document(format="test")


def test_it_stops_at_the_limit():
    outline = Outline(limit=100)
    outline.paragraph("a" * 95)
    with pytest.raises(DocumentTooLong):
        outline.paragraph("ten letters")


def test_the_rows_of_a_long_table_are_records_and_of_a_short_one_are_not():
    def kinds(length):
        outline = Outline()
        outline.table(("Name", "Beds"), [(f"Ward {number}", "9") for number in range(length)])
        return {block.kind.value for block in outline.document(format="text").blocks}

    assert (kinds(29), kinds(30)) == ({"table_row"}, {"record"})
