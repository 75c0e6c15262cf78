"""Remembers what a run computes again and again: the same exchange stands in many items and under every strategy."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from conversations.domain.language import Analysis, Language
from retrieval.domain.passages import EmbeddingSpace, Vector
from retrieval.domain.ports import EmbeddingPort

_TABLE = "create table if not exists vectors (key blob primary key, vector blob not null) without rowid"


class RememberedLanguage:
    """A `Language` that analyses a text once."""

    def __init__(self, inner: Language) -> None:
        self._inner = inner
        self._known: dict[str, Analysis] = {}

    def analyse(self, text: str) -> Analysis:
        if text not in self._known:
            self._known[text] = self._inner.analyse(text)
        return self._known[text]


class RememberedEmbeddings:
    """An EmbeddingPort that embeds a text once, and keeps the vectors in a file for the next run.

    A vector is found by its space, its kind and the hash of its text, so another model never meets it. The file
    is a cache: it may be deleted at any time, and one that cannot be read is begun anew.
    """

    def __init__(self, inner: EmbeddingPort, path: Path) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self._known: dict[bytes, Vector] = {}
        self._file = _opened(path)

    @property
    def space(self) -> EmbeddingSpace:
        return self._inner.space

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return self._through("query", texts, self._inner.embed_queries)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return self._through("passage", texts, self._inner.embed_passages)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._inner.count_tokens(texts)

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def _through(
        self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], list[Vector]]
    ) -> list[Vector]:
        keys = {text: self._key(kind, text) for text in texts}
        missing = [text for text, key in keys.items() if self._recall(key) is None]
        if missing:
            self._keep({keys[text]: vector for text, vector in zip(missing, embed(missing), strict=True)})
        return [self._known[keys[text]] for text in texts]

    def _key(self, kind: str, text: str) -> bytes:
        return hashlib.blake2b(f"{self.space.name}\0{kind}\0{text}".encode(), digest_size=20).digest()

    def _recall(self, key: bytes) -> Vector | None:
        if key in self._known:
            return self._known[key]
        with self._lock:
            row = self._file.execute("select vector from vectors where key = ?", (key,)).fetchone()
        if row is not None:
            self._known[key] = tuple(np.frombuffer(row[0], dtype=np.float32).tolist())
        return self._known.get(key)

    def _keep(self, fresh: dict[bytes, Vector]) -> None:
        self._known.update(fresh)
        rows = [(key, np.asarray(vector, dtype=np.float32).tobytes()) for key, vector in fresh.items()]
        # Two runs may fill one file; a row that cannot be written now is only computed again.
        with self._lock, suppress(sqlite3.OperationalError):
            self._file.executemany("insert or ignore into vectors values (?, ?)", rows)


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _connected(path)
    except sqlite3.DatabaseError:
        path.unlink()
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
    file.execute("pragma journal_mode = wal")
    file.execute("pragma synchronous = off")
    file.execute(_TABLE)
    return file
