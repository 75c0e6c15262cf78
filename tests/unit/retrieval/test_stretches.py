"""A document is cut in parts of a bounded size, whatever it is made of."""

from __future__ import annotations

import pytest

from retrieval.domain import stretches
from retrieval.domain.chunking import chunk_document
from retrieval.domain.outline import Outline
from retrieval.domain.stretches import stretches_of

LIMIT = 1000


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(stretches, "STRETCH_CHARACTERS", LIMIT)


def count(texts):
    return [len(text.split()) for text in texts]


def written(write):
    outline = Outline()
    write(outline)
    return outline.document(format="text")


def prose(outline):
    outline.heading("Harbour", 1)
    for number in range(60):
        outline.paragraph(
            f"Boat number {number} lies at quay {number % 5}. It leaves at noon, when the tide is high."
        )
    outline.heading("Museum", 1)
    outline.paragraph("Closed on Mondays.")


@pytest.mark.parametrize(
    "write",
    [
        prose,
        lambda outline: outline.paragraph(" ".join(f"word{n}" for n in range(900))),
        lambda outline: outline.paragraph("x" * 4321),
        lambda outline: outline.paragraph("博物馆周一闭馆。" * 400),
        lambda outline: outline.code("\n".join(f"line {n} = {n * n}" for n in range(400))),
        lambda outline: outline.code("y = 1\n" + "z" * 3000),
        lambda outline: outline.table(["Boat", "Quay"], [[f"Boat {n}", str(n % 5)] for n in range(200)]),
    ],
)
def test_no_stretch_is_longer_and_together_they_are_all_there_is(write):
    document = written(write)
    found = stretches_of(document)
    spans = [(block.start, block.end) for one in found for block in one.blocks]
    assert all(one.end - one.blocks[0].start <= LIMIT for one in found) and len(found) > 1
    assert spans == sorted(spans) and all(start < end for start, end in spans)
    covered = "".join(document.text[start:end] for start, end in spans)
    body = [block for block in document.blocks if block.kind != "heading"]
    assert covered == "".join(document.text[block.start : block.end] for block in body)


def test_the_passages_cover_every_word_of_a_text_in_stretches():
    words = [f"word{n}" for n in range(900)]
    document = written(lambda outline: outline.paragraph(" ".join(words)))
    assert " ".join(chunk.text for chunk in chunk_document(document, count)).split() == words


def test_a_stretch_keeps_the_headings_above_it():
    paths = {one.path for one in stretches_of(written(prose))}
    assert paths == {("Harbour",), ("Museum",)}


def test_a_text_that_is_short_is_one_stretch():
    assert len(stretches_of(written(lambda outline: outline.paragraph("Closed on Mondays.")))) == 1
