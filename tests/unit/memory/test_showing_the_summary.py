"""A turn sees of the summary what helps it: nothing closed, related lines first, whole sentences within the budget."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.domain.answer.units import sentences
from conversations.domain.memory.blocks import read_blocks
from conversations.domain.memory.summary import shown
from conversations.domain.memory.values import SummaryPart
from conversations.domain.window import estimate_tokens
from conversations.domain.words import contains_key, key_of

PARTS = (
    SummaryPart(
        1,
        4,
        "Asked about RPO, Dublin: The RPO is 30 minutes. It can be lowered.\n"
        "Asked about RPO, Dublin, Frankfurt: Dublin has 30 minutes. It is slow. Frankfurt has 15 minutes. It costs 9 euros.\n"
        "Asked about keys: Keys are kept in Dublin. They are renewed every 90 days. A module costs 400 euros.",
    ),
    SummaryPart(
        5,
        8,
        "Asked about shoes: Shoes can be returned within 30 days.\nAsked about hats: Hats cost 12 euros.",
    ),
)


def seen(
    closed: set[str] | None = None,
    named: set[str] | None = None,
    words: set[str] | None = None,
    budget: int = 500,
    live: set[str] | None = None,
) -> str:
    return shown(
        PARTS,
        closed=closed or set(),
        named=named or set(),
        message_keys=words or set(),
        budget=budget,
        count=estimate_tokens,
        live=live or set(),
    )


def test_nothing_closed_means_everything_in_order() -> None:
    assert seen() == "\n".join(part.text for part in PARTS)


def test_what_is_closed_goes_with_the_sentences_that_lean_on_it() -> None:
    assert seen({"dublin"}).splitlines() == [
        "Asked about keys: A module costs 400 euros.",
        *PARTS[1].text.splitlines(),
    ]


def test_of_a_comparison_only_what_names_the_live_one_remains() -> None:
    assert (
        seen({"dublin"}, live={"frankfurt", "rpo"}).splitlines()[0]
        == "Asked about RPO, Frankfurt: Frankfurt has 15 minutes. It costs 9 euros."
    )


def test_what_the_message_names_is_shown_though_closed() -> None:
    assert seen({"dublin"}, named={"dublin"}) == seen()
    assert seen({"dublin"}, named={"dublin office"}) == seen()


def test_a_name_within_a_word_is_no_name() -> None:
    assert seen({"dub", "hat rack", "key"}).count("Dublin") == 3
    assert "A module costs" not in seen({"key"})


def test_related_lines_come_first_and_then_recent_ones() -> None:
    assert (
        seen(words={"shoe", "return"}, budget=16)
        == "Asked about shoes: Shoes can be returned within 30 days."
    )
    assert seen(budget=12) == "Asked about hats: Hats cost 12 euros."


def test_no_room_means_nothing() -> None:
    assert seen(budget=0) == ""
    assert shown((), closed=set(), named=set(), message_keys=set(), budget=9, count=estimate_tokens) == ""


def test_a_text_without_headings_is_cut_by_sentences() -> None:
    part = SummaryPart(
        1, 3, "The user likes Dublin. It is green. Frankfurt has 15 zones.", engine="some-model"
    )
    text = shown(
        (part,), closed={"dublin"}, named=set(), message_keys=set(), budget=99, count=estimate_tokens
    )
    assert text == "Frankfurt has 15 zones."


NAMES = st.sampled_from(["Ward 7", "Vito", "Lotus", "Elm Street"])
SENTENCES = st.builds(
    lambda n, x, it: f"{'It' if it else n} costs {x} euros.", NAMES, st.integers(1, 99), st.booleans()
)
LINES = st.builds(
    lambda about, said: f"Asked about {', '.join(dict.fromkeys(about))}: {' '.join(said)}".strip(),
    st.lists(NAMES, min_size=1, max_size=3),
    st.lists(SENTENCES, max_size=4),
)
STRETCHES = st.lists(st.lists(LINES, min_size=1, max_size=3), max_size=5).map(
    lambda lists: tuple(SummaryPart(i, i, "\n".join(lines)) for i, lines in enumerate(lists, 1))
)
KEYS = st.sets(NAMES.map(key_of), max_size=3)


@settings(max_examples=200, deadline=None)
@given(STRETCHES, KEYS, KEYS, st.integers(0, 120))
def test_it_fits_names_nothing_closed_and_invents_nothing(
    parts: tuple[SummaryPart, ...], closed: set[str], named: set[str], budget: int
) -> None:
    text = shown(
        parts, closed=closed, named=named, message_keys={"euro"}, budget=budget, count=estimate_tokens
    )
    assert estimate_tokens(text) <= budget or not text
    assert not any(contains_key(key_of(text), key) for key in closed - named)
    said = {sentence for part in parts for block in read_blocks(part.text) for sentence in block.sentences}
    assert {sentence for block in read_blocks(text) for sentence in block.sentences} <= said
    assert all(sentence.endswith((".", ":")) for line in text.splitlines() for sentence in sentences(line))
