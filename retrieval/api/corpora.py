"""Corpora: what documents are kept in."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.errors import NotFound
from kernel.json import JsonObject
from retrieval import services
from retrieval.models import Chunking, Corpus
from retrieval.selectors import corpora_list, corpora_visible_to
from tenants.rest.etags import check_unchanged
from tenants.rest.fields import Choice, Input, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May

TAG = "Corpora"
EXAMPLE = {
    "id": "6f1c0f0e-8d8a-4b47-9a3e-0a4f6f1b7f10",
    "name": "Ward handbook",
    "slug": "ward-handbook",
    "description": "Rules of the wards",
    "language": "english",
    "chunking": "structure",
    "documents": {"total": 12, "ready": 11},
    "created_at": "2026-11-30T08:15:00Z",
}


class CorpusInput(Input):
    name = Text(max_length=120)
    slug = Text(max_length=60, required=False, help_text="Part of addresses; made from the name if left out.")
    description = Text(max_length=300, required=False, allow_blank=True)
    language = Text(
        max_length=63, required=False, help_text="Text search configuration of PostgreSQL, such as english."
    )
    chunking = Choice(Chunking.choices, required=False)


class CorpusChange(Input):
    name = Text(max_length=120, required=False)
    description = Text(max_length=300, required=False, allow_blank=True)


class DocumentCounts(Output):
    total = serializers.IntegerField()
    ready = serializers.IntegerField(help_text="Searchable ones.")


class CorpusOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    slug = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    language = serializers.CharField()
    chunking = serializers.ChoiceField(Chunking.choices)
    documents = serializers.SerializerMethodField(help_text="Null for those who do not see all documents.")
    created_at = serializers.DateTimeField()

    @extend_schema_field(DocumentCounts(allow_null=True))
    def get_documents(self, corpus: Any) -> JsonObject | None:
        if not hasattr(corpus, "documents_total"):
            return None
        return {"total": corpus.documents_total, "ready": corpus.documents_ready}


def corpus_as_seen(corpus: Corpus) -> JsonObject:
    return shown(CorpusOutput(corpus))


def corpora_of(view: ApiView) -> Any:
    """What the caller may see; with counts for those who see everything."""
    principal = view.caller.principal()
    return corpora_list() if principal.sees_all else corpora_visible_to(principal)


def access_corpus(view: ApiView, corpus_id: UUID) -> Corpus:
    """Raises NotFound for a corpus that is not there or that the caller may not see."""
    corpus: Corpus | None = corpora_of(view).filter(id=corpus_id).first()
    if corpus is None:
        raise NotFound(what="corpus")
    return corpus


class Corpora(ApiView):
    """Every corpus, and new ones."""

    @operation(
        "List corpora",
        tag=TAG,
        may=May.READ_DOCUMENTS,
        answers=CorpusOutput,
        paged=True,
        etag=True,
        example=EXAMPLE,
    )
    def get(self, request: Request) -> Response:
        return self.page(corpora_of(self), corpus_as_seen, by=("name", "id"))

    @operation(
        "Make a corpus",
        tag=TAG,
        may=May.GRANT_ACCESS,
        takes=CorpusInput,
        answers=CorpusOutput,
        status=201,
        repeatable=True,
        description="Nobody but those who manage documents sees it until access is given.",
        sends={"name": "Ward handbook", "language": "english"},
        example=EXAMPLE,
    )
    def post(self, request: Request) -> Response:
        made = services.corpus_create(**self.read(CorpusInput))
        return Response(corpus_as_seen(access_corpus(self, made.pk)), status=201)


class CorpusDetail(ApiView):
    """One corpus."""

    @operation(
        "Read a corpus", tag=TAG, may=May.READ_DOCUMENTS, answers=CorpusOutput, etag=True, example=EXAMPLE
    )
    def get(self, request: Request, corpus_id: UUID) -> Response:
        return Response(corpus_as_seen(access_corpus(self, corpus_id)))

    @operation(
        "Change a corpus",
        tag=TAG,
        may=May.GRANT_ACCESS,
        takes=CorpusChange,
        answers=CorpusOutput,
        if_match=True,
        sends={"description": "Rules of all wards"},
        example=EXAMPLE,
    )
    def patch(self, request: Request, corpus_id: UUID) -> Response:
        asked = self.read(CorpusChange)
        with transaction.atomic():
            Corpus.objects.select_for_update(of=("self",)).filter(id=corpus_id).first()
            check_unchanged(request, corpus_as_seen(access_corpus(self, corpus_id)))
            services.corpus_update(corpus_id=corpus_id, **asked)
        return Response(corpus_as_seen(access_corpus(self, corpus_id)))

    @operation(
        "Delete a corpus",
        tag=TAG,
        may=May.GRANT_ACCESS,
        status=204,
        description="With its documents, passages and vectors, at once.",
    )
    def delete(self, request: Request, corpus_id: UUID) -> Response:
        services.corpus_delete(corpus_id=access_corpus(self, corpus_id).pk)
        return Response(status=204)
