"""Whatever is uploaded ends as ready with passages, or as failed with a plain reason."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from kernel.errors import Invalid, NotFound
from retrieval import services
from retrieval.domain.errors import DocumentFileMissing, RetryUseless
from retrieval.models import Chunk, Document


def encrypted_pdf():
    import pypdf

    writer = pypdf.PdfWriter()
    writer.add_blank_page(200, 200)
    writer.encrypt("secret", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


@pytest.mark.parametrize(
    "filename, data, code",
    [
        ("zero.md", b"", "document_empty"),
        ("blank.txt", b" \n ", "document_without_text"),
        ("locked.pdf", encrypted_pdf(), "document_encrypted"),
        ("cut-off.pdf", b"%PDF-1.7\nnothing", "document_corrupt"),
        ("huge.txt", b"word " * 6_000_000, "document_too_large"),
    ],
    ids=["zero", "blank", "locked", "cut off", "huge"],
)
def test_a_file_that_cannot_be_read_says_why(add, filename, data, code):
    document = add(filename, data)
    assert (document.state, document.reason_code, document.chunk_count) == ("failed", code, 0)
    assert document.reason.endswith(".")
    assert not document.is_searchable
    assert Chunk.objects.count() == 0


@pytest.mark.parametrize("encoding", ["latin-1", "gbk"])
def test_other_encodings_are_read(add, find, encoding):
    text = (
        "Rückgabe großer Möbel für Käufer"
        if encoding == "latin-1"
        else "退货政策：商品七天内可以无理由退货。"
    )
    document = add("text.txt", text.encode(encoding))
    assert document.state == "indexed"
    assert Chunk.objects.get().text == text


def test_one_bad_file_does_not_hinder_the_next(add):
    assert add("bad.md", b"%PDF-1.7\nnothing").state == "failed"
    assert add("good.md", "Good text.").state == "indexed"


def test_a_document_whose_failure_can_pass_is_retried(add, tools):
    document = add("slow.md", "Text after all.")
    Document.objects.filter(id=document.id).update(
        state="failed", reason_code="document_timeout", reason="Slow."
    )
    again = services.document_retry(document_id=document.id)
    assert (again.state, again.reason) == ("queued", "")
    services.document_index(document_id=document.id)
    document.refresh_from_db()
    assert document.state == "indexed"


@pytest.mark.parametrize("data", [b"%PDF-1.7\nnothing", b""], ids=["damaged", "empty"])
def test_a_file_that_would_fail_again_is_not_retried_and_it_says_why(add, data):
    document = add("bad.md", data)
    with pytest.raises(RetryUseless) as refused:
        services.document_retry(document_id=document.id)
    assert document.reason in refused.value.message
    assert Document.objects.get().state == "failed"


def test_a_file_that_is_no_longer_stored_cannot_be_retried(add):
    document = add("lost.md", "Text.")
    Document.objects.filter(id=document.id).update(
        state="failed", reason_code="document_gave_up", blob_key=""
    )
    with pytest.raises(DocumentFileMissing):
        services.document_retry(document_id=document.id)


def test_a_file_that_got_lost_says_so(corpus, tools):
    document = services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"text")
    tools.blobs.delete(document.blob_key)
    services.document_index(document_id=document.id)
    document.refresh_from_db()
    assert (document.state, document.reason_code) == ("failed", "document_file_missing")


def test_names_are_made_safe(add, corpus):
    assert add("../../etc/pass\x00wd.md", "Text.").filename == "passwd.md"
    assert len(add("x" * 400 + ".md", "Text.").filename) == 255
    with pytest.raises(Invalid):
        services.document_upload(corpus_id=corpus.id, filename=" / ", data=b"x")


def test_a_corpus_must_be_there(corpus, scoped):
    with pytest.raises(NotFound):
        services.document_upload(corpus_id=scoped.id, filename="a.md", data=b"x")


def test_a_replaced_or_deleted_file_is_forgotten(add, corpus, tools, django_capture_on_commit_callbacks):
    first = add("a.md", "One.")
    with django_capture_on_commit_callbacks(execute=True):
        services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"Two.")
    with pytest.raises(DocumentFileMissing):
        tools.blobs.get(first.blob_key)
    second = Document.objects.get()
    assert tools.blobs.get(second.blob_key) == b"Two."
    with django_capture_on_commit_callbacks(execute=True):
        services.document_delete(document_id=second.id)
    with pytest.raises(DocumentFileMissing):
        tools.blobs.get(second.blob_key)


def test_a_larger_limit_can_be_set(corpus, tools):
    with services.equipped(replace(tools, max_upload_bytes=3)):
        document = services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"four")
    assert document.reason_code == "document_too_large"


def test_what_could_not_be_read_of_a_file_is_noted_until_it_is_replaced(add):
    import openpyxl

    def workbook(*rows):
        book, out = openpyxl.Workbook(), io.BytesIO()
        for row in rows:
            book.active.append(row)
        book.save(out)
        return out.getvalue()

    document = add("fleet.xlsx", workbook(["Car", "Days", "Price"], ["Van", 3, "=B2*40"]))
    assert document.state == "indexed" and "(C2)" in document.notes[0]
    replaced = add("fleet.xlsx", workbook(["Car", "Days", "Price"], ["Van", 3, 120]))
    assert (replaced.id, replaced.notes) == (document.id, [])
