"""Corpora and the embedding spaces their vectors are in."""

from __future__ import annotations

from uuid import UUID, uuid5

from django.db import connection, transaction
from django.utils.text import slugify

from kernel.errors import Invalid, NotFound
from retrieval.domain import passages
from retrieval.models import Chunking, Corpus, EmbeddingSpace
from retrieval.services.equipping import equipment
from tenants.scoping import current_tenant_id


def space_id(space: passages.EmbeddingSpace) -> UUID:
    """The id of a space in the current tenant, known without asking the database."""
    return uuid5(current_tenant_id(), space.name)


def space_ensure() -> EmbeddingSpace:
    """The tenant's row for the space that new vectors are made in."""
    space = equipment().embeddings.space
    row, _ = EmbeddingSpace.objects.get_or_create(
        id=space_id(space),
        defaults={"provider": space.provider, "model": space.model, "dimensions": space.dimensions},
    )
    return row


@transaction.atomic
def corpus_create(
    *,
    name: str,
    slug: str = "",
    description: str = "",
    language: str = "english",
    chunking: str = Chunking.STRUCTURE,
) -> Corpus:
    """A collection that documents can be uploaded to. Raises Invalid for an unknown language or a taken slug."""
    name = name.strip()[:120]
    if not name:
        raise Invalid(reason="The corpus needs a name.")
    slug = (slug or slugify(name))[:60].strip("-") or "documents"
    if not is_language(language):
        raise Invalid(reason=f"PostgreSQL has no text search configuration called {language}.")
    if Corpus.objects.filter(slug=slug).exists():
        raise Invalid(reason=f"There is a corpus with the address {slug} already.")
    return Corpus.objects.create(
        name=name,
        slug=slug,
        description=description,
        language=language,
        chunking=chunking,
        space=space_ensure(),
    )


@transaction.atomic
def corpus_delete(*, corpus_id: UUID) -> None:
    """Remove a corpus with its documents, passages and vectors. Raises NotFound."""
    from retrieval.services.documents import document_delete

    corpus = Corpus.objects.filter(id=corpus_id).first()
    if corpus is None:
        raise NotFound(what="corpus")
    for document_id in corpus.documents.values_list("id", flat=True):
        document_delete(document_id=document_id)
    corpus.delete()


def is_language(name: str) -> bool:
    """Whether PostgreSQL has a text search configuration of that name."""
    with connection.cursor() as cursor:
        cursor.execute("select exists(select from pg_ts_config where cfgname = %s)", [name])
        return bool(cursor.fetchone()[0])
