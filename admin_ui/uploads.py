"""Files that arrive from the browser: each is stored and queued on its own, and each gets its own answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest

from kernel.errors import DomainError, Invalid
from retrieval.domain.errors import DocumentTooLarge
from retrieval.models import Document, DocumentState
from retrieval.services import Receipt, UploadOutcome, corpus_create, corpus_grant, document_receive
from retrieval.tasks import document_index_task
from tenants.models import Audience
from tenants.scoping import current_tenant_id

MEGABYTE = 1024 * 1024
FORMATS = "PDF, Word, PowerPoint, Excel, OpenDocument sheets, CSV, HTML, Markdown or text"
SUFFIXES = (
    ".pdf", ".docx", ".docm", ".pptx", ".pptm", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".csv", ".tsv", ".tab",
    ".html", ".htm", ".xhtml", ".md", ".markdown", ".txt", ".text",
)  # fmt: skip
"""What the file dialog offers. What a file is, its content decides; any kind of text is read, whatever it is called."""
FIRST_CORPUS = "Documents"


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What became of one file, in words for the person who sent it.

    `what` says what it meant (new, a replacement, unchanged), `message` says that and what happens now; `code` is
    that of the error where it was refused.
    """

    filename: str
    ok: bool
    message: str
    document_id: str = ""
    what: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class UploadOrder:
    """Where to, seen by whom, and what: read off the form. Raises Invalid.

    `restricted` is None for "as it is": a new file is seen as its corpus is, a replaced one as before. What is
    restricted is opened only when the form says so in a field of its own.
    """

    corpus_id: UUID | None
    restricted: bool | None
    files: tuple[UploadedFile, ...]

    @classmethod
    def from_request(cls, request: HttpRequest) -> UploadOrder:
        files = tuple(request.FILES.getlist("files"))
        if not files:
            raise Invalid(reason="Choose at least one file.")
        return cls(corpus_asked(request.POST), restriction_asked(request.POST), files)


def corpus_asked(form: Mapping[str, str]) -> UUID | None:
    """The corpus that a form names; None where there is none yet. Raises Invalid."""
    corpus = form.get("corpus", "")
    try:
        return UUID(corpus) if corpus else None
    except ValueError as error:
        raise Invalid(reason="Choose where it should go.") from error


def restriction_asked(form: Mapping[str, str]) -> bool | None:
    """What a form says of who may see it; None for "as it is"."""
    if form.get("restricted") == "yes":
        return True
    return False if form.get("open_restricted") == "yes" else None


def upload_files(order: UploadOrder, *, uploaded_by: int) -> list[Uploaded]:
    """Every file in turn; one that is refused does not keep the others out."""
    corpus_id = order.corpus_id or first_corpus()
    return [_upload(file, corpus_id, order.restricted, uploaded_by) for file in order.files]


def first_corpus() -> UUID:
    """The corpus of a workspace that had none: what is in it is seen by its members."""
    corpus = corpus_create(name=FIRST_CORPUS)
    members = Audience.objects.get(slug=Audience.MEMBERS)
    corpus_grant(corpus_id=corpus.pk, group_id=members.group_id)
    return corpus.pk


def queue_indexing(documents: Iterable[Document]) -> None:
    """The worker takes over once the documents are stored. When the broker is away, the sweep finds them later."""
    tenant_id = str(current_tenant_id())
    for document in documents:
        if document.is_unfinished:
            queue = partial(document_index_task.delay, tenant_id, str(document.pk))
            transaction.on_commit(queue, robust=True)


def _upload(file: UploadedFile, corpus_id: UUID, restricted: bool | None, uploaded_by: int) -> Uploaded:
    name = file.name or ""
    try:
        _check_size(file)
        receipt = document_receive(
            corpus_id=corpus_id,
            filename=name,
            data=file.read(),
            restricted=restricted,
            uploaded_by=uploaded_by,
        )
    except DomainError as error:
        return Uploaded(name, False, error.message, code=error.code)
    queue_indexing([receipt.document])
    return _outcome(name, receipt)


def _outcome(name: str, receipt: Receipt) -> Uploaded:
    document, what = receipt.document, " ".join((_meant(receipt), *_seen_by(receipt)))
    key = str(document.pk)
    if document.state == DocumentState.FAILED:
        return Uploaded(name, False, document.reason, key, what, document.reason_code)
    now = "It will be searchable in a moment." if document.is_unfinished else ""
    return Uploaded(name, True, f"{what} {now}".rstrip(), key, what)


def _meant(receipt: Receipt) -> str:
    if receipt.outcome is UploadOutcome.NEW:
        return "New."
    if receipt.outcome is UploadOutcome.REPLACES:
        return f"Replaces “{receipt.replaced}”."
    return "Unchanged: the same file is here already."


def _seen_by(receipt: Receipt) -> Iterator[str]:
    """Silent where nobody would wonder: a document that is as its corpus, and was."""
    if receipt.stays_restricted:
        yield "It stays restricted."
    elif receipt.document.restricted:
        yield "It is restricted."
    elif receipt.was_restricted:
        yield "It is no longer restricted: who sees the corpus sees it now."


def _check_size(file: UploadedFile) -> None:
    """Before the file is read into memory."""
    limit, size = settings.ANTECEDENT["MAX_UPLOAD_BYTES"], file.size or 0
    if size > limit:
        raise DocumentTooLarge(size_mb=f"{size / MEGABYTE:.1f}", limit_mb=limit // MEGABYTE)
