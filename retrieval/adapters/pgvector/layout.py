"""Where a tenant's vectors lie, and the search statement for it.

A process remembers the layout of each tenant only to pick the right statement at once. Every answer tells the
layout of its own snapshot; one that differs is thrown away and asked again, so that memory is never trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from uuid import UUID

from retrieval.adapters.pgvector.texts import named
from tenants.postgres.statements import Statement, with_parts

SHARED = "retrieval_chunkembedding_shared"
SHARED_HOME = UUID(int=0)
EXACT_PASSAGES = 4_000
"""Up to so many permitted passages an exact search is as quick as one by index, and it misses nothing."""
INDEX_COST = 4_000
"""An exact search reads every permitted vector; one by index passes by about 100 * total / permitted, and each costs
40 times as much (measured). So the index pays when permitted squared is over 4,000 * total: from 13,000 of 40,000 on."""
WORDY_PASSAGES = 2_500
"""Up to so many permitted passages all of them are ranked by words, at up to 0.02 ms each; above, those nearest in
meaning are."""
WORDY_FOR_RARE = 25_000
"""The same for a query with a rare word, such as a part number, which nothing but its letters can find."""


@dataclass(frozen=True, slots=True, order=True)
class Space:
    """A space that permitted passages are in. `width` is its hnsw.ef_search, 0 where none was measured."""

    id: UUID
    placement: str
    width: int
    dimensions: int

    @classmethod
    def read(cls, told: str) -> Space:
        id, placement, width, dimensions = told.split("/")
        return cls(UUID(id), placement, int(width), int(dimensions))

    @property
    def partition(self) -> str:
        return partition(self.id)

    @property
    def has_partition(self) -> bool:
        return self.placement != "shared"

    @property
    def has_index(self) -> bool:
        return self.placement == "own"


Layout = tuple[Space, ...]
"""The spaces with partitions of their own, in order; all others are in the shared one."""


def partition(space_id: UUID) -> str:
    """The name of a space's own partition."""
    return f"retrieval_chunkembedding_{space_id.hex}"


def layout_of(spaces: Iterable[Space]) -> Layout:
    return tuple(sorted(space for space in spaces if space.has_partition))


class Mode(StrEnum):
    """How to search a tenant with partitions of its own: all permitted vectors, or their indexes."""

    EXACT = "exact"
    INDEX = "index"


@lru_cache(maxsize=512)
def search_statement(layout: Layout, mode: Mode, *, narrowed: bool) -> Statement:
    """The search over the shared partition and those of `layout`. `narrowed` when there are filters on documents.

    Without filters, the index on documents tells who may see them, and their rows are not read.
    """
    filters = named("search_filters") if narrowed else ""
    parts = {
        "told": named("space_told"),
        "granted": named("search_granted").format(sample=""),
        "permitted": named("search_permitted").format(filters=filters),
        "nearest": "\nunion all\n".join(f"(\n{text}\n)" for text in _nearest(layout, mode, filters)),
        "worded": _worded(mode),
        "matching": named("search_matching"),
        "scored": _scored(layout),
    }
    return Statement(with_parts(named("search"), parts), "search")


@lru_cache(maxsize=512)
def nearness_statement(layout: Layout) -> Statement:
    """How near a vector comes to given passages, over the shared partition and those of `layout`."""
    shared = {name: named(name) for name in ("visible_rights", "visible_document")}
    parts = {**shared, "told": named("space_told"), "scored": _scored(layout)}
    return Statement(with_parts(named("nearness"), parts), "nearness")


def _worded(mode: Mode) -> str:
    near = named("search_worded_near")
    if mode is Mode.INDEX:
        return near.format(condition="")
    many = "where (select sum(p.passages) from permitted p) > %(wordy)s::bigint"
    return named("search_worded").format(near=near.format(condition=many))


@cache
def estimate_statement(*, narrowed: bool) -> Statement:
    text = named("search_estimate").format(filters=named("search_filters") if narrowed else "")
    sample = "and g.content_object_id < '10000000-0000-0000-0000-000000000000'"
    return Statement(
        with_parts(text, {"granted": named("search_granted").format(sample=sample)}), "search_estimate"
    )


def _scored(layout: Layout) -> str:
    return "\nunion all\n".join(named("search_scored").format(relation=name) for name in _relations(layout))


def _relations(layout: Layout) -> Iterator[str]:
    yield SHARED
    yield from (space.partition for space in layout)


def _nearest(layout: Layout, mode: Mode, filters: str) -> Iterator[str]:
    owned = ", ".join(f"'{space.id}'" for space in layout)
    columns = ", d.tags, d.uploaded_at" if filters else ""
    others = f"q.space_id not in ({owned})" if owned else "true"
    if mode is Mode.EXACT or not all(space.has_index for space in layout):
        yield named("search_exact").format(relation=SHARED, condition=others)
    for space in layout:
        mine = {"space_id": space.id, "relation": space.partition, "dimensions": space.dimensions}
        visible = named("search_visible").format(filters=filters, columns=columns, **mine)
        yield named("search_rest").format(visible=visible, **mine)
        if mode is Mode.INDEX and space.has_index:
            yield named("search_index").format(visible=visible, **mine)
        else:
            yield named("search_exact").format(condition=f"q.space_id = '{space.id}'", **mine)
