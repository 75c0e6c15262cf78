"""Whatever a model writes: read as Markdown with HTML, nothing in it leads to an address that no passage holds."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.domain.answer import CitationStream, Passage, cited
from tests.fakes.injections import ATTACKS, EVIL, SECRET
from tests.fakes.reading import leads_to

KNOWN = "https://docs.example/rpo"
PASSAGES = (Passage("c1", "d1", "Recovery", (), 4, f"The RPO is 5 minutes. See {KNOWN}.", 1.0),)
EXAMPLES = int(os.environ.get("ANTECEDENT_FUZZ_EXAMPLES", "300"))

PIECES = st.sampled_from(
    ["[", "]", "(", ")", "<", ">", "!", "`", "```\n", "~~~\n", "\n", "\n\n", " ", "    ", "\\", ":", "/", "//", "\"", "'",
     "[r]", "[r]:", "](", "![", "[1]", "[1]:", "&#104;ttps", "&colon;", "https", "https:", "https://", "HTTPS:/", "mailto:",
     "javascript:", "data:text/html,", "www.", EVIL, f"{EVIL}/?q={SECRET}", f"https://{EVIL}/{SECRET}", KNOWN, "@",
     "<a href=", "<img src=", "<img\n", "src=", " onerror=", "<script>", "</script>", "<svg", "<style>", "- ", "> ", "word", "*",
     "https\\://", "https:\\/\\/", "/\\", "\u200b", "|"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=16).map("".join)


def foreign(markdown: str) -> list[str]:
    """Addresses that are in no passage, empty ones and those that stay on the page aside."""
    led = leads_to(markdown)
    return [a for a in led if a != KNOWN and (EVIL in a or re.match(r"(?i)javascript:|data:", a))]


@settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)
@given(TEXTS)
def test_a_finished_answer_leads_nowhere_else(text):
    assert not foreign(cited(text, PASSAGES).text)


@settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)
@given(TEXTS, st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_an_answer_that_is_still_arriving_leads_nowhere_else(text, cuts):
    stream, shown, at, turn = CitationStream(PASSAGES), "", 0, 0
    while at < len(text):
        step = cuts[turn % len(cuts)]
        shown += stream.feed(text[at : at + step])
        at, turn = at + step, turn + 1
    assert not foreign(shown + stream.finish())


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
@pytest.mark.parametrize("size", [1, 3, 7, 4000])
def test_known_attacks_lead_nowhere_however_they_arrive(attack, size):
    stream = CitationStream(PASSAGES)
    said = attack.obeyed
    shown = "".join(stream.feed(said[i : i + size]) for i in range(0, len(said), size)) + stream.finish()
    assert not leads_to(shown)
    assert not [told for told in attack.gone if told in shown]


def test_an_image_of_a_passage_becomes_a_link():
    assert cited(f"![plan]({KNOWN})", PASSAGES).text == f"[plan]({KNOWN})"


def test_the_reading_itself_finds_what_the_attacks_carry():
    found = [a.name for a in ATTACKS if SECRET in a.obeyed and any(SECRET in x for x in leads_to(a.obeyed))]
    assert len(found) > 20
