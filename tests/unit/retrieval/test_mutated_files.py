"""Files of every format, broken by chance and on purpose: each ends as text or with a reason, within its limits."""

from __future__ import annotations

import io
import os
import random
import zipfile

import pytest

from retrieval.adapters.converters.sandbox import SandboxedConverter
from retrieval.domain.errors import DocumentError
from retrieval.domain.ports import ConversionLimits
from tests.unit.retrieval.test_office_converters import saved

EACH = max(6, int(os.environ.get("ANTECEDENT_FUZZ_EXAMPLES", "0")) // 10)
LIMITS = ConversionLimits(seconds=6, memory_bytes=600_000_000)


def pdf() -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    page = Canvas(file)
    page.drawString(72, 720, "The ward opens at 7 and closes at 22.")
    page.showPage()
    page.save()
    return file.getvalue()


def docx() -> bytes:
    from docx import Document

    made = Document()
    made.add_heading("Ward rules", 1)
    made.add_paragraph("Visitors are welcome from 14 to 18.")
    made.add_table(2, 2).cell(0, 0).text = "Ward"
    return saved(made)


def pptx() -> bytes:
    from pptx import Presentation

    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Fleet"
    slide.placeholders[1].text = "Cars are washed on Mondays."
    return saved(made)


def xlsx() -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    for row in (["Car", "Price"], ["Compact", 40], ["Van", 90]):
        book.active.append(row)
    return saved(book)


SAMPLES = {
    "a.pdf": pdf, "a.docx": docx, "a.pptx": pptx, "a.xlsx": xlsx,
    "a.csv": lambda: b"car,price\ncompact,40\nvan,90\n" * 20,
    "a.html": lambda: b"<html><head><title>T</title></head><body><h1>Wards</h1><p>Open at 7.</p><table><tr><td>a</td></tr></table></body></html>",
    "a.md": lambda: b"# Wards\n\nOpen at 7.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n  - y\n",
    "a.txt": lambda: "Öffnungszeiten: 7 bis 22 Uhr.\n".encode() * 20,
}  # fmt: skip


@pytest.fixture(scope="module")
def converter():
    made = SandboxedConverter(LIMITS)
    yield made
    made.close()


def ends(converter: SandboxedConverter, data: bytes, name: str) -> str:
    """ "text", or the code of the reason."""
    try:
        document = converter.convert(data, filename=name)
    except DocumentError as reason:
        return reason.code
    assert document.text.strip()
    document.text.encode()
    return "text"


def mutated(data: bytes, rng: random.Random) -> bytes:
    broken = bytearray(data)
    kind = rng.randrange(6)
    if kind == 0:
        return bytes(broken[: rng.randrange(len(broken))])
    if kind == 1:
        at = rng.randrange(len(broken))
        return bytes(broken[:at] + broken[at : at + 200] * 30 + broken[at:])
    if kind == 2:
        start = rng.randrange(len(broken))
        broken[start : start + 16] = b"\xff" * 16
        return bytes(broken)
    if kind == 3:
        start = rng.randrange(len(broken))
        del broken[start : start + rng.randrange(1, 64)]
        return bytes(broken)
    for _ in range(rng.randrange(1, 40)):
        broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
    return bytes(broken)


def rewritten(data: bytes, rng: random.Random) -> bytes:
    """A package whose parts are broken and whose frame is not: the fault is met by the reader behind the ZIP."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        victim = rng.choice([n for n in old.namelist() if n.endswith((".xml", ".rels"))])
        for name in old.namelist():
            new.writestr(name, mutated(old.read(name), rng) if name == victim else old.read(name))
    return out.getvalue()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_broken_file_ends_in_a_state(converter, name):
    whole, rng = SAMPLES[name](), random.Random(name)
    assert ends(converter, whole, name) == "text"
    for number in range(EACH):
        is_package = zipfile.is_zipfile(io.BytesIO(whole)) and number % 2
        ends(converter, rewritten(whole, rng) if is_package else mutated(whole, rng), name)


def package(**parts: str) -> bytes:
    """The document of Word with parts of its own."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx())) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, parts.pop(name.rpartition("/")[2].removesuffix(".xml"), "") or old.read(name))
    return out.getvalue()


def laughs() -> str:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{entities}]><x>&l9;</x>'


def far(path: str) -> str:
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "{path}">]><x>&e;</x>'


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
HOSTILE = {
    "entities.docx": lambda: package(document=laughs()),
    "file.docx": lambda: package(document=far("file:///etc/passwd")),
    "deep.docx": lambda: package(
        document=f"<w:document {W}><w:body>{'<w:tbl><w:tr><w:tc>' * 5000}{'</w:tc></w:tr></w:tbl>' * 5000}</w:body></w:document>"
    ),
    "wide.docx": lambda: package(document=f"<w:document {W}><w:body><w:p>{'<w:r/>' * 300_000}</w:p></w:body></w:document>"),
    "spans.html": lambda: b"<table><tr><td rowspan=65534 colspan=1000>a</td></tr>" + b"<tr><td>b</td></tr>" * 300 + b"</table>",
    "deep.html": lambda: b"<div>" * 200_000 + b"words to read",
    "deep.md": lambda: b"> " * 20_000 + b"words\n" + b"[" * 20_000 + b"*_" * 20_000,
    "wide.csv": lambda: b"a," * 200_000 + b"\n" + b"1," * 200_000,
    "quotes.csv": lambda: b'"' * 200_001,
    "media.pdf": lambda: pdf().replace(b"/MediaBox [ 0 0", b"/MediaBox [ 0 9999999999"),
    "pages.pdf": lambda: pdf().replace(b"/Count 1", b"/Count 99999999"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_made_to_hurt_ends_in_a_state(converter, name):
    state = ends(converter, HOSTILE[name](), name)
    assert state == "text" or state.startswith("document_")


def test_a_file_of_the_machine_is_not_read(converter):
    try:
        text = converter.convert(HOSTILE["file.docx"](), filename="file.docx").text
    except DocumentError:
        return
    assert "root:" not in text


def test_a_package_that_unpacks_to_gigabytes_is_refused(converter):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx())) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        for number in range(6):
            new.writestr(f"word/media/{number}.xml", bytes(51_000_000), compresslevel=1)
    assert ends(converter, out.getvalue(), "bomb.docx") == "document_bomb"
