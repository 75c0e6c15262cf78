"""Before a file is stored, one look says whether any reader is for it."""

from __future__ import annotations

import io
import random
import zipfile
from contextlib import suppress

import pytest

from retrieval.adapters.converters.sandbox import SandboxedConverter
from retrieval.adapters.converters.sniff import ENTRIES_LIMIT, refuse_unreadable, sniff
from retrieval.domain.errors import (
    READABLE,
    DocumentBinary,
    DocumentBomb,
    DocumentUnsupported,
)
from tests.unit.retrieval.test_mutated_files import SAMPLES, mutated

PNG = b"\x89PNG\r\n\x1a\n" + bytes(99)
NAMES = ("a.pdf", "a.docx", "a.txt", "a.md", "a.csv", "a.html", "a")


def packed(**entries: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "data, kind",
    [
        (PNG, "a PNG image"),
        (packed(notes=b"text"), "a ZIP archive"),
        (b"\x7fELF" + bytes(99), "a program"),
        (b"\x1f\x8b" + bytes(99), "a gzip archive"),
        (b"{\\rtf1 text}", "a Rich Text (RTF) document"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_reader_is_for_is_refused_whatever_its_name(name, data, kind):
    with pytest.raises(DocumentUnsupported) as refused:
        SandboxedConverter().check(data, filename=name)
    assert refused.value.extra == {"kind": kind, "readable": list(READABLE)}


@pytest.mark.parametrize("name", NAMES)
def test_bytes_that_are_nothing_known_and_no_text_are_refused(name):
    with pytest.raises(DocumentBinary) as refused:
        refuse_unreadable(bytes(range(256)) * 40, name)
    assert name in refused.value.message


@pytest.mark.parametrize("error", [DocumentUnsupported(kind="x"), DocumentBinary(filename="x")])
def test_the_refusal_lists_everything_that_can_be_read(error):
    assert all(kind in error.message for kind in READABLE)


@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a.zip"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_readable_is_let_in_whatever_its_name(sample, name):
    refuse_unreadable(SAMPLES[sample](), name)


@pytest.mark.parametrize("text", ["Grüße", "<p>Grüße</p>"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "utf-16-le", "utf-32"])
def test_texts_in_every_encoding_are_let_in(encoding, text):
    refuse_unreadable((text * 30).encode(encoding), "a.html")


@pytest.mark.parametrize(
    "data",
    [b"", b"%PDF-1.7\nnothing", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")],
    ids=["empty", "damaged", "locked"],
)
def test_what_else_may_be_wrong_is_left_to_the_reader(data):
    refuse_unreadable(data, "a.pdf")


def test_an_archive_of_more_entries_than_a_document_has_is_not_opened_at_the_door():
    crowd = b"PK\x03\x04" + b"PK\x01\x02" * (ENTRIES_LIMIT + 1)
    with pytest.raises(DocumentBomb):
        sniff(crowd, "a.docx")
    refuse_unreadable(crowd, "a.docx")


def test_a_mark_that_unpacks_to_very_much_is_read_no_further_than_needed():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("mimetype", "w") as entry:
        for _ in range(250):
            entry.write(bytes(1_000_000))
    with pytest.raises(DocumentUnsupported):
        refuse_unreadable(out.getvalue(), "a.ods")


@pytest.mark.parametrize("sample", SAMPLES)
def test_whatever_is_broken_is_let_in_or_refused_as_not_readable(sample):
    rng, data = random.Random(7), SAMPLES[sample]()
    for _ in range(60):
        with suppress(DocumentUnsupported, DocumentBinary):
            refuse_unreadable(mutated(data, rng), sample)
