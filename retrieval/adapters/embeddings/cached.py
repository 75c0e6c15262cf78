"""Remembers the vectors of recent queries: a turn asks for the same text several times."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from retrieval.domain.passages import EmbeddingSpace, Vector
from retrieval.domain.ports import EmbeddingPort


class CachedEmbeddings:
    """An EmbeddingPort in front of another; the least recently used of `size` queries is forgotten first."""

    def __init__(self, inner: EmbeddingPort, *, size: int = 2048) -> None:
        self._inner = inner
        self._size = size
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def space(self) -> EmbeddingSpace:
        return self._inner.space

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        known = {text: vector for text in texts if (vector := self._recall(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            fresh = dict(zip(missing, self._inner.embed_queries(missing), strict=True))
            self._remember(fresh)
            known.update(fresh)
        return [known[text] for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return self._inner.embed_passages(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._inner.count_tokens(texts)

    def _recall(self, text: str) -> Vector | None:
        with self._lock:
            vector = self._vectors.get(text)
            if vector is not None:
                self._vectors.move_to_end(text)
            return vector

    def _remember(self, fresh: dict[str, Vector]) -> None:
        with self._lock:
            self._vectors.update(fresh)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
