"""Pages and whole sites come in by their address, and their progress stands above the documents."""

from __future__ import annotations

import re

import pytest

from kernel.clock import now
from retrieval.models import Document, SiteImport
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db
PAGE = "https://8.8.8.8/guide/returns"


@pytest.fixture(autouse=True)
def sites(monkeypatch):
    """Imports of sites that were handed to the worker."""
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr("admin_ui.imports.site_import_task.delay", lambda *ids: sent.append(ids))
    return sent


@pytest.fixture
def editor(scoped, browser):
    return browser(scoped, "editor")


def told(console, path="documents/") -> str:
    return re.sub(r"\s+", " ", console.get(path).content.decode())


def made_site(corpus, *states: str, **fields) -> SiteImport:
    site = SiteImport.objects.create(
        corpus=corpus, url="https://library.example/sitemap.xml", page_limit=9, queued_at=now(), **fields
    )
    for n, state in enumerate(states):
        url = f"https://library.example/{n}"
        make_document(corpus, f"Page {n} of {site.pk}", state=state, source_url=url, site_import=site)
    return site


def test_a_page_is_queued_and_told(scoped, corpus, editor, queued, sites, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        answer = editor.post("documents/import", {"url": PAGE, "what": "page", "corpus": str(corpus.pk)})
    assert answer.status_code == 302
    document = Document.objects.get()
    assert (document.source_url, document.corpus_id, document.restricted) == (PAGE, corpus.pk, False)
    assert queued == [(str(scoped.pk), str(document.pk))]
    assert sites == []
    assert "is being fetched" in told(editor)


def test_a_site_is_queued_with_its_limit(scoped, corpus, editor, sites, django_capture_on_commit_callbacks):
    form = {"url": "8.8.8.8/sitemap.xml", "what": "site", "limit": "7", "corpus": str(corpus.pk)}
    with django_capture_on_commit_callbacks(execute=True):
        editor.post("documents/import", {**form, "restricted": "yes"})
    site = SiteImport.objects.get()
    assert (site.url, site.page_limit, site.restricted) == ("https://8.8.8.8/sitemap.xml", 7, True)
    assert sites == [(str(scoped.pk), str(site.pk))]


def test_the_first_import_makes_the_first_corpus(scoped, editor):
    editor.post("documents/import", {"url": PAGE})
    assert Document.objects.get().corpus.name == "Documents"


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"url": "   "},
        {"url": "ftp://8.8.8.8/x"},
        {"url": "javascript:alert(1)"},
        {"url": "http://127.0.0.1/secrets"},
        {"url": "http://[::1]/secrets"},
        {"url": PAGE, "corpus": "nowhere"},
        {"url": PAGE, "corpus": "00000000-0000-0000-0000-000000000001"},
        {"url": PAGE, "what": "site", "limit": "0"},
        {"url": PAGE, "what": "site", "limit": "many"},
    ],
)
def test_what_cannot_be_imported_is_told_and_leaves_nothing(scoped, editor, form):
    assert editor.post("documents/import", form).status_code == 302
    assert 'data-level="error"' in told(editor)
    assert not Document.objects.exists()
    assert not SiteImport.objects.exists()


def test_an_analyst_imports_nothing_and_sees_no_form(scoped, corpus, browser):
    analyst = browser(scoped, "analyst")
    made_site(corpus, "queued")
    assert analyst.post("documents/import", {"url": PAGE}).status_code == 403
    page = told(analyst)
    assert "documents/import" not in page
    assert "library.example" not in page
    assert Document.objects.count() == 1


def test_the_progress_of_a_site_refreshes_with_the_list(scoped, corpus, editor):
    made_site(corpus, "indexed", "failed", "queued", state="listed", pages_listed=12, pages_taken=3)
    part = told(editor, "documents/?part=list")
    assert "1 of 3 pages searchable" in part
    assert "1 not readable" in part
    assert "9 more in the sitemap" in part
    assert ">importing" in part
    assert 'data-in-flight="2"' in part  # the page that waits, and its site


def test_a_sitemap_that_is_being_read_keeps_the_list_fresh(scoped, corpus, editor):
    made_site(corpus, state="reading")
    part = told(editor, "documents/?part=list")
    assert "Looking for its pages" in part
    assert 'data-in-flight="1"' in part


def test_a_sitemap_that_failed_says_why(scoped, corpus, editor):
    made_site(corpus, state="failed", reason="The address leads to no sitemap.")
    part = told(editor, "documents/?part=list")
    assert "The address leads to no sitemap." in part
    assert 'data-in-flight="0"' in part


def test_a_page_shows_where_it_is_from_and_is_fetched_again(scoped, corpus, editor, queued):
    document = make_document(corpus, "Returns", source_url=PAGE)
    page = told(editor, f"documents/{document.pk}/")
    assert f'href="{PAGE}"' in page
    assert "8.8.8.8/guide/returns" in told(editor)
    assert editor.post(f"documents/{document.pk}/refresh").status_code == 302
    document.refresh_from_db()
    assert document.state == "queued"
    assert document.fetch_due


def test_an_upload_has_no_address_to_fetch_again(scoped, corpus, editor):
    document = make_document(corpus, "Returns")
    assert f"{document.pk}/refresh" not in told(editor, f"documents/{document.pk}/")
    editor.post(f"documents/{document.pk}/refresh")
    assert "there is no address to fetch it from" in told(editor)


def test_an_address_that_is_no_web_address_is_never_a_link(scoped, corpus, editor):
    document = make_document(corpus, "Odd", source_url="javascript:alert(1)")
    assert 'href="javascript' not in told(editor, f"documents/{document.pk}/")


def test_a_rival_sees_and_refreshes_nothing(scoped, corpus, rival, browser):
    made_site(corpus, "indexed", state="listed", pages_taken=1)
    document = Document.objects.get()
    stranger = browser(rival, "owner")
    assert "library.example" not in told(stranger)
    assert stranger.post(f"documents/{document.pk}/refresh").status_code in (302, 404)
    assert stranger.post("documents/import", {"url": PAGE, "corpus": str(corpus.pk)}).status_code == 302
    document.refresh_from_db()
    assert document.state == "indexed"
    assert Document.objects.count() == 1


def test_the_form_offers_every_format_that_is_read(scoped, corpus, editor):
    page = told(editor)
    offered = re.search(r'accept="([^"]+)"', page)[1].split(",")  # type: ignore[index]
    assert {".pdf", ".docx", ".pptx", ".xlsx", ".xls", ".ods", ".csv", ".tsv", ".html", ".md", ".txt"} <= {
        *offered
    }
    assert "PDF, Word, PowerPoint, Excel" in page
