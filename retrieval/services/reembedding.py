"""A corpus changes its embedding model in the background, and is searched correctly at every moment.

Its passages get vectors in the new space, slice by slice, while it is searched in the old one. When none is missing,
one transaction flips the corpus, and the old vectors are removed after that. Whatever is killed goes on where it
stopped, because what is left to do is read from the vectors themselves.
"""

from __future__ import annotations

import logging
import math
import time
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum

from kernel.errors import NotFound
from retrieval.domain.ports import PublishedChunk
from retrieval.models import Corpus, Document, EmbeddingSpace, Placement
from retrieval.services.corpora import space_ensure, space_id
from retrieval.services.equipping import equipment
from retrieval.services.promotion import promote_threshold, space_promote
from retrieval.services.spaces import embedder_of
from tenants.scoping import current_tenant_id
from tenants.services.audit import audit_record

_log = logging.getLogger(__name__)

SLICE_SECONDS = 10.0
_DOCUMENTS_AT_ONCE = 100


def corpus_reembed(*, corpus_id: UUID) -> Corpus:
    """Start to change a corpus to today's embedding model; one that is there already stays. Raises NotFound."""
    with transaction.atomic():
        return _heads_for(_locked(corpus_id), space_ensure(), chosen=False)


@transaction.atomic
def corpus_model_choose(*, corpus_id: UUID, space_id: UUID) -> Corpus:
    """Start to change a corpus to a model that somebody chose. One that is not today's is kept until it is chosen anew.

    Raises NotFound, and EmbeddingModelGone for a model that cannot be run here any more.
    """
    corpus, today = _locked(corpus_id), space_ensure()
    embedder_of(space_id)
    space = EmbeddingSpace.objects.get(id=space_id)
    _heads_for(corpus, space, chosen=space != today)
    audit_record("corpus.model_chosen", target=corpus.slug, corpus=str(corpus_id), model=str(space))
    return corpus


@transaction.atomic
def corpus_keep_model(*, corpus_id: UUID) -> Corpus:
    """Call a change off, and have none begin by itself; the vectors made for it go in the background. Raises NotFound."""
    corpus = _locked(corpus_id)
    corpus.next_space, corpus.keeps_model = None, True
    corpus.save(update_fields=["next_space", "keeps_model"])
    audit_record("corpus.model_kept", target=corpus.slug, corpus=str(corpus_id), model=str(corpus.space))
    return corpus


def _heads_for(corpus: Corpus, space: EmbeddingSpace, *, chosen: bool) -> Corpus:
    corpus.next_space = None if corpus.space_id == space.id else space
    corpus.keeps_model = chosen
    corpus.save(update_fields=["next_space", "keeps_model"])
    return corpus


def corpora_to_reembed() -> list[UUID]:
    """Corpora of the current tenant that are changing their model, or are not in the space of today's though they may."""
    changing = Q(next_space__isnull=False)
    if settings.ANTECEDENT.get("REEMBED", True):
        today = space_id(equipment().embeddings.space)
        changing |= ~Q(space_id=today) & Q(keeps_model=False, documents__generation__gt=0)
    return list(Corpus.objects.filter(changing).distinct().values_list("id", flat=True))


def corpus_reembed_slice(*, corpus_id: UUID, seconds: float = SLICE_SECONDS) -> bool:
    """Work for about `seconds`, a batch at least. True when there is more to do.

    Running it twice, or at once, harms nothing. Not inside a transaction. Raises what the embedding port raises,
    NotFound, and PlacementBusy.
    """
    until = time.monotonic() + seconds
    with transaction.atomic():
        corpus = _locked(corpus_id)
        if corpus.next_space_id is None and not corpus.keeps_model:
            _heads_for(corpus, space_ensure(), chosen=False)
    if corpus.next_space_id is None:
        forget_old_vectors(corpus_id=corpus_id)
        return False
    space = corpus.next_space_id
    done = _fill(corpus_id, space, until)
    if not done:
        return True
    _placed(space)
    if not _flip(corpus_id, space):
        return True
    forget_old_vectors(corpus_id=corpus_id)
    return False


def corpus_reembed_all(*, corpus_id: UUID) -> None:
    """The whole change in one go: for commands and tests. Raises as `corpus_reembed_slice`."""
    while corpus_reembed_slice(corpus_id=corpus_id, seconds=math.inf):
        pass


def forget_old_vectors(*, corpus_id: UUID) -> int:
    """Remove the vectors of a corpus that no search reads any more; returns how many."""
    removed, after = 0, None
    while True:
        with transaction.atomic():
            corpus = _locked(corpus_id)
            kept = [space for space in (corpus.space_id, corpus.next_space_id) if space is not None]
            moved = equipment().index.forget(
                tenant_id=current_tenant_id(),
                corpus_id=corpus_id,
                kept=kept,
                after=after,
                limit=_DOCUMENTS_AT_ONCE,
            )
        removed += moved.vectors
        if moved.last is None:
            return removed
        after = moved.last


def _fill(corpus_id: UUID, space: UUID, until: float) -> bool:
    """Make the vectors that are missing. False when time ran out first."""
    tools, model, after = equipment(), embedder_of(space), None
    while True:
        batch = tools.index.missing(
            tenant_id=current_tenant_id(),
            corpus_id=corpus_id,
            space_id=space,
            after=after,
            limit=tools.batch_size,
        )
        if not batch:
            return True
        vectors = model.embed_passages([item.chunk.embedding_text for item in batch])
        with transaction.atomic():
            _hold(batch)
            made = {item.id: vector for item, vector in zip(batch, vectors, strict=True)}
            tools.index.add(tenant_id=current_tenant_id(), space_id=space, vectors=made)
        after = batch[-1].document_id
        if time.monotonic() >= until:
            return False


def _hold(batch: list[PublishedChunk]) -> None:
    """Whoever replaces or deletes these documents, or adds the same vectors, waits until they are written."""
    ids = {item.document_id for item in batch}
    held = Document.objects.filter(id__in=ids).order_by("id").select_for_update(no_key=True)
    list(held.values_list("id", flat=True))


def _placed(space: UUID) -> None:
    """A large corpus does not flip to a space without an index: its searches would be slow for a while."""
    size = Document.objects.filter(
        Q(corpus__space_id=space) | Q(corpus__next_space_id=space), generation__gt=0
    ).aggregate(passages=Sum("chunk_count"))["passages"]
    shared = EmbeddingSpace.objects.filter(id=space).exclude(placement=Placement.OWN).exists()
    if shared and (size or 0) >= promote_threshold():
        space_promote(space_id=space)


def _flip(corpus_id: UUID, space: UUID) -> bool:
    """From here on searches use the new space. False when passages were published meanwhile, or plans changed.

    Who publishes passages asks for the same lock, so that none is published in the old space after this.
    """
    with transaction.atomic():
        corpus = _locked(corpus_id)
        if corpus.next_space_id != space:
            return False
        left = equipment().index.missing(
            tenant_id=current_tenant_id(), corpus_id=corpus_id, space_id=space, after=None, limit=1
        )
        if left:
            return False
        corpus.space_id, corpus.next_space = space, None
        corpus.save(update_fields=["space", "next_space"])
    _log.info("corpus %s is searched in space %s now", corpus_id, space)
    return True


def _locked(corpus_id: UUID) -> Corpus:
    corpus = Corpus.objects.select_for_update(no_key=True).filter(id=corpus_id).first()
    if corpus is None:
        raise NotFound(what="corpus")
    return corpus
