"""Documents are uploaded, watched, retried and deleted in the browser."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.models import Corpus, CorpusGroupPermission, Document, DocumentState
from retrieval.services import corpus_grant, document_grant
from tenants.models import Audience
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db


def file(name: str, data: bytes = b"# Hello\n\nWorld") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def sent(answer) -> list[dict]:
    assert answer.status_code == 200, answer.content
    return json.loads(answer.content)["files"]


@pytest.fixture
def upload(scoped, browser, django_capture_on_commit_callbacks):
    """Sends files as the page's script does."""
    editor = browser(scoped, "editor")

    def send(*files, **fields):
        with django_capture_on_commit_callbacks(execute=True):
            return editor.post("documents/upload", {"files": files, **fields}, HTTP_ACCEPT="application/json")

    return send


def test_it_stores_several_files_and_queues_each(scoped, corpus, upload, queued):
    results = sent(upload(file("a.md"), file("b.txt"), corpus=corpus.pk, restricted="no"))
    assert [(r["filename"], r["ok"]) for r in results] == [("a.md", True), ("b.txt", True)]
    documents = Document.objects.order_by("filename")
    assert [d.state for d in documents] == [DocumentState.QUEUED] * 2
    assert queued == [(str(scoped.id), str(d.pk)) for d in documents]


def test_it_remembers_who_sent_it_and_that_it_is_restricted(corpus, upload):
    upload(file("a.md"), corpus=corpus.pk, restricted="yes")
    document = Document.objects.get()
    assert document.restricted
    assert document.uploaded_by.name == "Editor"


def test_what_no_reader_is_for_is_refused_at_once_and_leaves_nothing_behind(corpus, upload, queued):
    scan, pdf = file("scan.pdf", b"\x89PNG\r\n\x1a\n" + bytes(99)), file("real.txt", b"%PDF-1.7\n")
    results = sent(upload(scan, file("good.md"), pdf, corpus=corpus.pk))
    assert [(r["ok"], r["code"]) for r in results] == [
        (False, "document_unsupported"),
        (True, ""),
        (True, ""),
    ]
    assert "a PNG image" in results[0]["message"] and "PDF, DOCX, PPTX" in results[0]["message"]
    assert sorted(Document.objects.values_list("filename", flat=True)) == ["good.md", "real.txt"]
    assert len(queued) == 2


def test_it_says_what_is_wrong_with_one_file_and_takes_the_others(corpus, upload, queued):
    results = sent(upload(file("empty.md", b""), file("good.md"), corpus=corpus.pk))
    assert [r["ok"] for r in results] == [False, True]
    assert "0 bytes" in results[0]["message"]
    assert len(queued) == 1


def test_it_refuses_a_file_that_is_too_large_before_reading_it(corpus, upload, settings):
    settings.ANTECEDENT = {**settings.ANTECEDENT, "MAX_UPLOAD_BYTES": 1024 * 1024}
    results = sent(upload(file("big.md", b"x" * 1024 * 1100), corpus=corpus.pk))
    assert not results[0]["ok"]
    assert "1 MB" in results[0]["message"]
    assert not Document.objects.exists()


def test_it_does_nothing_twice_for_the_same_file(corpus, upload, queued):
    first = sent(upload(file("a.md"), corpus=corpus.pk))[0]
    Document.objects.update(state=DocumentState.INDEXED, generation=1)
    again = sent(upload(file("a.md"), corpus=corpus.pk))[0]
    assert again["document_id"] == first["document_id"]
    assert again["message"] == "Unchanged: the same file is here already."
    assert len(queued) == 1


def test_replacing_with_the_forms_defaults_keeps_a_document_restricted_and_says_so(corpus, upload):
    upload(file("a.md"), corpus=corpus.pk, restricted="yes")
    again = sent(upload(file("a.md", b"Changed."), corpus=corpus.pk, restricted="no"))[0]
    assert Document.objects.get().restricted
    assert again["what"] == "Replaces “a”. It stays restricted."


@pytest.mark.parametrize("data", [b"Changed.", b"# Hello\n\nWorld"])
def test_only_a_field_of_its_own_opens_what_is_restricted(corpus, upload, data):
    upload(file("a.md"), corpus=corpus.pk, restricted="yes")
    again = sent(upload(file("a.md", data), corpus=corpus.pk, restricted="no", open_restricted="yes"))[0]
    assert not Document.objects.get().restricted
    assert "no longer restricted" in again["message"]


def test_the_same_file_sent_as_restricted_becomes_so(corpus, upload):
    upload(file("a.md"), corpus=corpus.pk)
    again = sent(upload(file("a.md"), corpus=corpus.pk, restricted="yes"))[0]
    assert Document.objects.get().restricted
    assert again["message"].startswith("Unchanged: the same file is here already. It is restricted.")


@pytest.mark.parametrize("fields", [{}, {"corpus": "not-an-id", "files": True}])
def test_it_answers_a_bad_form_in_the_products_one_shape(scoped, corpus, browser, fields):
    data = {**fields, "files": [file("a.md")]} if "files" in fields else fields
    answer = browser(scoped, "editor").post("documents/upload", data, HTTP_ACCEPT="application/json")
    assert answer.status_code == 400
    assert json.loads(answer.content)["error"]["code"] == "invalid"


def test_it_does_not_find_the_rivals_corpus(scoped, rival, upload):
    from tenants.scoping import tenant_scope

    with tenant_scope(rival.id):
        theirs = Corpus.objects.create(name="Theirs", slug="theirs")
    assert not sent(upload(file("a.md"), corpus=theirs.pk))[0]["ok"]
    with tenant_scope(rival.id):
        assert not Document.objects.exists()


def test_a_first_upload_makes_a_corpus_for_the_members(scoped, upload):
    assert sent(upload(file("a.md")))[0]["ok"]
    corpus = Corpus.objects.get()
    members = Audience.objects.get(slug="members")
    assert CorpusGroupPermission.objects.get(content_object=corpus).group_id == members.group_id


def test_it_works_without_a_script(scoped, corpus, browser):
    editor = browser(scoped, "editor")
    data = {"files": [file("a.md"), file("empty.md", b"")], "corpus": corpus.pk, "restricted": "no"}
    answer = editor.post("documents/upload", data)
    assert answer.status_code == 302
    page = editor.get("documents/").content.decode()
    assert "a.md: New. It will be searchable in a moment." in page
    assert "empty.md: The file is empty" in page


def test_the_list_shows_the_state_and_the_plain_reason(scoped, corpus, browser):
    make_document(corpus, "Ready")
    make_document(corpus, "Halfway", state=DocumentState.EMBEDDING, progress=0.42)
    make_document(
        corpus, "Locked", state=DocumentState.FAILED, reason="The file is protected with a password."
    )
    page = browser(scoped, "analyst", member_of=scoped).get("documents/").content.decode()
    assert "Locked" not in page, "an analyst sees only what is granted"
    page = browser(scoped, "owner").get("documents/").content.decode()
    assert 'value="42"' in page
    assert "The file is protected with a password." in page
    assert 'data-in-flight="1"' in page


def test_rows_of_files_of_the_same_name_can_be_told_apart(scoped, corpus, browser):
    for ending in ("zip", "pdf", "md"):
        document = make_document(corpus, f"bomb{ending}", state=DocumentState.FAILED, reason=f"No {ending}.")
        Document.objects.filter(pk=document.pk).update(title="bomb", filename=f"bomb.{ending}")
    owner = browser(scoped, "owner")
    for page in (owner.get("documents/"), owner.get("")):
        text = page.content.decode()
        for ending in ("zip", "pdf", "md"):
            assert f"<small>Product · bomb.{ending}" in text
            assert f"No {ending}." in text


def test_a_part_of_the_page_is_enough_to_stay_fresh(scoped, corpus, browser):
    make_document(corpus, "Ready")
    part = browser(scoped, "owner").get("documents/?part=list").content.decode()
    assert "<html" not in part
    assert 'data-in-flight="0"' in part
    assert "Ready" in part


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=alp", {"Alpha"}),
        ("state=failed", {"Beta"}),
        ("state=unfinished", {"Gamma"}),
        ("corpus={other}", {"Beta"}),
        ("corpus=nonsense", {"Alpha", "Beta", "Gamma"}),
        ("q=nothing+like+it", set()),
        ("page=999", {"Alpha", "Beta", "Gamma"}),
    ],
)
def test_the_list_can_be_narrowed(scoped, corpus, browser, query, found):
    other = Corpus.objects.create(name="Other", slug="other")
    make_document(corpus, "Alpha")
    make_document(other, "Beta", state=DocumentState.FAILED)
    make_document(corpus, "Gamma", state=DocumentState.QUEUED)
    page = (
        browser(scoped, "owner").get(f"documents/?part=list&{query.format(other=other.pk)}").content.decode()
    )
    assert {title for title in ("Alpha", "Beta", "Gamma") if f"<strong>{title}" in page} == found


def test_a_document_shows_its_passages_and_who_may_see_it(scoped, corpus, browser):
    document = make_document(corpus, "Regions", chunks=3)
    everyone = Audience.objects.get(slug="everyone")
    corpus_grant(corpus_id=corpus.pk, group_id=everyone.group_id)
    page = browser(scoped, "analyst").get(f"documents/{document.pk}/").content.decode()
    assert "<span>Part 2</span>" in page
    assert "14 tokens" in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page
    assert "<b>Everyone</b><small>by the corpus Product</small>" in page


def test_a_restricted_document_names_only_its_own_grants(scoped, corpus, browser):
    document = make_document(corpus, "Salaries", restricted=True)
    everyone, members = (Audience.objects.get(slug=slug) for slug in ("everyone", "members"))
    corpus_grant(corpus_id=corpus.pk, group_id=everyone.group_id)
    analyst = browser(scoped, "analyst")
    assert analyst.get(f"documents/{document.pk}/").status_code == 404
    assert "Salaries" not in analyst.get("documents/").content.decode()
    document_grant(document_id=document.pk, group_id=members.group_id)
    page = analyst.get(f"documents/{document.pk}/").content.decode()
    assert "<b>Members</b><small>by a grant of its own</small>" in page
    assert "<b>Everyone</b>" not in page


def test_a_failed_document_can_be_tried_again(
    scoped, corpus, browser, queued, django_capture_on_commit_callbacks
):
    document = make_document(corpus, "Beta", state=DocumentState.FAILED, blob_key="kept", reason="Damaged.")
    with django_capture_on_commit_callbacks(execute=True):
        browser(scoped, "editor").post(f"documents/{document.pk}/retry")
    document.refresh_from_db()
    assert (document.state, document.reason) == (DocumentState.QUEUED, "")
    assert queued == [(str(scoped.id), str(document.pk))]


def test_it_says_when_there_is_no_file_to_try_again_with(scoped, corpus, browser):
    document = make_document(corpus, "Beta", state=DocumentState.FAILED)
    editor = browser(scoped, "editor")
    editor.post(f"documents/{document.pk}/retry")
    assert "no longer stored" in editor.get(f"documents/{document.pk}/").content.decode()
