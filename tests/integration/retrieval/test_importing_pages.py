"""A page or a site becomes documents, and comes again only as far as it has changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernel.errors import Invalid, NotFound
from retrieval import services
from retrieval.adapters.fetch.connecting import FetchPolicy
from retrieval.adapters.fetch.site import HttpSources
from retrieval.domain.errors import SourceAddressRefused, SourceInvalid, SourceUnavailable
from retrieval.models import Chunk, Document, SiteImport
from tenants.scoping import tenant_scope
from tests.unit.retrieval.sites import served


@pytest.fixture
def site():
    with served() as site:
        yield site


@pytest.fixture
def tools(tools, site):
    policy = FetchPolicy(ports=frozenset({site.port}), seconds=5.0, allow_loopback=True)
    open_to_tests = replace(tools, sources=HttpSources(policy), max_upload_bytes=300_000)
    with services.equipped(open_to_tests) as tools:
        yield tools


@pytest.fixture
def bring(corpus, tools, site):
    """Import a page and index it in one go."""

    def bring(path, **options):
        document = services.url_import(corpus_id=corpus.id, url=site.url + path, **options)
        services.document_index(document_id=document.id)
        document.refresh_from_db()
        return document

    return bring


def page(text: str) -> str:
    return f"<html><head><title>Visiting</title></head><body><main><h1>Hours</h1><p>{text}</p></main></body></html>"


def test_a_page_becomes_a_document_with_its_address(bring, site, find):
    site.page("/visits", page("Visitors are welcome from nine."), ETag='"1"')
    document = bring("/visits#hours", tags=["ward"])
    assert (document.state, document.title, document.tags) == ("indexed", "Visiting", ["ward"])
    assert (document.source_url, document.content_type) == (f"{site.url}/visits", "html")
    assert document.fetched_at is not None and document.size > 0
    assert find("visitors welcome")[0].heading_path == ("Hours",)


def test_a_page_that_has_not_changed_is_left_alone(bring, site):
    site.page("/visits", page("From nine."), ETag='"1"')
    before = bring("/visits")
    chunks = set(Chunk.objects.values_list("id", flat=True))
    site.page("/visits", b"", status=304)
    after = bring("/visits")
    assert (after.id, after.state, after.generation) == (before.id, "indexed", before.generation)
    assert set(Chunk.objects.values_list("id", flat=True)) == chunks
    assert dict(site.asked)["/visits"]["if-none-match"] == '"1"'


def test_a_page_that_is_sent_again_unchanged_is_not_indexed_again(bring, site):
    site.page("/visits", page("From nine."))
    bring("/visits")
    chunks = set(Chunk.objects.values_list("id", flat=True))
    assert bring("/visits").state == "indexed"
    assert set(Chunk.objects.values_list("id", flat=True)) == chunks


def test_a_page_that_has_changed_replaces_its_passages(bring, site, find, tools):
    site.page("/visits", page("From nine."), ETag='"1"')
    old_file = bring("/visits", title="Hours of visit").blob_key
    site.page("/visits", page("From eleven."), ETag='"2"')
    document = bring("/visits")
    assert [chunk.text for chunk in Chunk.objects.all()] == ["From eleven."]
    assert (document.title, document.source_etag) == ("Hours of visit", '"2"')
    assert document.blob_key != old_file
    assert Document.objects.count() == 1


def test_a_page_that_went_away_says_so_and_stays_searchable_until_it_is_deleted(bring, site, find):
    site.page("/visits", page("From nine."))
    bring("/visits")
    del site.paths["/visits"]
    document = bring("/visits")
    assert (document.state, document.reason_code) == ("failed", "source_missing")
    assert document.is_searchable and find("nine")


def test_after_a_failure_the_page_is_read_whole_again(bring, site, find):
    """What was fetched but could not be indexed is not taken for what is in searches."""
    site.page("/visits", page("From nine."), ETag='"1"')
    bring("/visits")
    site.page("/visits", b"\x7fELF" + bytes(99), ETag='"2"')
    assert bring("/visits").reason_code == "document_unsupported"
    document = bring("/visits")
    assert document.reason_code == "document_unsupported"
    assert "if-none-match" not in site.asked[-1][1]
    site.page("/visits", page("From nine."), ETag='"3"')
    assert bring("/visits").state == "indexed"


def test_retrying_a_page_fetches_it(bring, site):
    assert bring("/visits").reason_code == "source_missing"
    site.page("/visits", page("From nine."))
    document = Document.objects.get()
    services.document_retry(document_id=document.id)
    services.document_index(document_id=document.id)
    document.refresh_from_db()
    assert document.state == "indexed"


def test_a_busy_site_is_asked_again_later(bring, site, corpus):
    site.page("/visits", "busy", status=503)
    with pytest.raises(SourceUnavailable):
        bring("/visits")
    document = Document.objects.get()
    assert (document.state, document.reason_code, document.failures) == ("queued", "source_unavailable", 1)
    site.page("/visits", page("From nine."))
    services.document_index(document_id=document.id)
    document.refresh_from_db()
    assert (document.state, document.reason, document.failures) == ("indexed", "", 0)


@pytest.mark.parametrize(
    "body, type, code",
    [
        (b"", "text/html", "document_empty"),
        (b"x" * 400_000, "text/html", "document_too_large"),
        (b"PK\x03\x04garbage", "application/zip", "document_unsupported"),
        (b"<html><body><nav>only links</nav></body></html>", "text/html", "document_without_text"),
    ],
)
def test_what_is_fetched_is_judged_like_an_upload(bring, site, body, type, code):
    site.page("/x", body, type=type)
    document = bring("/x")
    assert (document.state, document.reason_code) == ("failed", code)
    assert document.reason.endswith(".")


def test_other_formats_than_html_are_read_by_their_content(bring, site):
    site.page("/notes", "One line.\n\nAnother line.", type="text/plain; charset=utf-8")
    assert bring("/notes").content_type == "text"
    site.page("/list", "Name;Beds\nA;12\nB;9\n", type="text/csv")
    assert bring("/list").content_type == "csv"


@pytest.mark.parametrize(
    "url, error", [("file:///etc/passwd", SourceInvalid), ("http://169.254.169.254/", SourceAddressRefused)]
)
def test_what_may_never_be_fetched_is_not_even_queued(corpus, tools, site, url, error):
    policy = FetchPolicy()
    with services.equipped(replace(tools, sources=HttpSources(policy))), pytest.raises(error):
        services.url_import(corpus_id=corpus.id, url=url)
    assert Document.objects.count() == 0


def test_a_redirect_into_this_machine_ends_in_a_reason(bring, site, tools):
    site.page("/door", b"", status=302, Location="http://10.1.2.3/admin")
    assert bring("/door").reason_code in ("source_port_refused", "source_address_refused")


def test_only_a_page_can_be_refreshed(add, bring, site):
    with pytest.raises(Invalid):
        services.source_refresh(document_id=add("a.md", "Text.").id)
    site.page("/visits", page("From nine."))
    assert services.source_refresh(document_id=bring("/visits").id).is_unfinished


def test_the_rival_sees_neither_pages_nor_imports(bring, site, corpus, rival):
    site.page("/visits", page("From nine."))
    document = bring("/visits")
    wanted = services.sitemap_import(corpus_id=corpus.id, url=f"{site.url}/map.xml")
    with tenant_scope(rival.id):
        assert Document.objects.count() == SiteImport.objects.count() == 0
        for attempt in (
            lambda: services.url_import(corpus_id=corpus.id, url=f"{site.url}/visits"),
            lambda: services.sitemap_import(corpus_id=corpus.id, url=f"{site.url}/map.xml"),
            lambda: services.source_refresh(document_id=document.id),
            lambda: services.site_import_progress(import_id=wanted.id),
            lambda: services.site_import_retry(import_id=wanted.id),
            lambda: services.site_import_dismiss(import_id=wanted.id),
        ):
            with pytest.raises(NotFound):
                attempt()
        assert services.site_import_read(import_id=wanted.id) == []


def sitemap(site, *paths: str) -> None:
    entries = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in paths)
    site.page("/map.xml", f"<urlset>{entries}</urlset>")


def read(corpus, site, **options):
    wanted = services.sitemap_import(corpus_id=corpus.id, url=f"{site.url}/map.xml", **options)
    pages = services.site_import_read(import_id=wanted.id)
    for document_id in pages:
        services.document_index(document_id=document_id)
    wanted.refresh_from_db()
    return wanted, pages


def test_a_sitemap_leaves_one_document_for_each_page_with_progress(corpus, site, tools):
    sitemap(site, "/a", "/b", "/gone")
    site.page("/a", page("A."))
    site.page("/b", page("B."))
    wanted = services.sitemap_import(corpus_id=corpus.id, url=f"{site.url}/map.xml", tags=["site"])
    pages = services.site_import_read(import_id=wanted.id)
    progress = services.site_import_progress(import_id=wanted.id)
    assert (progress.listed, progress.taken, progress.waiting, progress.is_unfinished) == (3, 3, 3, True)
    for document_id in pages:
        services.document_index(document_id=document_id)
    progress = services.site_import_progress(import_id=wanted.id)
    assert (progress.indexed, progress.failed, progress.is_unfinished) == (2, 1, False)
    assert {tuple(tags) for tags in Document.objects.values_list("tags", flat=True)} == {("site",)}


def test_reading_a_sitemap_again_doubles_nothing(corpus, site, tools):
    sitemap(site, "/a", "/b")
    site.page("/a", page("A."))
    site.page("/b", page("B."))
    first, _ = read(corpus, site)
    assert services.site_import_read(import_id=first.id) == []
    second, _ = read(corpus, site)
    assert Document.objects.count() == 2
    assert set(Document.objects.values_list("site_import_id", flat=True)) == {second.id}


def test_a_limit_holds_and_says_how_many_there_were(corpus, site, tools):
    sitemap(site, *(f"/{number}" for number in range(9)))
    wanted, pages = read(corpus, site, page_limit=4)
    assert (len(pages), wanted.pages_taken, wanted.pages_listed) == (4, 4, 9)
    with pytest.raises(Invalid):
        services.sitemap_import(corpus_id=corpus.id, url=f"{site.url}/map.xml", page_limit=0)


def test_a_sitemap_that_is_none_ends_in_a_reason(corpus, site, tools):
    site.page("/map.xml", page("No list."))
    wanted, pages = read(corpus, site)
    assert (wanted.state, wanted.reason_code, pages) == ("failed", "sitemap_invalid", [])
    assert wanted.reason.endswith(".")


def test_an_import_whose_worker_died_is_taken_up_again(corpus, site, tools, monkeypatch):
    sitemap(site, "/a")

    class Killed(BaseException):
        pass

    def killed(*arguments):
        raise Killed

    wanted = services.sitemap_import(corpus_id=corpus.id, url=f"{site.url}/map.xml")
    monkeypatch.setattr("retrieval.services.imports._queue_pages", killed)
    with pytest.raises(Killed):
        services.site_import_read(import_id=wanted.id)
    monkeypatch.undo()
    assert services.site_import_read(import_id=wanted.id) == [], "the lease is still held"
    SiteImport.objects.update(lease_until="2000-01-01T00:00Z")
    assert services.site_imports_due() == [wanted.id]
    assert len(services.site_import_read(import_id=wanted.id)) == 1
    assert Document.objects.count() == 1


def test_an_import_that_failed_is_tried_again(corpus, site, tools):
    site.page("/map.xml", page("No list."))
    wanted, _ = read(corpus, site)
    assert wanted.can_be_retried
    sitemap(site, "/a")
    again = services.site_import_retry(import_id=wanted.id)
    assert (again.state, again.reason, again.can_be_retried, again.is_unread) == ("queued", "", False, True)
    assert len(services.site_import_read(import_id=wanted.id)) == 1
    listed = services.site_import_retry(import_id=wanted.id)
    assert (listed.state, listed.pages_taken) == ("listed", 1)


def test_an_import_that_has_ended_is_dismissed_and_its_pages_stay(corpus, site, tools):
    sitemap(site, "/a")
    wanted = services.sitemap_import(corpus_id=corpus.id, url=f"{site.url}/map.xml")
    with pytest.raises(Invalid):
        services.site_import_dismiss(import_id=wanted.id)
    services.site_import_read(import_id=wanted.id)
    services.site_import_dismiss(import_id=wanted.id)
    assert SiteImport.objects.count() == 0
    assert Document.objects.get().source_url == f"{site.url}/a"
    with pytest.raises(NotFound):
        services.site_import_progress(import_id=wanted.id)


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "[::ffff:169.254.169.254]", "db.internal"])
def test_a_private_address_in_any_notation_queues_nothing(corpus, tools, host):
    closed = replace(tools, sources=HttpSources())
    with services.equipped(closed):
        for attempt in (services.url_import, services.sitemap_import):
            with pytest.raises(SourceAddressRefused):
                attempt(corpus_id=corpus.id, url=f"http://{host}/")
    assert Document.objects.count() == SiteImport.objects.count() == 0
