"""The adapters that the services of this process work with; `retrieval.wiring` says which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kernel.once import made_once
from retrieval.domain.chunking import ChunkSettings
from retrieval.domain.lanes import Lane
from retrieval.domain.passages import EmbeddingSpace
from retrieval.domain.ports import BlobStore, ConverterPort, EmbeddingPort, PassageIndex, VectorHomes
from retrieval.domain.sources import SourceFetcher


def _no_other_model(space: EmbeddingSpace) -> EmbeddingPort | None:
    return None


@dataclass(frozen=True, slots=True)
class Equipment:
    """One adapter for every port, and the limits that go with them.

    `embeddings` is today's model; `model_for` finds the one of another space, None where it cannot be run here.
    """

    embeddings: EmbeddingPort
    converter: ConverterPort
    blobs: BlobStore
    index: PassageIndex
    homes: VectorHomes
    sources: SourceFetcher
    lane: Lane
    max_upload_bytes: int
    chunks: ChunkSettings
    batch_size: int
    model_for: Callable[[EmbeddingSpace], EmbeddingPort | None] = _no_other_model


_factory: Callable[[], Equipment] | None = None


def install(factory: Callable[[], Equipment]) -> None:
    """Say how the equipment is made; it is made on first use, once in a process."""
    global _factory
    _factory = factory
    equipment.cache_clear()


@made_once
def equipment() -> Equipment:
    if _factory is None:
        raise RuntimeError("retrieval is not wired: its application is not in INSTALLED_APPS")
    return _factory()


@contextmanager
def equipped(other: Equipment) -> Iterator[Equipment]:
    """Inside, the services of this process use `other`: for tests and for evaluation."""
    previous = _factory
    install(lambda: other)
    try:
        yield other
    finally:
        if previous is not None:
            install(previous)
