"""Which embedding model a corpus is searched with, which it may change to, and how far a change is."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import Sum

from retrieval.domain import passages
from retrieval.models import ChunkEmbedding, Corpus, Document, EmbeddingSpace
from retrieval.services.corpora import space_id
from retrieval.services.equipping import equipment


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that the corpus may change to; `is_today` is the one that new corpora get."""

    id: UUID
    name: str
    dimensions: int
    is_today: bool


@dataclass(frozen=True, slots=True)
class ModelState:
    """`now` and `next` are names of models, empty where there is none, beside their ids; `made` of `passages` have a
    vector of the next one."""

    now: str
    now_id: UUID | None
    is_gone: bool
    next: str
    next_id: UUID | None
    passages: int
    made: int
    keeps: bool
    moves_by_itself: bool
    choices: tuple[ModelChoice, ...]

    @property
    def is_changing(self) -> bool:
        return bool(self.next)


def model_state(corpus: Corpus) -> ModelState:
    """Two queries, and one more while it changes."""
    today = _today()
    spaces = {space.pk: space for space in (today, *EmbeddingSpace.objects.order_by("created_at"))}
    now, to = spaces.get(corpus.space_id), spaces.get(corpus.next_space_id)  # type: ignore[arg-type]
    searched = Document.objects.filter(corpus=corpus, generation__gt=0)
    n = searched.aggregate(n=Sum("chunk_count"))["n"] or 0
    return ModelState(
        now=now.model if now else "",
        now_id=corpus.space_id,
        is_gone=now is not None and not _runs(now),
        next=to.model if to else "",
        next_id=corpus.next_space_id,
        passages=n,
        made=_made(corpus) if to else 0,
        keeps=corpus.keeps_model,
        moves_by_itself=bool(settings.ANTECEDENT.get("REEMBED", True)),
        choices=tuple(
            ModelChoice(space.pk, space.model, space.dimensions, space == today)
            for space in spaces.values()
            if space != now and _runs(space)
        ),
    )


def _today() -> EmbeddingSpace:
    """The space of today's model, stored or not."""
    space = equipment().embeddings.space
    return EmbeddingSpace(
        id=space_id(space), provider=space.provider, model=space.model, dimensions=space.dimensions
    )


def _made(corpus: Corpus) -> int:
    return ChunkEmbedding.objects.filter(
        space_id=corpus.next_space_id,
        document_id__in=Document.objects.filter(corpus=corpus, generation__gt=0).values("id"),
    ).count()


def _runs(space: EmbeddingSpace) -> bool:
    wanted = passages.EmbeddingSpace(space.provider, space.model, space.dimensions)
    tools = equipment()
    return wanted == tools.embeddings.space or tools.model_for(wanted) is not None
