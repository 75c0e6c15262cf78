"""Measures ingest against the bare embedder, on the same texts and in the same run.

Documents go through the ordinary services one by one: uploaded, converted in the sandbox, cut, embedded, published.
After every handful the bare embedder is given the texts of the very passages that came out, so that both are
measured under the same load of the machine.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID, uuid4

from config.progress import Report
from conversations.evaluation.library import tenant_remove
from kernel.clock import now
from retrieval import services
from retrieval.adapters.storage.filesystem import FilesystemBlobs
from retrieval.domain.passages import Chunk, ConvertedDocument, EmbeddingSpace, Vector
from retrieval.domain.ports import ConverterPort, EmbeddingPort, Heartbeat
from retrieval.models import Chunk as ChunkRow
from retrieval.services.equipping import Equipment
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.services import tenant_create

ROUNDS = 8
_WORDS = (
    "harbour lantern orchard gearbox ledger viaduct compass barley turbine archive ferry quarry meadow signal "
    "bakery tunnel library clinic garden market railway workshop chapel reservoir"
).split()
_VERBS = "inspects repairs lends measures records delivers replaces counts cleans insures".split()


@dataclass(slots=True)
class Timed:
    """Seconds spent in the two ports that do the work."""

    embedding: float = 0.0
    converting: float = 0.0
    counting: float = 0.0


class TimedEmbeddings:
    """An EmbeddingPort that notes how long the inner one takes."""

    def __init__(self, inner: EmbeddingPort, timed: Timed) -> None:
        self._inner, self._timed = inner, timed

    @property
    def space(self) -> EmbeddingSpace:
        return self._inner.space

    def embed_query(self, text: str) -> Vector:
        return self._inner.embed_query(text)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return self._inner.embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        started = time.perf_counter()
        vectors = self._inner.embed_passages(texts)
        self._timed.embedding += time.perf_counter() - started
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        started = time.perf_counter()
        counts = self._inner.count_tokens(texts)
        self._timed.counting += time.perf_counter() - started
        return counts


class TimedConverter:
    """A ConverterPort that notes how long the inner one takes."""

    def __init__(self, inner: ConverterPort, timed: Timed) -> None:
        self._inner, self._timed = inner, timed

    def convert(self, data: bytes, *, filename: str, heartbeat: Heartbeat | None = None) -> ConvertedDocument:
        started = time.perf_counter()
        converted = self._inner.convert(data, filename=filename, heartbeat=heartbeat)
        self._timed.converting += time.perf_counter() - started
        return converted

    def check(self, data: bytes, *, filename: str) -> None:
        self._inner.check(data, filename=filename)


@dataclass(frozen=True, slots=True)
class Round:
    """One handful of documents: passages and seconds through ingest, and seconds of the bare embedder."""

    passages: int
    ingest_s: float
    bare_s: float

    @property
    def ratio(self) -> float:
        return self.bare_s / self.ingest_s if self.ingest_s else 0.0


def run(documents: int, report: Report) -> dict[str, Any]:
    """The figures, ready for JSON. The tenant and its files exist only while this runs."""
    timed = Timed()
    with _tenant() as tenant, _equipped(timed) as tools, tenant_scope(tenant.id):
        corpus = services.corpus_create(name="Ingest bench")
        rounds: list[Round] = []
        handful = max(1, documents // ROUNDS)
        _warm(corpus.id, tools)
        started = Timed(timed.embedding, timed.converting, timed.counting)
        for first in range(0, documents, handful):
            numbers = range(first, min(documents, first + handful))
            rounds.append(_round(corpus.id, numbers, tools, timed))
            report("documents", numbers[-1] + 1, documents)
        space = tools.embeddings.space.name
    return _figures(documents, rounds, timed, started, space)


def document(number: int) -> tuple[str, bytes]:
    """A name and a text of a page or two: prose under headings, no two alike."""
    rng = random.Random(number)  # noqa: S311
    lines = [f"# Report {number}"]
    for section in range(rng.randint(2, 4)):
        lines += ["", f"## Part {section + 1} about the {rng.choice(_WORDS)}", ""]
        lines += [_sentence(rng) for _ in range(rng.randint(8, 16))]
    return f"report-{number}.md", "\n".join(lines).encode()


def _sentence(rng: random.Random) -> str:
    a, b, c = rng.sample(_WORDS, 3)
    return f"The {a} near the {b} {rng.choice(_VERBS)} the {c} in week {rng.randint(1, 52)} for {rng.randint(10, 9999)} euros."


def _round(corpus_id: UUID, numbers: range, tools: Equipment, timed: Timed) -> Round:
    files = [document(number) for number in numbers]
    started = time.perf_counter()
    ids = [_ingest(corpus_id, name, data) for name, data in files]
    ingest_s = time.perf_counter() - started
    texts = _texts(ids)
    kept = timed.embedding
    started = time.perf_counter()
    for start in range(0, len(texts), tools.batch_size):
        tools.embeddings.embed_passages(texts[start : start + tools.batch_size])
    bare_s = time.perf_counter() - started
    timed.embedding = kept
    return Round(len(texts), ingest_s, bare_s)


def _ingest(corpus_id: UUID, name: str, data: bytes) -> UUID:
    uploaded = services.document_upload(corpus_id=corpus_id, filename=name, data=data)
    services.document_index(document_id=uploaded.id)
    return uploaded.id


def _texts(document_ids: Sequence[UUID]) -> list[str]:
    rows = ChunkRow.objects.filter(document_id__in=document_ids).order_by("document_id", "ordinal")
    return [
        Chunk(r.ordinal, r.text, 0, 0, tuple(r.heading_path), None, r.token_count).embedding_text
        for r in rows
    ]


def _warm(corpus_id: UUID, tools: Equipment) -> None:
    """Load the model and start the reader: neither belongs to a document."""
    _ingest(corpus_id, "warm.md", b"# Warm\n\nThe first document loads what the others use.")
    tools.embeddings.embed_passages(["warm"] * tools.batch_size)


def _figures(
    documents: int, rounds: Sequence[Round], timed: Timed, before: Timed, space: str
) -> dict[str, Any]:
    passages = sum(one.passages for one in rounds)
    wall, bare = sum(one.ingest_s for one in rounds), sum(one.bare_s for one in rounds)
    shares = {
        "embedding": (timed.embedding - before.embedding) / wall,
        "converting": (timed.converting - before.converting) / wall,
        "counting_tokens": (timed.counting - before.counting) / wall,
    }
    shares["rest"] = 1 - sum(shares.values())
    return {
        "documents": documents,
        "passages": passages,
        "space": space,
        "ingest_passages_per_s": round(passages / wall, 2),
        "bare_passages_per_s": round(passages / bare, 2),
        "ratio": round(statistics.median(one.ratio for one in rounds), 3),
        "ratio_by_round": [round(one.ratio, 3) for one in rounds],
        "share_of_wall": {name: round(share, 3) for name, share in shares.items()},
    }


@contextmanager
def _tenant() -> Iterator[Tenant]:
    """Suspended, so that no worker of a running platform takes its documents."""
    tenant = tenant_create(slug=f"ingest-bench-{uuid4().hex[:8]}", name="Ingest bench", suspended_at=now())
    try:
        yield tenant
    finally:
        tenant_remove(tenant)


@contextmanager
def _equipped(timed: Timed) -> Iterator[Equipment]:
    ordinary = services.equipment()
    with TemporaryDirectory(prefix="antecedent-bench-") as folder:
        timing = replace(
            ordinary,
            embeddings=TimedEmbeddings(ordinary.embeddings, timed),
            converter=TimedConverter(ordinary.converter, timed),
            blobs=FilesystemBlobs(Path(folder)),
        )
        with services.equipped(timing) as tools:
            yield tools
