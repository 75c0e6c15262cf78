"""Pages by their address and whole sites by their sitemap."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.errors import NotFound
from kernel.json import JsonObject
from retrieval import services
from retrieval.api.corpora import access_corpus
from retrieval.api.documents import EXAMPLE as DOCUMENT
from retrieval.api.documents import DocumentOutput, Reason, document_as_seen, index_soon, tags_field, uploader
from retrieval.models import SiteImport, SiteImportState
from retrieval.services.imports import PAGE_LIMIT
from retrieval.tasks import site_import_task
from tenants.rest.fields import Flag, Input, Output, Text, Whole, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.scoping import current_tenant_id

TAG = "Imports"
EXAMPLE = {
    "id": "c1c7e3b4-3f0e-4d0a-8f7b-5f3d6a1e2b90",
    "corpus": "6f1c0f0e-8d8a-4b47-9a3e-0a4f6f1b7f10",
    "url": "https://hospital.example/sitemap.xml",
    "state": "listed",
    "reason": None,
    "pages": {"listed": 40, "taken": 40, "indexed": 31, "failed": 1, "waiting": 8},
    "created_at": "2026-11-30T08:15:00Z",
}


class PageInput(Input):
    url = Text(max_length=2000)
    title = Text(max_length=300, required=False, allow_blank=True)
    tags = tags_field()
    restricted = Flag(required=False)


class SitemapInput(Input):
    url = Text(max_length=2000, help_text="Of a sitemap, or of a site's start page.")
    page_limit = Whole(min_value=1, max_value=PAGE_LIMIT, required=False)
    tags = tags_field()
    restricted = Flag(required=False)


class PageCounts(Output):
    listed = serializers.IntegerField(help_text="Pages that the sitemap names.")
    taken = serializers.IntegerField()
    indexed = serializers.IntegerField()
    failed = serializers.IntegerField()
    waiting = serializers.IntegerField()


class ImportOutput(Output):
    id = serializers.UUIDField()
    corpus = serializers.UUIDField(source="corpus_id")
    url = serializers.CharField()
    state = serializers.ChoiceField(SiteImportState.choices)
    reason = serializers.SerializerMethodField(help_text="Why it could not be read.")
    pages = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    @extend_schema_field(Reason(allow_null=True))
    def get_reason(self, site: SiteImport) -> JsonObject | None:
        return {"code": site.reason_code, "message": site.reason} if site.reason_code else None

    @extend_schema_field(PageCounts)
    def get_pages(self, site: SiteImport) -> JsonObject:
        progress = services.site_import_progress(import_id=site.pk)
        counts = asdict(progress) | {"waiting": progress.waiting}
        del counts["state"]
        return counts


def import_as_seen(site: SiteImport) -> JsonObject:
    return shown(ImportOutput(site))


class CorpusPages(ApiView):
    """Pages into a corpus."""

    @operation(
        "Import a page",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        takes=PageInput,
        answers=DocumentOutput,
        status=202,
        repeatable=True,
        description="It is fetched in the background. Private networks are refused, and robots.txt is kept to.",
        sends={"url": "https://hospital.example/visitors", "tags": ["visitors"]},
        example={**DOCUMENT, "state": "queued", "source_url": "https://hospital.example/visitors"},
    )
    def post(self, request: Request, corpus_id: UUID) -> Response:
        corpus, asked = access_corpus(self, corpus_id), self.read(PageInput)
        document = services.url_import(corpus_id=corpus.pk, requested_by=uploader(self), **asked)
        index_soon(document)
        return Response(document_as_seen(document), status=202)


class CorpusSitemaps(ApiView):
    """Sites into a corpus."""

    @operation(
        "Import a site",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        takes=SitemapInput,
        answers=ImportOutput,
        status=202,
        repeatable=True,
        sends={"url": "https://hospital.example/sitemap.xml", "page_limit": 200},
        example={**EXAMPLE, "state": "queued"},
    )
    def post(self, request: Request, corpus_id: UUID) -> Response:
        corpus, asked = access_corpus(self, corpus_id), self.read(SitemapInput)
        site = services.sitemap_import(corpus_id=corpus.pk, requested_by=uploader(self), **asked)
        queue = partial(site_import_task.delay, str(current_tenant_id()), str(site.pk))
        transaction.on_commit(queue, robust=True)
        return Response(import_as_seen(site), status=202)


class Imports(ApiView):
    """What was imported."""

    @operation(
        "List imports of sites",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        answers=ImportOutput,
        paged=True,
        etag=True,
        example=EXAMPLE,
    )
    def get(self, request: Request) -> Response:
        return self.page(SiteImport.objects.all(), import_as_seen, by=("-created_at", "id"))


class ImportDetail(ApiView):
    """One import."""

    @operation(
        "Read how far an import is",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        answers=ImportOutput,
        etag=True,
        example=EXAMPLE,
    )
    def get(self, request: Request, import_id: UUID) -> Response:
        site = SiteImport.objects.filter(pk=import_id).first()
        if site is None:
            raise NotFound(what="import")
        return Response(import_as_seen(site))
