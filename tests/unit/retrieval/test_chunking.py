"""Documents are cut by structure first and size second, and nothing is lost."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.domain.chunking import ChunkSettings, chunk_document, whole_document
from retrieval.domain.errors import DocumentTooManyPassages, DocumentWithoutText
from retrieval.domain.outline import Outline
from retrieval.domain.passages import BlockKind
from retrieval.domain.sentences import sentences

SMALL = ChunkSettings(min_tokens=10, max_tokens=20, overlap_tokens=6)
WORD = re.compile(r"\w+|[^\w\s]")


def count(texts):
    return [len(WORD.findall(text)) for text in texts]


def document_of(blocks):
    outline = Outline()
    for kind, text in blocks:
        if isinstance(kind, int):
            outline.heading(text, kind)
        else:
            getattr(outline, kind)(text)
    return outline.document(format="test")


vocabulary = st.sampled_from(["the", "order", "of", "Dublin", "is", "4.5", "hours", "e.g.", "not"])
words = st.lists(vocabulary, min_size=1, max_size=9)
sentence = words.map(lambda found: " ".join(found) + ".")
prose = st.lists(sentence, min_size=1, max_size=8).map(" ".join)
block = st.one_of(
    st.tuples(st.integers(1, 4), words.map(" ".join)),
    st.tuples(st.sampled_from(["paragraph", "list_item", "code"]), prose),
)
documents = st.lists(block, min_size=1, max_size=14).map(document_of)


@given(documents)
def test_every_passage_is_an_exact_piece_of_the_text(document):
    for chunk in chunk_document(document, count, SMALL):
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.text == chunk.text.strip() != ""


@given(documents)
def test_together_they_hold_every_word_or_carry_it_as_a_heading(document):
    chunks = chunk_document(document, count, SMALL)
    covered = {position for chunk in chunks for position in range(chunk.start, chunk.end)}
    carried = {heading for chunk in chunks for heading in chunk.heading_path}
    for item in document.blocks:
        text = document.text[item.start : item.end]
        if item.kind is BlockKind.HEADING and text in carried:
            continue
        missing = [
            p for p in range(item.start, item.end) if p not in covered and not document.text[p].isspace()
        ]
        assert missing == []


@given(documents)
def test_none_is_larger_than_the_limit_and_each_knows_its_size(document):
    for chunk in chunk_document(document, count, SMALL):
        assert chunk.token_count == count([chunk.text])[0]
        assert chunk.token_count <= SMALL.max_tokens


@given(documents)
def test_none_crosses_a_heading(document):
    for chunk in chunk_document(document, count, SMALL):
        inside = {
            item.heading_path for item in document.blocks if item.start < chunk.end and item.end > chunk.start
        }
        assert inside == {chunk.heading_path}


@given(documents)
def test_they_come_in_order_and_repeat_only_whole_sentences(document):
    chunks = chunk_document(document, count, SMALL)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    for first, second in pairwise(chunks):
        assert first.start < second.start
        assert first.end < second.end
        if second.start < first.end:
            shared = document.text[second.start : first.end]
            assert count([shared])[0] <= SMALL.overlap_tokens
            starts = {
                second.start + span.start for span in sentences(document.text[second.start : second.end])
            }
            assert second.start in starts


def test_running_text_overlaps_by_its_last_sentence():
    text = " ".join(f"Rule {number} says do it." for number in range(9))
    chunks = chunk_document(document_of([("paragraph", text)]), count, SMALL)
    assert all(second.start < first.end for first, second in pairwise(chunks))


def test_table_rows_repeat_nothing():
    outline = Outline()
    outline.table(["Region", "RPO"], [[f"Region {n}", f"{n} minutes"] for n in range(20)])
    chunks = chunk_document(outline.document(format="test"), count, SMALL)
    assert len(chunks) > 3
    assert all(second.start >= first.end for first, second in pairwise(chunks))


def test_a_passage_ends_with_its_paragraph_when_the_next_does_not_fit():
    first = "One two three four five. Six seven eight nine ten."
    second = "Eleven twelve thirteen fourteen. Fifteen sixteen seventeen eighteen nineteen."
    chunks = chunk_document(document_of([("paragraph", first), ("paragraph", second)]), count, SMALL)
    assert chunks[0].text == first


def test_a_word_longer_than_a_passage_is_cut():
    chunks = chunk_document(
        document_of([("paragraph", "x" * 50)]), lambda texts: [len(text) for text in texts], SMALL
    )
    assert "".join(chunk.text for chunk in chunks) == "x" * 50


def test_a_heading_with_nothing_below_is_a_passage_unless_a_deeper_one_carries_it():
    chunks = chunk_document(
        document_of([(1, "Plans"), (2, "Support"), ("paragraph", "By phone."), (2, "Contact")]), count, SMALL
    )
    assert [(chunk.heading_path, chunk.text) for chunk in chunks] == [
        (("Plans", "Support"), "By phone."),
        (("Plans", "Contact"), "Contact"),
    ]


def test_the_model_reads_the_headings_before_the_passage():
    chunk = chunk_document(document_of([(1, "Plans"), ("paragraph", "By phone.")]), count, SMALL)[0]
    assert chunk.embedding_text == "Plans\nBy phone."


def test_a_whole_document_is_one_passage():
    document = document_of([(1, "Plans"), ("paragraph", "By phone. " * 40)])
    (chunk,) = whole_document(document, count)
    assert (chunk.text, chunk.heading_path) == (document.text, ())


@given(
    st.lists(
        st.tuples(st.sampled_from(["paragraph", "code", "list_item", 1, 3]), st.text(max_size=300)),
        max_size=6,
    )
)
@settings(max_examples=60)
def test_any_text_at_all_can_be_cut(blocks):
    try:
        document = document_of(blocks)
    except DocumentWithoutText:
        return
    chunks = chunk_document(document, count, SMALL)
    assert chunks
    assert "\x00" not in document.text


def blind(texts):
    """A tokenizer that knows no word: each is one token, however long."""
    return [len(text.split()) for text in texts]


shapeless = st.builds(
    lambda parts, gap: gap.join(parts),
    st.lists(
        st.builds(
            lambda unit, times: unit * times,
            st.sampled_from(["x", "ab ", "日本", "a.", "  ", "\n", "=", "word. "]),
            st.integers(1, 900),
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(["", " ", ". ", "\n", "\n" * 500, " " * 500]),
)


@given(
    st.lists(
        st.tuples(st.sampled_from(["paragraph", "code", "list_item", 1]), shapeless), min_size=1, max_size=4
    )
)
@settings(max_examples=80, deadline=None)
def test_no_passage_is_long_in_characters_whatever_the_tokenizer_says(blocks):
    try:
        document = document_of(blocks)
    except DocumentWithoutText:
        return
    for chunk in chunk_document(document, blind, SMALL):
        assert len(chunk.text) <= SMALL.max_characters
        assert all(len(heading) <= 300 for heading in chunk.heading_path)
        assert chunk.text == document.text[chunk.start : chunk.end]


def test_the_same_heading_twice_keeps_its_passages_apart():
    twice = [(1, "Notes"), ("paragraph", "One."), (1, "Notes"), ("paragraph", "Two.")]
    assert [chunk.text for chunk in chunk_document(document_of(twice), count, SMALL)] == ["One.", "Two."]


def test_a_line_without_a_space_is_cut_and_nothing_of_it_is_lost():
    chunks = chunk_document(document_of([("paragraph", "y" * 400_000)]), blind, SMALL)
    assert "".join(chunk.text for chunk in chunks) == "y" * 400_000


def test_a_long_line_in_a_corpus_of_whole_passages_is_not_taken_for_a_short_one():
    assert whole_document(document_of([("paragraph", "z" * 400_000)]), blind)[0].token_count > 2000


def test_a_document_of_too_many_passages_is_refused():
    few = ChunkSettings(min_tokens=10, max_tokens=20, overlap_tokens=6, max_passages=3)
    text = " ".join(f"Rule {number} says do it." for number in range(40))
    with pytest.raises(DocumentTooManyPassages):
        chunk_document(document_of([("paragraph", text)]), count, few)
