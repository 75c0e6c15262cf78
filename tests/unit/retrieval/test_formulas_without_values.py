"""A formula whose value was never saved gives nothing to read, and whoever uploaded it is told which."""

from __future__ import annotations

import io
import re
import zipfile

import openpyxl
import pytest

from retrieval.adapters.converters.read import read_document
from retrieval.adapters.converters.wire import dump_document, load
from retrieval.adapters.converters.workbook_cells import sheet_cells
from retrieval.domain.errors import DocumentWithoutValues


def workbook(fill, *, hidden=False):
    """As programs write it: formulas without values."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Fleet"
    fill(sheet)
    if hidden:
        book.create_sheet("Shown")["A1"] = "nothing to see"
        sheet.sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def saved(data, change):
    """The same file with its first sheet changed, as a spreadsheet program saves it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content.decode()) if name.endswith("sheet1.xml") else content)
    return out.getvalue()


def cars(sheet):
    sheet.append(["Car", "Days", "Price"])
    sheet.append(["Van", 3, "=B2*40"])
    sheet.append(["Coupe", 2, "=B3*70"])


def test_the_note_names_the_sheet_and_the_cells_and_what_to_do():
    document = read_document(workbook(cars), "fleet.xlsx")
    (note,) = document.notes
    assert note.startswith("Sheet Fleet: 2 formulas have no saved value and could not be read (C2, C3).")
    assert "save it, and upload it again" in note
    assert "Car: Van; Days: 3" in document.text


def test_many_cells_are_counted_and_a_few_named():
    def many(sheet):
        sheet.append(["Day", "Sum"])
        for row in range(2, 102):
            sheet.append([row, f"=A{row}*2"])

    (note,) = read_document(workbook(many), "sums.xlsx").notes
    assert "100 formulas have" in note and "(B2, B3, B4, B5, B6 and 95 more)" in note


def test_one_formula_is_one():
    def one(sheet):
        sheet["A1"], sheet["A2"] = "total", "=1+1"

    assert "1 formula has no saved value" in read_document(workbook(one), "one.xlsx").notes[0]


def test_saved_values_are_read_and_need_no_note():
    data = saved(workbook(cars), lambda xml: re.sub(r"</f><v ?/?>(</v>)?", "</f><v>99</v>", xml))
    document = read_document(data, "fleet.xlsx")
    assert document.notes == () and "Price: 99" in document.text


def test_an_empty_text_is_a_value():
    def empty(xml):
        return re.sub(
            r'<c r="C2"([^>]*)><f>([^<]*)</f><v ?/?>(</v>)?', r'<c r="C2" t="str"><f>\2</f><v></v>', xml
        )

    (note,) = read_document(saved(workbook(cars), empty), "fleet.xlsx").notes
    assert "(C3)" in note


def test_a_workbook_of_nothing_else_says_so_instead_of_being_without_text():
    def sums(sheet):
        sheet["A1"] = "=1+2"

    with pytest.raises(DocumentWithoutValues):
        read_document(workbook(sums), "sums.xlsx")


def test_a_hidden_sheet_is_not_talked_about():
    assert read_document(workbook(cars, hidden=True), "fleet.xlsx").notes == ()


def test_notes_cross_from_the_child_process():
    document = read_document(workbook(cars), "fleet.xlsx")
    assert load(dump_document(document)) == document


def test_a_sheet_without_formulas_or_percentages_is_not_taken_apart(monkeypatch):
    data = workbook(lambda sheet: sheet.append(["Car", "Van"]))
    monkeypatch.setattr("retrieval.adapters.converters.workbook_cells.etree.iterparse", None)
    assert sheet_cells(data)["Fleet"].unsaved == []
