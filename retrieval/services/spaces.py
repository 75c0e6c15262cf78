"""The embedding spaces of the current tenant: which model makes the vectors of each."""

from __future__ import annotations

from uuid import UUID

from kernel.errors import NotFound
from retrieval.domain import passages
from retrieval.domain.errors import EmbeddingModelGone
from retrieval.domain.ports import EmbeddingPort
from retrieval.models import Corpus, EmbeddingSpace
from retrieval.services.corpora import space_ensure, space_id
from retrieval.services.equipping import equipment


def embedder_of(space: UUID) -> EmbeddingPort:
    """The model of a space. Raises NotFound, or EmbeddingModelGone when it cannot be run here any more."""
    tools = equipment()
    if space == space_id(tools.embeddings.space):
        return tools.embeddings
    row = EmbeddingSpace.objects.filter(id=space).first()
    if row is None:
        raise NotFound(what="embedding space")
    model = tools.model_for(passages.EmbeddingSpace(row.provider, row.model, row.dimensions))
    if model is None:
        raise EmbeddingModelGone(model=row.model)
    return model


def space_for_indexing(corpus: Corpus) -> EmbeddingSpace:
    """The space that a corpus is searched in, so that what is indexed now is found at once.

    A corpus with nothing in it yet, and whose model nobody has chosen, moves to the space of today's model; a try that is made for the other space
    meanwhile is not published.
    """
    if corpus.space_id is not None and (
        corpus.keeps_model or corpus.documents.filter(generation__gt=0).exists()
    ):
        return EmbeddingSpace.objects.get(id=corpus.space_id)
    space = space_ensure()
    if corpus.space_id != space.id:
        Corpus.objects.filter(id=corpus.id).update(space=space, next_space=None)
    return space


def is_searched_in(document_id: UUID, space: UUID) -> bool:
    """Whether a document's corpus is searched in a space; it stays so until the end of the transaction."""
    corpora = Corpus.objects.select_for_update(no_key=True).filter(documents=document_id)
    return space in corpora.values_list("space_id", flat=True)
