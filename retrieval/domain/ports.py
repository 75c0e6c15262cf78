"""What retrieval needs from the outside: embeddings, a converter, a place for files, an index.

Each port has at least one adapter that works with no key and no network. An adapter translates its vendor's
errors into the errors of this domain. Nothing in the domain knows which adapter is in use.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from retrieval.domain.passages import (
    Chunk,
    Compared,
    ConvertedDocument,
    EmbeddingSpace,
    SearchHit,
    SearchRequest,
    Vector,
    Viewer,
)

Heartbeat = Callable[[], None]
"""Called every few seconds during long work; raising from it stops the work."""


class EmbeddingPort(Protocol):
    """Turns text into unit vectors of one space. Raises EmbeddingUnavailable, EmbeddingRefused, EmbeddingInvalid."""

    @property
    def space(self) -> EmbeddingSpace: ...

    def embed_query(self, text: str) -> Vector: ...

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]: ...

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order. Text beyond what the model reads is ignored."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without the model's own marks; an estimate where the tokenizer is unknown."""
        ...


@dataclass(frozen=True, slots=True)
class ConversionLimits:
    """What one conversion may use; bytes, characters and seconds."""

    text_characters: int = 26_214_400
    memory_bytes: int = 1_500_000_000
    seconds: float = 60.0


class ConverterPort(Protocol):
    """Reads a file of any supported format. Raises a DocumentError with the reason, or ConverterUnavailable."""

    def convert(
        self, data: bytes, *, filename: str, heartbeat: Heartbeat | None = None
    ) -> ConvertedDocument: ...

    def check(self, data: bytes, *, filename: str) -> None:
        """Raise DocumentUnsupported or DocumentBinary for a file that no reader is for, by a quick look at it."""
        ...


class BlobStore(Protocol):
    """Keeps uploaded files. Raises DocumentFileMissing when a key is not there."""

    def put(self, key: str, data: bytes) -> None: ...

    def get(self, key: str) -> bytes: ...

    def delete(self, key: str) -> None:
        """Remove a file; a missing one is fine."""
        ...


@dataclass(frozen=True, slots=True)
class StagedChunk:
    """A chunk with the id it is stored under."""

    id: UUID
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class PublishedChunk:
    """A chunk that searches see, with the document it is of."""

    id: UUID
    document_id: UUID
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Moved:
    """The last document that was looked at, None when there was none left, and how many vectors it was about."""

    last: UUID | None
    vectors: int


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """Hits, best first, and the facts of the same moment: the spaces that the permitted passages are in.

    A space in `spaces` that was not searched means that something is missing: search again with its vectors.
    """

    hits: tuple[SearchHit, ...]
    spaces: frozenset[UUID]


class PassageIndex(Protocol):
    """Stores chunks with their vectors and searches them, always inside one tenant."""

    def stage(
        self,
        *,
        tenant_id: UUID,
        document_id: UUID,
        generation: int,
        language: str,
        chunks: Sequence[StagedChunk],
    ) -> None:
        """Write chunks of a generation that no search sees yet. Call inside a transaction."""
        ...

    def staged(
        self, *, tenant_id: UUID, document_id: UUID, generation: int, first: int, limit: int
    ) -> list[StagedChunk]:
        """Up to `limit` chunks of a generation, in order, from ordinal `first` on."""
        ...

    def attach(
        self,
        *,
        tenant_id: UUID,
        document_id: UUID,
        generation: int,
        space_id: UUID,
        vectors: Mapping[UUID, Vector],
    ) -> None:
        """Write the vectors of staged chunks, by their ids. Call inside a transaction."""
        ...

    def attached(self, *, tenant_id: UUID, document_id: UUID, generation: int, space_id: UUID) -> int:
        """How many chunks of a generation have their vector in the space."""
        ...

    def reword(self, *, tenant_id: UUID, document_id: UUID, language: str) -> None:
        """Index the words of a document's chunks in another language. Call inside a transaction."""
        ...

    def missing(
        self, *, tenant_id: UUID, corpus_id: UUID, space_id: UUID, after: UUID | None, limit: int
    ) -> list[PublishedChunk]:
        """Up to `limit` published chunks of a corpus without a vector in a space, from document `after` on."""
        ...

    def add(self, *, tenant_id: UUID, space_id: UUID, vectors: Mapping[UUID, Vector]) -> None:
        """Write vectors of published chunks where there are none yet. Call holding their documents' rows."""
        ...

    def forget(
        self, *, tenant_id: UUID, corpus_id: UUID, kept: Sequence[UUID], after: UUID | None, limit: int
    ) -> Moved:
        """Remove the vectors of the next `limit` documents of a corpus in all spaces but those kept."""
        ...

    def search(
        self,
        *,
        tenant_id: UUID,
        space_id: UUID,
        request: SearchRequest,
        vectors: Mapping[UUID, Sequence[Vector | None]],
    ) -> IndexAnswer:
        """Search in every space of `vectors`: one vector per query, None where its dense weight is 0.

        `space_id` is that of corpora which name none.
        """
        ...

    def nearness(
        self,
        *,
        tenant_id: UUID,
        space_id: UUID,
        principal: Viewer,
        vector: Vector,
        chunk_ids: Collection[UUID],
    ) -> Mapping[UUID, Compared]:
        """Each of these chunks with the largest cosine of a vector with it and those up to two places beside it.

        Only what is published, searched in this space and visible to the principal now is in the answer and counts.
        """
        ...


class VectorHomes(Protocol):
    """Homes of vectors: one that small tenants share, and one of its own for a space of a large tenant.

    Every step may be repeated, and none stops searches or writes. Raises PlacementBusy where it would have to.
    """

    def open(self, *, tenant_id: UUID, space_id: UUID) -> None:
        """Make a space's own home, if there is none."""
        ...

    def move(self, *, tenant_id: UUID, space_id: UUID, own: bool, after: UUID | None, limit: int) -> Moved:
        """Move the vectors of the next `limit` documents by id into the space's own home, or back."""
        ...

    def build(self, *, space_id: UUID, dimensions: int) -> bool:
        """Index a space's own home. False while somebody else is at it. Not inside a transaction."""
        ...

    def measure(
        self, *, space_id: UUID, dimensions: int, widths: Sequence[int]
    ) -> Iterator[tuple[int, float]]:
        """Recall@10 of the index against exact search, one width of search after the other."""
        ...

    def close(self, *, space_id: UUID) -> bool:
        """Remove a space's own home. False when there is something in it still."""
        ...
