"""Word, PowerPoint, Excel and CSV: the text with its structure, and a plain reason for every broken file."""

from __future__ import annotations

import datetime
import functools
import io
import re
import zipfile

import docx
import openpyxl
import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from retrieval.adapters.converters.csv_rows import sniff_delimiter
from retrieval.adapters.converters.read import read_document
from retrieval.domain.chunking import chunk_document
from retrieval.domain.errors import (
    DocumentBomb,
    DocumentCorrupt,
    DocumentEncrypted,
    DocumentUnsupported,
    DocumentWithoutText,
)

OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def saved(file) -> bytes:
    data = io.BytesIO()
    file.save(data)
    return data.getvalue()


def lines(document):
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def texts(document):
    return [text for _, text in lines(document)]


def with_part(data: bytes, name: str, change) -> bytes:
    """The same archive with one part rewritten."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for entry in source.infolist():
            content = source.read(entry)
            target.writestr(entry.filename, change(content) if entry.filename == name else content)
    return out.getvalue()


def filled(table, rows):
    for row, values in zip(table.rows, rows, strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value


@pytest.fixture
def manual():
    """A library's rules, as a Word document."""
    document = docx.Document()
    document.add_heading("Library rules", 0)
    document.add_heading("Loans", 1)
    document.add_paragraph("Books may be kept for 30 days.")
    document.add_paragraph("Novels", style="List Bullet")
    document.add_paragraph("Bring the card", style="List Number")
    document.add_paragraph("Sign the list", style="List Number")
    document.add_heading("Fees", 2)
    filled(
        document.add_table(4, 3),
        [["Kind", "Days", "Fee"], ["Novel", "30", "0.10"], ["Film", "7", "1.00"], ["Film", "14", "2.00"]],
    )
    return document


def test_word_keeps_headings_lists_and_tables_in_order(manual):
    document = read_document(saved(manual), "rules.docx")
    assert (document.title, document.format, document.pages) == ("Library rules", "docx", None)
    assert lines(document) == [
        ("heading", "Library rules"),
        ("heading", "Loans"),
        ("paragraph", "Books may be kept for 30 days."),
        ("list_item", "- Novels"),
        ("list_item", "1. Bring the card"),
        ("list_item", "2. Sign the list"),
        ("heading", "Fees"),
        ("table_row", "Kind: Novel; Days: 30; Fee: 0.10"),
        ("table_row", "Kind: Film; Days: 7; Fee: 1.00"),
        ("table_row", "Kind: Film; Days: 14; Fee: 2.00"),
    ]
    assert document.blocks[-1].heading_path == ("Library rules", "Loans", "Fees")


def test_a_cell_merged_over_rows_counts_for_each_of_them(manual):
    table = manual.tables[0]
    table.cell(3, 0).text = ""
    table.cell(2, 0).merge(table.cell(3, 0))
    assert texts(read_document(saved(manual), "a.docx"))[-1] == "Kind: Film; Days: 14; Fee: 2.00"


def test_a_table_of_properties_takes_no_row_for_its_header():
    document = docx.Document()
    filled(document.add_table(2, 2), [["Opening", "nine"], ["Closed on", "Sunday"]])
    assert texts(read_document(saved(document), "a.docx")) == ["Opening; nine", "Closed on; Sunday"]


def test_what_was_deleted_stays_out_and_what_was_inserted_is_in(manual):
    marks = (
        b'<w:p><w:r><w:t xml:space="preserve">Fines are </w:t></w:r><w:del w:id="1" w:author="a"><w:r><w:delText>'
        b"waived</w:delText></w:r></w:del><w:ins w:id='2' w:author='a'><w:r><w:t>doubled</w:t></w:r></w:ins></w:p>"
    )
    data = with_part(
        saved(manual), "word/document.xml", lambda xml: xml.replace(b"<w:sectPr", marks + b"<w:sectPr", 1)
    )
    assert texts(read_document(data, "a.docx"))[-1] == "Fines are doubled"


def test_word_text_in_boxes_and_controls_is_read_once(manual):
    box = (
        b'<w:p><w:r><w:t>Beside</w:t></w:r><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/'
        b'markup-compatibility/2006"><mc:Choice Requires="wps"><w:drawing><w:txbxContent><w:p><w:r><w:t>In a box</w:t>'
        b"</w:r></w:p></w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>In a "
        b"box</w:t></w:r></w:p></w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
        b"<w:sdt><w:sdtContent><w:p><w:r><w:t>In a control</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    data = with_part(
        saved(manual), "word/document.xml", lambda xml: xml.replace(b"<w:sectPr", box + b"<w:sectPr", 1)
    )
    assert texts(read_document(data, "a.docx"))[-3:] == ["Beside", "In a box", "In a control"]


def test_pages_are_those_that_word_has_noted(manual):
    mark = b"<w:p><w:r><w:lastRenderedPageBreak/><w:t>On page two</w:t></w:r></w:p><w:p><w:r><w:t>Also</w:t></w:r></w:p>"
    data = with_part(
        saved(manual), "word/document.xml", lambda xml: xml.replace(b"<w:sectPr", mark + b"<w:sectPr", 1)
    )
    document = read_document(data, "a.docx")
    assert document.pages == 2
    assert (document.blocks[0].page, document.blocks[-1].page) == (1, 2)


@pytest.fixture
def slides():
    """A hospital's presentation."""
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Wards"
    first.placeholders[1].text = "Ward A has 12 beds\nWard B has 9 beds"
    first.notes_slide.notes_text_frame.text = "Mention the new wing."
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Visits"
    filled(
        second.shapes.add_table(3, 2, 0, Cm(5), Cm(9), Cm(3)).table,
        [["Ward", "Hours"], ["A", "9-12"], ["B", "14-16"]],
    )
    figures = CategoryChartData()
    figures.categories = ["East", "West"]
    figures.add_series("Beds", (19.5, 21))
    second.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, Cm(10), Cm(9), Cm(5), figures)
    return deck


def test_every_slide_stands_under_its_title_with_its_number(slides):
    document = read_document(saved(slides), "wards.pptx")
    assert (document.format, document.pages) == ("pptx", 2)
    assert [
        (block.page, block.heading_path[0], text)
        for block, text in zip(document.blocks, texts(document), strict=True)
    ] == [
        (1, "Wards", "Wards"),
        (1, "Wards", "- Ward A has 12 beds"),
        (1, "Wards", "- Ward B has 9 beds"),
        (1, "Wards", "Mention the new wing."),
        (2, "Visits", "Visits"),
        (2, "Visits", "Ward: A; Hours: 9-12"),
        (2, "Visits", "Ward: B; Hours: 14-16"),
        (2, "Visits", "East; Beds: 19.5"),
        (2, "Visits", "West; Beds: 21"),
    ]


def test_a_hidden_slide_stays_unread_and_a_slide_without_title_has_its_number(slides):
    slides.slides[0].element.set("show", "0")
    blank = slides.slides.add_slide(slides.slide_layouts[6])
    blank.shapes.add_textbox(0, 0, Cm(5), Cm(2)).text_frame.text = "Only this."
    document = read_document(saved(slides), "a.pptx")
    assert "Wards" not in document.text
    assert document.blocks[-1].heading_path == ("Slide 3",)


def test_shapes_are_read_from_top_to_bottom_whatever_was_drawn_first(slides):
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    for top, left, text in ((9, 0, "last"), (1, 8, "second"), (1, 0, "first")):
        slide.shapes.add_textbox(Cm(left), Cm(top), Cm(5), Cm(1)).text_frame.text = text
    assert texts(read_document(saved(slides), "a.pptx"))[-3:] == ["first", "second", "last"]


@pytest.fixture
def fleet():
    """A car rental's workbook: titles, notes, several tables, merged cells, dates and a hidden sheet."""
    book = openpyxl.Workbook()
    cars = book.active
    cars.title = "Cars"
    for row in (
        ["Fleet in spring"],
        [],
        ["Class", "Rate", "Since", "Pickup", "Electric"],
        ["Van", 25.5, datetime.date(2026, 3, 1), datetime.time(9, 30), False],
        ["Bus", 0.1 + 0.2, datetime.datetime(2026, 3, 1, 14, 30), None, True],
        [None, 12, None, None, None],
        [],
        ["Station", "Phone", "Opens"],
        ["Cork", "+353 21 1", "early"],
    ):
        cars.append(row)
    cars.merge_cells("A5:A6")
    drivers = book.create_sheet("Drivers")
    drivers["C4"], drivers["D4"], drivers["C5"], drivers["D5"] = "Head", "Ann", "Deputy", "Bo"
    hidden = book.create_sheet("Margins")
    hidden["A1"] = "secret"
    hidden.sheet_state = "hidden"
    return book


def test_a_workbook_gives_every_row_the_names_of_its_columns(fleet):
    document = read_document(saved(fleet), "fleet.xlsx")
    assert (document.format, document.pages) == ("xlsx", 3)
    assert texts(document) == [
        "Cars",
        "Fleet in spring",
        "Class: Van; Rate: 25.5; Since: 2026-03-01; Pickup: 09:30; Electric: false",
        "Class: Bus; Rate: 0.3; Since: 2026-03-01 14:30; Electric: true",
        "Class: Bus; Rate: 12",
        "Station: Cork; Phone: +353 21 1; Opens: early",
        "Drivers",
        "Head; Ann",
        "Deputy; Bo",
    ]
    assert (document.blocks[-1].heading_path, document.blocks[-1].page) == (("Drivers",), 2)


def test_a_formula_counts_by_its_value(fleet):
    fleet["Cars"]["B4"] = "=1+1"
    computed = functools.partial(re.sub, rb"<f>1\+1</f><v ?/?>(</v>)?", b"<f>1+1</f><v>42</v>")
    data = with_part(saved(fleet), "xl/worksheets/sheet1.xml", computed)
    document = read_document(data, "a.xlsx")
    assert "Rate: 42" in document.text and "1+1" not in document.text


def test_a_percentage_is_read_as_it_is_shown():
    book = openpyxl.Workbook()
    for row in (["Depot", "Available", "Share", "Cars"], ["Cork", 0.9995, 0.1, 3], ["Kerry", 1, 0.07, 5]):
        book.active.append(row)
    for row in (2, 3):
        book.active[f"B{row}"].number_format = "0.00%"
        book.active[f"C{row}"].number_format = '0.0" %"'
    book.active["C2"].number_format = "0%"
    rows = texts(read_document(saved(book), "a.xlsx"))
    assert rows[1] == "Depot: Cork; Available: 99.95%; Share: 10%; Cars: 3"
    assert rows[2] == "Depot: Kerry; Available: 100%; Share: 0.07; Cars: 5"


def test_names_of_columns_in_groups_are_joined():
    book = openpyxl.Workbook()
    for row in (
        ["", "2025", "", "2026", ""],
        ["Depot", "Cars", "Vans", "Cars", "Vans"],
        ["Cork", 1, 2, 3, 4],
        ["Kerry", 5, 6, 7, 8],
    ):
        book.active.append(row)
    rows = texts(read_document(saved(book), "a.xlsx"))
    assert rows[1] == "Depot: Cork; 2025 Cars: 1; 2025 Vans: 2; 2026 Cars: 3; 2026 Vans: 4"


def test_a_workbook_of_nothing_is_without_text():
    with pytest.raises(DocumentWithoutText):
        read_document(saved(openpyxl.Workbook()), "a.xlsx")


CSV = "Name;City;Beds\nÄrztehaus;Köln;12\nSüdklinik;Gießen;9\n"


@pytest.mark.parametrize(
    "encoding, found",
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("cp1252", "cp1252"), ("utf-16", "utf-16")],
)
def test_a_table_of_values_is_read_in_its_encoding(encoding, found):
    document = read_document(CSV.encode(encoding), "a.csv")
    assert document.encoding == found
    assert texts(document) == [
        "Name: Ärztehaus; City: Köln; Beds: 12",
        "Name: Südklinik; City: Gießen; Beds: 9",
    ]


def test_a_chinese_table_is_read_in_its_encoding():
    data = "姓名,城市,床位\n张三,北京,12\n李四,上海,9\n王五,广州,7\n".encode("gbk")
    document = read_document(data, "a.csv")
    assert (document.encoding, texts(document)[0]) == ("gb18030", "姓名: 张三; 城市: 北京; 床位: 12")


@pytest.mark.parametrize("delimiter", list(",;\t|"))
def test_the_delimiter_is_found_also_beside_others(delimiter):
    rows = [["name", "price", "note"], ["Oak", "1,50", "a;b"], ["Elm", "2,50", "c|d"], ["Ash", "3", "e"]]
    quoted = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)
    assert sniff_delimiter(quoted) == delimiter


def test_quoted_cells_keep_their_line_breaks_and_delimiters():
    document = read_document(b'sep=,\nname,note\nOak,"tall,\nold"\nElm,"said ""no"""\n', "a.csv")
    assert texts(document) == ["name: Oak; note: tall, old", 'name: Elm; note: said "no"']


def test_a_table_of_many_rows_is_found_row_by_row_with_its_header():
    rows = "".join(f"K-{number:05},Street {number},{number % 90}\n" for number in range(3500))
    document = read_document(f"customer,address,days\n{rows}".encode(), "a.csv")
    chunks = chunk_document(document, lambda texts: [len(text) // 4 for text in texts])
    assert len(chunks) == 3500
    assert chunks[1234].text == "customer: K-01234; address: Street 1234; days: 64"


def test_a_table_of_few_rows_stays_together():
    document = read_document(b"plan,price\nSmall,1\nLarge,2\n", "a.csv")
    assert len(chunk_document(document, lambda texts: [len(text) // 4 for text in texts])) == 1


def test_a_file_is_what_is_inside_whatever_it_is_called(manual, slides, fleet):
    for file, format in ((manual, "docx"), (slides, "pptx"), (fleet, "xlsx")):
        assert read_document(saved(file), "wrong.pdf").format == format


@pytest.mark.parametrize("kind", ["manual", "slides", "fleet"])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.98])
def test_a_file_that_was_cut_off_is_damaged(request, kind, share):
    data = saved(request.getfixturevalue(kind))
    with pytest.raises(DocumentCorrupt):
        read_document(data[: int(len(data) * share)], f"a.{kind}")


@pytest.mark.parametrize(
    "kind, part",
    [
        ("manual", "word/document.xml"),
        ("slides", "ppt/presentation.xml"),
        ("slides", "ppt/slides/slide1.xml"),
        ("fleet", "xl/workbook.xml"),
    ],
)
@pytest.mark.parametrize("junk", [b"", b"<a", b"\x00\xff", b"<a xmlns='x'><b/></a>"])
def test_a_part_that_is_junk_is_damage(request, kind, part, junk):
    data = with_part(saved(request.getfixturevalue(kind)), part, lambda _: junk)
    with pytest.raises((DocumentCorrupt, DocumentWithoutText)):
        read_document(data, "a.bin")


@pytest.mark.parametrize(
    "kind, part",
    [
        ("manual", "word/document.xml"),
        ("slides", "ppt/slides/slide1.xml"),
        ("fleet", "xl/worksheets/sheet1.xml"),
    ],
)
def test_entities_reach_no_file_and_do_not_multiply(request, kind, part, tmp_path):
    (tmp_path / "secret").write_text("sesame")
    layers = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    hostile = (
        f'<!DOCTYPE x [<!ENTITY f SYSTEM "file://{tmp_path}/secret"><!ENTITY e0 "ha">{layers}]>'.encode()
    )

    def change(xml):
        body = xml.partition(b"?>")[2] if xml.startswith(b"<?xml") else xml
        return hostile + body.replace(b"Ward A", b"&f;&e9;").replace(b"Novels", b"&f;&e9;").replace(
            b"Van", b"&f;&e9;"
        )

    data = with_part(saved(request.getfixturevalue(kind)), part, change)
    try:
        text = read_document(data, "a.bin").text
    except (DocumentCorrupt, DocumentWithoutText):
        return
    assert "sesame" not in text and "hahaha" not in text


def test_an_archive_that_claims_too_much_is_a_bomb(manual):
    data = with_part(saved(manual), "word/document.xml", lambda _: bytes(310_000_000))
    assert len(data) < 2_000_000
    with pytest.raises(DocumentBomb):
        read_document(data, "a.docx")


def test_macros_are_left_alone(fleet):
    data = io.BytesIO(saved(fleet))
    with zipfile.ZipFile(data, "a") as archive:
        archive.writestr("xl/vbaProject.bin", b"\xcc\x61 would do harm")
    assert "Van" in read_document(data.getvalue(), "a.xlsm").text


@pytest.mark.parametrize(
    "stream, error, match",
    [
        ("EncryptedPackage", DocumentEncrypted, "password"),
        ("WordDocument", DocumentUnsupported, "old Word document"),
        ("PowerPoint Document", DocumentUnsupported, "old PowerPoint"),
        ("SomethingElse", DocumentUnsupported, "old Office"),
        ("Workbook\0", DocumentCorrupt, "damaged"),
    ],
)
def test_an_old_or_locked_office_file_says_which(stream, error, match):
    with pytest.raises(error, match=match):
        read_document(OLD_OFFICE + bytes(600) + stream.encode("utf-16-le") + bytes(600), "a.docx")


@pytest.mark.parametrize(
    "names, kind",
    [
        (["META-INF/container.xml"], "EPUB"),
        (["photos/a.jpg"], "a ZIP archive"),
        (["word/styles.xml"], "a damaged Word"),
    ],
)
def test_another_archive_says_what_it_is(names, kind):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    with pytest.raises(DocumentUnsupported, match=kind):
        read_document(data.getvalue(), "a.docx")


def test_a_workbook_is_not_called_by_its_first_sheet():
    import io

    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "Sheet1"
    book.active.append(["Colour", "Price"])
    book.active.append(["Red", 12])
    file = io.BytesIO()
    book.save(file)
    assert read_document(file.getvalue(), "Gadget colours.xlsx").title is None
