"""Documents: upload, list, read, change, replace, retry, delete."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.errors import NotFound
from kernel.json import JsonObject
from retrieval import services
from retrieval.api.corpora import access_corpus
from retrieval.domain.errors import DocumentTooLarge
from retrieval.models import Document, DocumentState
from retrieval.selectors import document_get, documents_list
from retrieval.services import UploadOutcome
from retrieval.tasks import document_index_task
from tenants.rest.etags import check_unchanged
from tenants.rest.fields import Flag, Input, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import MEGABYTE, ApiView, UploadView
from tenants.roles import May
from tenants.scoping import current_tenant_id

TAG = "Documents"
EXAMPLE = {
    "id": "0d9b8a3c-52d4-4e0f-b8c5-5d0a8a3f3c11",
    "corpus": "6f1c0f0e-8d8a-4b47-9a3e-0a4f6f1b7f10",
    "title": "Visiting hours",
    "filename": "visiting-hours.pdf",
    "format": "pdf",
    "size": 48213,
    "tags": ["visitors"],
    "restricted": False,
    "language": "",
    "source_url": "",
    "state": "indexed",
    "progress": 1.0,
    "reason": None,
    "pages": 3,
    "passages": 14,
    "searchable": True,
    "uploaded_at": "2026-11-30T08:15:00Z",
    "indexed_at": "2026-11-30T08:15:04Z",
}


def tags_field() -> serializers.ListField:
    return serializers.ListField(child=Text(max_length=60), max_length=50, required=False)


class DocumentInput(serializers.Serializer):  # type: ignore[type-arg]
    """A form: its fields are texts."""

    file = serializers.FileField(allow_empty_file=True, max_length=1000)
    title = serializers.CharField(max_length=300, required=False, allow_blank=True)
    tags = serializers.ListField(child=serializers.CharField(max_length=60), max_length=50, required=False)
    restricted = serializers.BooleanField(required=False, allow_null=True, default=None)


class FileInput(serializers.Serializer):  # type: ignore[type-arg]
    file = serializers.FileField(allow_empty_file=True, max_length=1000)


class DocumentChange(Input):
    title = Text(max_length=300, required=False)
    tags = tags_field()
    restricted = Flag(
        required=False, help_text="True: seen by grants of its own only, not by those of its corpus."
    )
    language = Text(
        max_length=63,
        required=False,
        allow_blank=True,
        help_text="Text search configuration of its words; empty for that of its corpus.",
    )


class DocumentQuery(serializers.Serializer):  # type: ignore[type-arg]
    corpus = serializers.UUIDField(required=False)
    state = serializers.ChoiceField(DocumentState.choices, required=False)


class Reason(Output):
    code = serializers.CharField()
    message = serializers.CharField()


class DocumentOutput(Output):
    id = serializers.UUIDField()
    corpus = serializers.UUIDField(source="corpus_id")
    title = serializers.CharField()
    filename = serializers.CharField()
    format = serializers.CharField(source="content_type", allow_blank=True, help_text="Found in the file.")
    size = serializers.IntegerField(help_text="Bytes.")
    tags = serializers.ListField(child=serializers.CharField())
    restricted = serializers.BooleanField()
    language = serializers.CharField(allow_blank=True, help_text="Empty: that of the corpus.")
    source_url = serializers.CharField(
        allow_blank=True, help_text="Where it is fetched from; empty for an upload."
    )
    state = serializers.ChoiceField(DocumentState.choices)
    progress = serializers.FloatField(help_text="0 to 1.")
    reason = serializers.SerializerMethodField(help_text="Why it could not be read.")
    pages = serializers.IntegerField(allow_null=True)
    passages = serializers.IntegerField(source="chunk_count")
    searchable = serializers.BooleanField(
        source="is_searchable", help_text="Also true while a replacement is read, or after it failed."
    )
    uploaded_at = serializers.DateTimeField()
    indexed_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(Reason(allow_null=True))
    def get_reason(self, document: Document) -> JsonObject | None:
        if not document.reason_code:
            return None
        return {"code": document.reason_code, "message": document.reason}


class UploadOutput(Output):
    outcome = serializers.ChoiceField([outcome.value for outcome in UploadOutcome])
    document = DocumentOutput()


def document_as_seen(document: Document) -> JsonObject:
    return shown(DocumentOutput(document))


def index_soon(document: Document) -> None:
    """The worker takes over once the document is stored. When the broker is away, the sweep finds it later."""
    if document.is_unfinished:
        queue = partial(document_index_task.delay, str(current_tenant_id()), str(document.pk))
        transaction.on_commit(queue, robust=True)


def checked_bytes(file: Any) -> bytes:
    """The file's content, unless it is larger than is read here. Raises DocumentTooLarge."""
    limit, size = settings.ANTECEDENT["MAX_UPLOAD_BYTES"], file.size or 0
    if size > limit:
        raise DocumentTooLarge(size_mb=f"{size / MEGABYTE:.1f}", limit_mb=limit // MEGABYTE)
    return bytes(file.read())


class Documents(ApiView):
    """Every document that the caller may see."""

    @operation(
        "List documents",
        tag=TAG,
        may=May.READ_DOCUMENTS,
        query=DocumentQuery,
        answers=DocumentOutput,
        paged=True,
        etag=True,
        description="The newest upload first. Made to be polled: with the ETag of what you have, nothing is sent again.",
        example=EXAMPLE,
    )
    def get(self, request: Request) -> Response:
        asked = self.asked(DocumentQuery)
        rows = documents_list(
            self.caller.principal(), corpus_id=asked.get("corpus"), state=asked.get("state")
        )
        return self.page(rows, document_as_seen, by=("-uploaded_at", "id"))


class CorpusDocuments(UploadView):
    """Uploads into a corpus."""

    @operation(
        "Upload a document",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        takes=DocumentInput,
        multipart=True,
        answers=UploadOutput,
        status=201,
        repeatable=True,
        description=(
            "PDF, Word, PowerPoint, Excel, OpenDocument sheets, CSV, HTML, Markdown or text. The same bytes under the "
            "same name change nothing; other bytes replace the document once they are indexed. What no reader is for, by its "
            "content, is refused with 422 (`document_unsupported`, `document_binary`). Indexing goes on in the background: "
            "poll the document until its `state` is `indexed` or `failed`."
        ),
        example={
            "outcome": "new",
            "document": {**EXAMPLE, "state": "queued", "progress": 0.0, "indexed_at": None},
        },
    )
    def post(self, request: Request, corpus_id: UUID) -> Response:
        corpus, asked = access_corpus(self, corpus_id), self.read(DocumentInput)
        file = asked.pop("file")
        receipt = services.document_receive(
            corpus_id=corpus.pk,
            filename=file.name,
            data=checked_bytes(file),
            uploaded_by=uploader(self),
            **asked,
        )
        index_soon(receipt.document)
        told = {"outcome": receipt.outcome.value, "document": receipt.document}
        return Response(UploadOutput(told).data, status=201)


def uploader(view: ApiView) -> int | None:
    return view.caller.user.pk if view.caller.user is not None else None


def access_document(view: ApiView, document_id: UUID) -> Document:
    return document_get(document_id, view.caller.principal())


class DocumentDetail(ApiView):
    """One document."""

    @operation(
        "Read a document", tag=TAG, may=May.READ_DOCUMENTS, answers=DocumentOutput, etag=True, example=EXAMPLE
    )
    def get(self, request: Request, document_id: UUID) -> Response:
        return Response(document_as_seen(access_document(self, document_id)))

    @operation(
        "Change a document",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        takes=DocumentChange,
        answers=DocumentOutput,
        if_match=True,
        description="In force at the next search.",
        sends={"restricted": True},
        example={**EXAMPLE, "restricted": True},
    )
    def patch(self, request: Request, document_id: UUID) -> Response:
        asked = self.read(DocumentChange)
        language = asked.pop("language", None)
        with transaction.atomic():
            Document.objects.select_for_update(of=("self",)).filter(id=document_id).first()
            check_unchanged(request, document_as_seen(access_document(self, document_id)))
            services.document_describe(document_id=document_id, **asked)
            if language is not None:
                services.document_language_set(document_id=document_id, language=language)
        return Response(document_as_seen(access_document(self, document_id)))

    @operation(
        "Delete a document",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        status=204,
        description="With its passages and vectors, at once.",
    )
    def delete(self, request: Request, document_id: UUID) -> Response:
        services.document_delete(document_id=access_document(self, document_id).pk)
        return Response(status=204)


class DocumentFile(UploadView):
    """The file of a document."""

    @operation(
        "Replace a document's file",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        takes=FileInput,
        multipart=True,
        answers=UploadOutput,
        description="Under the name that the document has. Until the new file is indexed, the old one is searched.",
        example={"outcome": "replaces", "document": {**EXAMPLE, "state": "queued", "progress": 0.0}},
    )
    def put(self, request: Request, document_id: UUID) -> Response:
        document, file = access_document(self, document_id), self.read(FileInput)["file"]
        if document.source_url:
            raise NotFound(what="uploaded file")
        receipt = services.document_receive(
            corpus_id=document.corpus_id,
            filename=document.filename,
            data=checked_bytes(file),
            uploaded_by=uploader(self),
        )
        index_soon(receipt.document)
        return Response(UploadOutput({"outcome": receipt.outcome.value, "document": receipt.document}).data)


class DocumentRetry(ApiView):
    """Another try at a document that could not be read."""

    @operation(
        "Retry a failed document",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        answers=DocumentOutput,
        status=202,
        repeatable=True,
        example={**EXAMPLE, "state": "queued"},
    )
    def post(self, request: Request, document_id: UUID) -> Response:
        again = services.document_retry(document_id=access_document(self, document_id).pk)
        index_soon(again)
        return Response(document_as_seen(again), status=202)


class DocumentRefresh(ApiView):
    """An imported page, read again."""

    @operation(
        "Fetch an imported page again",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        answers=DocumentOutput,
        status=202,
        repeatable=True,
        example={**EXAMPLE, "state": "queued", "source_url": "https://hospital.example/visitors"},
    )
    def post(self, request: Request, document_id: UUID) -> Response:
        again = services.source_refresh(document_id=access_document(self, document_id).pk)
        index_soon(again)
        return Response(document_as_seen(again), status=202)
