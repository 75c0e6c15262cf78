"""Synthetic tenants for the retrieval benchmark: skewed sizes, passages with topics, grants for every share.

Vectors lie near a low-dimensional surface, as those of language models do: a topic, a document's own direction, a
passage's own. Words follow Zipf's law. Everything is drawn from one seed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from django.db import connection, transaction

from kernel.clock import now
from retrieval.models import Corpus
from retrieval.services import corpus_create, corpus_grant, documents_grant
from tenants.models import Audience, Tenant
from tenants.scoping import tenant_scope
from tenants.services import audience_create, tenant_create

DIMENSIONS = 384
SHARES = (1.0, 0.1, 0.01, 0.001)
_LATENT = 48
_PER_DOCUMENT = 20
_WORDS = 110
_VOCABULARY = 30_000
_AT_ONCE = 20_000
"""A multiple of the passages of a document."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tenant of the benchmark: how many passages, the audience for every share, questions with vectors."""

    tenant: Tenant
    passages: int
    groups: dict[float, int]
    questions: tuple[tuple[str, tuple[float, ...]], ...] = field(repr=False)


def sizes(chunks: int, tenants: int) -> list[int]:
    """One tenant with a fifth of all passages; the others by Zipf's law, none without any."""
    first = chunks // 5
    weights = 1 / np.arange(1, tenants, dtype=float)
    rest = np.maximum(1, (chunks - first) * weights / weights.sum()).astype(int)
    return [first, *map(int, rest)] if tenants > 1 else [chunks]


class Loader:
    """Writes whole tenants at the speed of COPY, behind the wall like everybody else."""

    def __init__(self, *, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        self._turn = np.linalg.qr(self._random.normal(size=(DIMENSIONS, DIMENSIONS)))[0][:_LATENT]
        self._vocabulary = np.array([_word(n) for n in range(_VOCABULARY)])
        share = 1 / np.arange(1, _VOCABULARY + 1) ** 1.05
        self._cumulative = np.cumsum(share / share.sum())

    def load(self, slug: str, passages: int, *, questions: int) -> Loaded:
        """A tenant with one corpus; audiences that may see 100 %, 10 %, 1 % and 0.1 % of its documents."""
        tenant = tenant_create(slug=slug, name=slug)
        with tenant_scope(tenant.id):
            corpus = corpus_create(name="Synthetic")
            documents = [uuid4() for _ in range(-(-passages // _PER_DOCUMENT))]
            self._topics = self._random.normal(size=(max(1, passages // 200), _LATENT))
            asked: list[tuple[str, tuple[float, ...]]] = []
            for start in range(0, passages, _AT_ONCE):
                size = min(_AT_ONCE, passages - start)
                asked += self._write(tenant.id, corpus, documents, start, size, questions)
            groups = {share: self._audience(share, corpus, documents) for share in SHARES}
        return Loaded(tenant, passages, groups, tuple(asked[:questions]))

    def _write(
        self,
        tenant_id: UUID,
        corpus: Corpus,
        documents: Sequence[UUID],
        start: int,
        size: int,
        questions: int,
    ) -> list[tuple[str, tuple[float, ...]]]:
        numbers = np.arange(start, start + size)
        owners = numbers // _PER_DOCUMENT
        own = documents[int(owners[0]) : int(owners[-1]) + 1]
        owner = [documents[number] for number in owners.tolist()]
        ids = [uuid4() for _ in range(size)]
        latent = self._latent(owners)
        texts = self._texts(size)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("set local synchronous_commit = off")
            counts = np.bincount(owners - owners[0]).tolist()
            values = {"tenant": tenant_id, "corpus": corpus.id, "ids": own, "counts": counts, "now": now()}
            cursor.execute(_DOCUMENTS, values)
            rows = zip(ids, owner, numbers % _PER_DOCUMENT, texts, strict=True)
            _stage_passages(cursor, rows)
            cursor.execute(_PASSAGES, {"tenant": tenant_id})
            _stage_vectors(cursor, ids, owner, self._vectors(latent))
            cursor.execute(_VECTORS, {"tenant": tenant_id, "space": corpus.space_id})
        picked = self._random.integers(0, size, min(questions, size * 3))
        near = self._vectors(latent[picked] + 0.35 * self._random.normal(size=(len(picked), _LATENT)))
        return [
            (_question(texts[p], n), tuple(map(float, v)))
            for n, (p, v) in enumerate(zip(picked, near, strict=True))
        ]

    def _latent(self, owners: Array) -> Array:
        first = int(owners[0])
        amount = int(owners[-1]) - first + 1
        topics = self._topics[self._random.integers(0, len(self._topics), amount)]
        own = topics + 0.7 * self._random.normal(size=(amount, _LATENT))
        latent: Array = own[owners - first] + 0.7 * self._random.normal(size=(len(owners), _LATENT))
        return latent

    def _vectors(self, latent: Array) -> Array:
        raw = latent @ self._turn + 0.05 * self._random.normal(size=(len(latent), DIMENSIONS))
        unit: Array = raw / np.linalg.norm(raw, axis=1, keepdims=True)
        return unit

    def _texts(self, size: int) -> list[str]:
        drawn = np.searchsorted(self._cumulative, self._random.random((size, _WORDS)))
        return [" ".join(row) for row in self._vocabulary[np.minimum(drawn, _VOCABULARY - 1)]]

    def _audience(self, share: float, corpus: Corpus, documents: Sequence[UUID]) -> int:
        audience: Audience = audience_create(name=f"share-{share:g}")
        if share >= 1:
            corpus_grant(corpus_id=corpus.id, group_id=audience.group_id)
        else:
            amount = max(1, round(len(documents) * share))
            picked = self._random.choice(len(documents), amount, replace=False)
            chosen = [documents[int(n)] for n in picked]
            documents_grant(document_ids=chosen, group_ids=[audience.group_id])
        return int(audience.group_id)


def _word(n: int) -> str:
    """Pronounceable, and different from every other."""
    consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
    syllables = []
    n += 90
    while n:
        n, rest = divmod(n, 90)
        syllables.append(consonants[rest // 5] + vowels[rest % 5])
    return "".join(syllables) + "x"


def _question(text: str, n: int) -> str:
    """Eight words of the passage, common and rare as they come."""
    words = text.split()
    at = (n * 7) % max(1, len(words) - 8)
    return " ".join(words[at : at + 8])


def _stage_passages(cursor: Any, rows: Iterator[tuple[UUID, UUID, Any, str]]) -> None:
    cursor.execute(
        "create temp table if not exists staged_passages"
        " (id uuid, document_id uuid, ordinal int, text text) on commit delete rows"
    )
    with cursor.copy("copy staged_passages from stdin") as copy:
        for id, document_id, ordinal, text in rows:
            copy.write_row((id, document_id, int(ordinal), text))


def _stage_vectors(cursor: Any, ids: Sequence[UUID], documents: Sequence[UUID], vectors: Array) -> None:
    """Binary COPY: every row has the same length, so numpy lays out all of them at once."""
    cursor.execute(
        "create temp table if not exists staged_vectors"
        " (chunk_id uuid, document_id uuid, embedding halfvec storage main) on commit delete rows"
    )
    layout = np.dtype(
        [
            ("fields", ">i2"), ("l1", ">i4"), ("chunk", "V16"), ("l2", ">i4"), ("document", "V16"),
            ("l3", ">i4"), ("dim", ">i2"), ("unused", ">i2"), ("values", ">f2", (DIMENSIONS,)),
        ]
    )  # fmt: skip
    rows = np.zeros(len(ids), layout)
    rows["fields"], rows["l1"], rows["l2"], rows["l3"] = 3, 16, 16, 4 + 2 * DIMENSIONS
    rows["chunk"] = np.frombuffer(b"".join(id.bytes for id in ids), "V16")
    rows["document"] = np.frombuffer(b"".join(id.bytes for id in documents), "V16")
    rows["dim"], rows["values"] = DIMENSIONS, vectors
    data = io.BytesIO(b"PGCOPY\n\xff\r\n\0" + bytes(8) + rows.tobytes() + b"\xff\xff")
    with cursor.copy("copy staged_vectors from stdin (format binary)") as copy:
        while block := data.read(1 << 20):
            copy.write(block)


_DOCUMENTS = """
insert into retrieval_document (
    tenant_id, id, corpus_id, title, title_is_given, filename, content_type, content_hash, size, blob_key, tags,
    restricted, state, progress, reason_code, reason, chunk_count, generation, attempt, failures, found, slices,
    queued_at, uploaded_at, created_at, updated_at, language, source_url, source_etag, source_modified, fetch_due,
    notes
)
select %(tenant)s, r.id, %(corpus)s, r.id::text, false, r.id::text, 'text', '', 0, '', '{}', false, 'indexed', 1,
       '', '', r.passages, 1, 1, 0, '{}', 0, %(now)s, %(now)s, %(now)s, %(now)s, '', '', '', '', false,
       '{}'
from unnest(%(ids)s::uuid[], %(counts)s::integer[]) as r (id, passages)
"""
_PASSAGES = """
insert into retrieval_chunk (
    tenant_id, id, document_id, generation, ordinal, text, heading_path, span_start, span_end, token_count, tsv
)
select %(tenant)s, id, document_id, 1, ordinal, text, '{}', 0, length(text), 110, to_tsvector('english', text)
from staged_passages
"""
_VECTORS = """
insert into retrieval_chunkembedding (tenant_id, space_id, chunk_id, document_id, generation, embedding)
select %(tenant)s, %(space)s, chunk_id, document_id, 1, embedding from staged_vectors
"""
