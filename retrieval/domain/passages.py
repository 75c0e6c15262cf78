"""The values of retrieval: a converted document, its chunks, and what a search asks and returns.

A document becomes one plain text with blocks (headings, paragraphs, list items, table rows) that know where
they stand. Blocks become chunks, the passages a search returns and a citation opens. Every chunk keeps its
place: character span, page and the headings above it, so that a reader is taken to the right spot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol
from uuid import UUID

Vector = tuple[float, ...]
"""A unit-length embedding."""


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    RECORD = "record"
    """A row of a long table: looked up by itself, so it shares no passage with its neighbours."""
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of structure: `text[start:end]` of its document. `page` counts from 1, None without pages."""

    kind: BlockKind
    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ConvertedDocument:
    """Plain text and its structure. `format` names the converter, `encoding` what the bytes were read as.

    `notes` are sentences for whoever uploaded it: what of the file could not be read, and what to do about it.
    """

    text: str
    blocks: tuple[Block, ...]
    title: str | None = None
    pages: int | None = None
    format: str = "text"
    encoding: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: `text` is exactly `document.text[start:end]`."""

    ordinal: int
    text: str
    start: int
    end: int
    heading_path: tuple[str, ...]
    page: int | None
    token_count: int

    @property
    def embedding_text(self) -> str:
        """What the embedding model reads: the headings above the passage, then the passage."""
        return f"{' > '.join(self.heading_path)}\n{self.text}" if self.heading_path else self.text


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """Where vectors are comparable: one provider, one model, one number of dimensions."""

    provider: str
    model: str
    dimensions: int

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}/{self.dimensions}"


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """One of the queries that a search fuses; a weight of 0 switches that side off.

    Defaults suit words as typed into a search box. With `every_word` a passage must hold all words to be ranked by
    them: a part number counts as a whole.
    """

    text: str
    dense_weight: float = 1.0
    lexical_weight: float = 0.3
    every_word: bool = False


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Narrow a search; empty means everything the asker may see. A document needs one of `tags`."""

    corpus_ids: tuple[UUID, ...] = ()
    document_ids: tuple[UUID, ...] = ()
    tags: tuple[str, ...] = ()
    uploaded_from: datetime | None = None
    uploaded_until: datetime | None = None


class Compared(NamedTuple):
    """How near a vector comes to a passage or to one beside it, as a cosine, and the passage's own text."""

    cosine: float
    text: str


class Viewer(Protocol):
    """Who asks: the user and the groups (audiences) whose grants count, or someone who sees everything.

    `tenants.access.Principal` is one.
    """

    @property
    def user_id(self) -> int | None: ...

    @property
    def group_ids(self) -> tuple[int, ...]: ...

    @property
    def sees_all(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search. `limit` hits from the fusion of the first `candidates` of every ranking.

    `rare_words`: the query holds a code or a name that meaning cannot find, so far more passages are ranked by words.
    """

    queries: tuple[WeightedQuery, ...]
    principal: Viewer
    filters: SearchFilters = SearchFilters()
    excluded_chunk_ids: tuple[UUID, ...] = ()
    limit: int = 10
    candidates: int = 50
    rare_words: bool = False


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A passage with its place and why it is here.

    Ranks count from 1 and are the best over the queries, None where the passage was not among a ranking's
    candidates. `dense_score` is the best cosine over the queries with a dense weight (None when the passage has
    no vector in the searched space); `lexical_score` is comparable inside one search only.
    """

    chunk_id: UUID
    document_id: UUID
    corpus_id: UUID
    title: str
    filename: str
    heading_path: tuple[str, ...]
    page: int | None
    ordinal: int
    text: str
    token_count: int
    dense_rank: int | None
    dense_score: float | None
    lexical_rank: int | None
    lexical_score: float | None
    fused_score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, and milliseconds by stage (`embed`, `sql`)."""

    hits: tuple[SearchHit, ...]
    milliseconds: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Passage:
    """What a citation opens: a passage with the text before and after it."""

    chunk_id: UUID
    document_id: UUID
    corpus_id: UUID
    title: str
    filename: str
    heading_path: tuple[str, ...]
    page: int | None
    ordinal: int
    start: int
    end: int
    text: str
    before: str = ""
    after: str = ""

    def as_dict(self) -> dict[str, Any]:
        """JSON shape, the same at every door."""
        return {
            "chunk_id": str(self.chunk_id),
            "document_id": str(self.document_id),
            "corpus_id": str(self.corpus_id),
            "title": self.title,
            "filename": self.filename,
            "heading_path": list(self.heading_path),
            "page": self.page,
            "ordinal": self.ordinal,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "before": self.before,
            "after": self.after,
        }
