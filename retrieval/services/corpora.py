"""Corpora and the embedding spaces their vectors are in."""

from __future__ import annotations

from functools import lru_cache
from uuid import UUID, uuid5

from django.db import connection, transaction
from django.utils.text import slugify

from kernel.errors import Invalid, NotFound
from kernel.names import check_line
from retrieval.domain import passages
from retrieval.models import Chunking, Corpus, EmbeddingSpace
from retrieval.services.equipping import equipment
from tenants.scoping import current_tenant_id
from tenants.services.audit import audit_record


def space_id(space: passages.EmbeddingSpace) -> UUID:
    """The id of a space in the current tenant, known without asking the database."""
    return _space_id(current_tenant_id(), space.name)


_space_id = lru_cache(maxsize=10_000)(uuid5)


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
    """A collection that documents can be uploaded to.

    Raises Invalid for a name that is none or taken, an unknown language, and a taken slug where one is given.
    """
    name, description = _free_name(name), _description(description)
    if not is_language(language):
        raise Invalid(reason=f"PostgreSQL has no text search configuration called {language}.")
    if slug and Corpus.objects.filter(slug=slug).exists():
        raise Invalid(reason=f"There is a corpus with the address {slug} already.")
    slug = slug or _free_slug(name)
    corpus = Corpus.objects.create(
        name=name,
        slug=slug,
        description=description,
        language=language,
        chunking=chunking,
        space=space_ensure(),
    )
    audit_record("corpus.created", target=slug, corpus=str(corpus.id), name=name)
    return corpus


@transaction.atomic
def corpus_update(*, corpus_id: UUID, name: str | None = None, description: str | None = None) -> Corpus:
    """What is None stays, and so does a name that is the same.

    Raises NotFound, and Invalid for a name that is none or taken.
    """
    corpus = Corpus.objects.select_for_update(of=("self",)).filter(id=corpus_id).first()
    if corpus is None:
        raise NotFound(what="corpus")
    if name is not None and name != corpus.name:
        corpus.name = _free_name(name, but=corpus)
    if description is not None:
        corpus.description = _description(description)
    corpus.save(update_fields=["name", "description"])
    audit_record("corpus.changed", target=corpus.slug, corpus=str(corpus_id), name=corpus.name)
    return corpus


@transaction.atomic
def corpus_delete(*, corpus_id: UUID) -> None:
    """Remove a corpus with its documents, passages and vectors. Raises NotFound."""
    from retrieval.services.documents import document_delete

    corpus = Corpus.objects.filter(id=corpus_id).first()
    if corpus is None:
        raise NotFound(what="corpus")
    # All of them locked first: each deletion takes the lock of the audit log, which comes last.
    for document_id in list(corpus.documents.select_for_update().order_by("id").values_list("id", flat=True)):
        document_delete(document_id=document_id)
    corpus.delete()
    audit_record("corpus.deleted", target=corpus.slug, corpus=str(corpus_id), name=corpus.name)


def _free_name(name: str, but: Corpus | None = None) -> str:
    """A name as it is kept. Two corpora of one name could not be told apart when access is given."""
    name = check_line(name, what="The name of the corpus", most=120)
    others = Corpus.objects.filter(name__iexact=name)
    if (others.exclude(pk=but.pk) if but else others).exists():
        raise Invalid(reason=f"There is a corpus called {name} already. Choose another name.")
    return name


def _description(text: str) -> str:
    return check_line(text, what="The description", most=300, least=0)


def _free_slug(name: str) -> str:
    """A slug that is free. Names without a Latin letter or a digit have none of their own: they are counted."""
    base = slugify(name)[:50].strip("-") or "corpus"
    taken = set(Corpus.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(
        slug for slug in (base, *(f"{base}-{n}" for n in range(2, len(taken) + 3))) if slug not in taken
    )


def is_language(name: str) -> bool:
    """Whether PostgreSQL has a text search configuration of that name."""
    with connection.cursor() as cursor:
        cursor.execute("select exists(select from pg_ts_config where cfgname = %s)", [name])
        return bool(cursor.fetchone()[0])
