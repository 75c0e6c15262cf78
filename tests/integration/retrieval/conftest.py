"""A corpus, a principal for every case, and quick twins of the slow ports."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from retrieval.adapters.converters.read import read_document
from retrieval.adapters.converters.sniff import refuse_unreadable
from retrieval.domain.passages import ConvertedDocument, EmbeddingSpace, Vector

WORD = re.compile(r"\w+")


class WordEmbeddings:
    """An EmbeddingPort whose cosine is the share of common words: quick, exact, the same everywhere."""

    space = EmbeddingSpace("test", "words", 64)

    def embed_query(self, text: str) -> Vector:
        values = [0.0] * 64
        for word in WORD.findall(text.lower()):
            values[hashlib.sha256(word.encode()).digest()[0] % 64] += 1.0
        length = math.sqrt(sum(value * value for value in values)) or 1.0
        return tuple(value / length for value in values) if any(values) else (1.0, *values[1:])

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    embed_passages = embed_queries

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(WORD.findall(text)) for text in texts]


class DirectConverter:
    """The same reader without its child process, which has tests of its own."""

    def convert(self, data: bytes, *, filename: str, heartbeat: Any = None) -> ConvertedDocument:
        return read_document(data, filename)

    def check(self, data: bytes, *, filename: str) -> None:
        refuse_unreadable(data, filename)


@pytest.fixture(autouse=True)
def tools(stack: Any) -> Iterator[Any]:
    from retrieval import services, wiring

    quick = replace(wiring.make(), embeddings=WordEmbeddings(), converter=DirectConverter(), batch_size=4)
    with services.equipped(quick) as tools:
        yield tools


@pytest.fixture
def corpus(scoped: Any) -> Any:
    from retrieval.services import corpus_create

    return corpus_create(name="Handbook")


@pytest.fixture
def add(corpus: Any) -> Callable[..., Any]:
    """Upload and index a text in one go."""
    from retrieval.services import document_index, document_upload

    def add(filename: str, text: str | bytes, **options: Any) -> Any:
        data = text if isinstance(text, bytes) else text.encode()
        document = document_upload(
            corpus_id=options.pop("corpus_id", corpus.id), filename=filename, data=data, **options
        )
        document_index(document_id=document.id)
        document.refresh_from_db()
        return document

    return add


@pytest.fixture
def principal(tenant: Any) -> Callable[..., Any]:
    from tenants.access import Principal

    return lambda **fields: Principal(tenant_id=tenant.id, **fields)


@pytest.fixture
def find(principal: Callable[..., Any]) -> Callable[..., Any]:
    """Search as somebody who sees everything, unless said otherwise."""
    from retrieval.domain.passages import SearchRequest, WeightedQuery
    from retrieval.services import search

    def find(text: str, *, who: Any = None, dense: float = 1.0, lexical: float = 0.3, **options: Any) -> Any:
        query = WeightedQuery(text, dense_weight=dense, lexical_weight=lexical)
        who = who or principal(sees_all=True)
        return search(request=SearchRequest(queries=(query,), principal=who, **options)).hits

    return find
