"""The documents of a run: loaded through the ordinary ingest path into a tenant of their own, and removed after.

The tenant is suspended from the start: no door opens to it and no background job looks after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from django.contrib.auth.models import Group
from django.db import transaction

from kernel.clock import now
from kernel.errors import DomainError
from retrieval import services as documents
from retrieval.models import Chunking, Corpus, Document, DocumentState, EmbeddingSpace
from tenants.access import Principal
from tenants.models import Audience, Tenant
from tenants.scoping import tenant_scope
from tenants.services import tenant_create
from tenants.services.audit import audit_erase

Report = Callable[[str, int, int], None]
PREFIX = "evaluation-"
ABANDONED = timedelta(hours=12)


class PassageNotLoaded(DomainError):
    """{name} could not be loaded: {reason}"""

    code = "passage_not_loaded"


@dataclass(frozen=True, slots=True)
class File:
    """A document to load. `name` is what gold references call it."""

    name: str
    filename: str
    data: bytes
    title: str = ""
    tags: tuple[str, ...] = ()
    restricted: bool = False


@dataclass(frozen=True, slots=True)
class Shelf:
    """A corpus to load. `whole` makes each of its documents one passage."""

    name: str
    files: tuple[File, ...]
    whole: bool = False
    language: str = "english"


@dataclass(frozen=True, slots=True)
class Library:
    """Loaded documents: the reader who may see all of them, and their names by document id."""

    reader: Principal
    names: Mapping[str, str]


@contextmanager
def loaded(shelves: tuple[Shelf, ...], report: Report) -> Iterator[Library]:
    """A throwaway tenant with these documents, for as long as the block runs, whatever ends it.

    `report(what, done, total)` is called as it goes. Raises `PassageNotLoaded`.
    """
    _sweep()
    tenant = tenant_create(slug=f"{PREFIX}{uuid4().hex[:12]}", name="Evaluation", suspended_at=now())
    try:
        with tenant_scope(tenant.id):
            names = _shelved(shelves, report)
            yield Library(Principal(tenant.id, sees_all=True), names)
    finally:
        tenant_remove(tenant)


def tenant_remove(tenant: Tenant) -> None:
    """Remove a throwaway tenant with everything it has. Files of its documents are the equipment's concern."""
    with tenant_scope(tenant.id), transaction.atomic():
        Corpus.objects.all().delete()
        EmbeddingSpace.objects.all().delete()
        groups = list(Audience.objects.values_list("group_id", flat=True))
        Audience.objects.all().delete()
        Group.objects.filter(id__in=groups).delete()
        audit_erase()
        tenant.delete()


def _sweep() -> None:
    """Remove what a run that was killed could not."""
    for tenant in Tenant.objects.filter(slug__startswith=PREFIX, created_at__lt=now() - ABANDONED):
        tenant_remove(tenant)


def _shelved(shelves: tuple[Shelf, ...], report: Report) -> dict[str, str]:
    total, names = sum(len(shelf.files) for shelf in shelves), {}
    for shelf in shelves:
        chunking = Chunking.WHOLE if shelf.whole else Chunking.STRUCTURE
        corpus = documents.corpus_create(
            name=shelf.name, slug=shelf.name, language=shelf.language, chunking=chunking
        )
        for file in shelf.files:
            names[str(_indexed(corpus.id, file))] = file.name
            report("documents", len(names), total)
    return names


def _indexed(corpus_id: UUID, file: File) -> UUID:
    document = documents.document_upload(
        corpus_id=corpus_id,
        filename=file.filename,
        data=file.data,
        title=file.title,
        tags=file.tags,
        restricted=file.restricted,
    )
    if document.is_unfinished:
        documents.document_index(document_id=document.id)
    state = Document.objects.only("state", "reason").get(id=document.id)
    if state.state != DocumentState.INDEXED:
        raise PassageNotLoaded(name=file.name, reason=state.reason or state.state)
    return document.id
