"""A text is embedded once, and its vector is there for the next run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from conversations.evaluation.remembered import RememberedEmbeddings
from retrieval.domain.passages import EmbeddingSpace, Vector

ONE = EmbeddingSpace("test", "one", 2)


@dataclass
class Counted:
    """An EmbeddingPort that notes what it is asked."""

    space: EmbeddingSpace = ONE
    asked: list[str] = field(default_factory=list)

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        return [(1.0, float(len(text))) for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        return [(0.5, float(len(text))) for text in texts]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


@contextmanager
def remembered(inner: Counted, folder: Path) -> Iterator[RememberedEmbeddings]:
    with closing(RememberedEmbeddings(inner, folder / "deep" / "vectors.sqlite")) as port:
        yield port


def test_it_asks_once_for_a_text_and_keeps_the_order(tmp_path: Path) -> None:
    inner = Counted()
    with remembered(inner, tmp_path) as port:
        assert port.embed_queries(["aaa", "b", "aaa"]) == [(1.0, 3.0), (1.0, 1.0), (1.0, 3.0)]
        assert port.embed_queries(["cc", "b"]) == [(1.0, 2.0), (1.0, 1.0)]
    assert inner.asked == ["aaa", "b", "cc"]


def test_the_next_run_asks_for_nothing_it_knows(tmp_path: Path) -> None:
    with remembered(Counted(), tmp_path) as port:
        before = port.embed_passages(["aaa", "b"])
    later = Counted()
    with remembered(later, tmp_path) as port:
        assert port.embed_passages(["b", "aaa"]) == before[::-1]
    assert later.asked == []


def test_a_query_and_a_passage_of_the_same_words_are_two(tmp_path: Path) -> None:
    with remembered(Counted(), tmp_path) as port:
        assert port.embed_queries(["aaa"]) != port.embed_passages(["aaa"])


def test_another_model_never_meets_the_vectors_of_this_one(tmp_path: Path) -> None:
    with remembered(Counted(), tmp_path) as port:
        port.embed_query("aaa")
    other = Counted(EmbeddingSpace("test", "two", 2))
    with remembered(other, tmp_path) as port:
        port.embed_query("aaa")
    assert other.asked == ["aaa"]


def test_a_file_that_cannot_be_read_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "vectors.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 100)
    inner = Counted()
    with remembered(inner, tmp_path) as port:
        assert port.embed_query("aaa") == (1.0, 3.0)
        assert port.embed_query("aaa") == (1.0, 3.0)
    assert inner.asked == ["aaa"]
