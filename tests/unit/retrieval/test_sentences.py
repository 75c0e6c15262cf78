"""Sentences end where a reader would say so."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.domain.sentences import sentences


def split(text):
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("It costs 3.5 euros. It lasts.", ["It costs 3.5 euros.", "It lasts."]),
        ("Use a key, e.g. AES. Then stop.", ["Use a key, e.g. AES.", "Then stop."]),
        ("Dr. Smith met J. R. Doe. They left.", ["Dr. Smith met J. R. Doe.", "They left."]),
        ("We chose plan B. Next is plan C.", ["We chose plan B.", "Next is plan C."]),
        ("Acme Inc. sells it. Good.", ["Acme Inc. sells it.", "Good."]),
        ("Really? yes! ok", ["Really?", "yes!", "ok"]),
        ('"Really?" she asked. "Yes."', ['"Really?" she asked.', '"Yes."']),
        ("See v1.2.3 at https://a.example/x.y. Done.", ["See v1.2.3 at https://a.example/x.y.", "Done."]),
        ("退货政策。七天内！可以吗？好", ["退货政策。", "七天内！", "可以吗？", "好"]),
        ("Line one\nstill one.\n\nNext part", ["Line one\nstill one.", "Next part"]),
        ("Steps:\n- first\n- second", ["Steps:", "- first", "- second"]),
        ("It waits... and goes on. End.", ["It waits... and goes on.", "End."]),
        ("", []),
        (" \n ", []),
        ("...", ["..."]),
    ],
)
def test_it_splits_like_a_reader(text, expected):
    assert split(text) == expected


@given(st.text())
def test_no_word_is_lost_and_the_order_is_kept(text):
    spans = sentences(text)
    assert "".join("".join(text[s.start : s.end].split()) for s in spans) == "".join(text.split())
    assert all(a.end <= b.start for a, b in pairwise(spans))
