"""Every number, proper name and decision of a long conversation is still in its summary or its ledger."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.domain.memory.facts import facts_of
from conversations.domain.memory.ledger import record
from conversations.domain.memory.plan import RECENT, needed_from
from conversations.domain.memory.summary import rolling_part, summarised
from conversations.domain.memory.survival import key_items, survival, text_of
from conversations.domain.memory.values import Fact, Level, SummaryPart
from conversations.domain.state import Exchange
from tests.unit.memory.talks import exchange, long_talk

# What a person wrote down while reading: a few numbers, names and decisions of each conversation's first turns.
REMEMBERED = {
    "hospital": ["14:00", "Henrik Solberg", "Dr. Piotr Wolski", "4417", "550 m", "K-12", "20 mg", "Nordkasse", "85 %",
                 "take the companion bed for four nights", "Grace Adeyemi", "20th", "Aino Virtanen"],
    "library": ["0.25 euros", "14 people", "Circle Card", "Ingrid Falk", "11 June 2025", "Johan Rabaeus", "25 MB",
                "Hallund Psalter", "1187", "75 euros", "Mei-Ling Chow", "use Skejby as our branch", "156.80"],
    "rental": ["94 EUR", "five adults", "Carolina", "2016", "14 July", "decided on Cover Plus", "481", "TP1923",
               "Beatriz Moura", "return it in Faro", "47.65", "Kiddo", "36 kg", "choose one of each", "1,298.80"],
}  # fmt: skip


@dataclass(frozen=True)
class Kept:
    covered: tuple[Exchange, ...]
    parts: tuple[SummaryPart, ...]
    facts: tuple[Fact, ...]


def remembered(name: str, language: SpacyEnglish) -> Kept:
    """The memory of a conversation, built turn by turn as a session builds it."""
    exchanges = long_talk(name, language.analyse)
    parts: tuple[SummaryPart, ...] = ()
    facts: tuple[Fact, ...] = ()
    for said in exchanges:
        new = facts_of(said, language.analyse(said.message), language.analyse(said.answer))
        corrects = said.message.startswith(("Actually", "Sorry"))
        facts = record(facts, new, correction=corrects, turn=said.turn)
        known = [e for e in exchanges[: said.turn] if e.turn >= needed_from(parts)]
        parts = summarised(parts, known, said.turn, lambda stretch: rolling_part(stretch, language.analyse))
    return Kept(exchanges[:-RECENT], parts, facts)


@pytest.mark.parametrize("name", list(REMEMBERED))
def test_it_survives_a_long_conversation(language: SpacyEnglish, name: str) -> None:
    kept = remembered(name, language)
    assert len(kept.covered) + RECENT >= 40
    assert len(key_items((e.answer for e in kept.covered), language.analyse)) > 60
    assert survival(kept.covered, kept.parts, kept.facts, language.analyse) >= 0.98
    assert survival(kept.covered, kept.parts, (), language.analyse) >= 0.98
    assert any(part.level is Level.DEEP for part in kept.parts)


@pytest.mark.parametrize("name", list(REMEMBERED))
def test_figures_and_capitalised_words_counted_another_way_survive_too(
    language: SpacyEnglish, name: str
) -> None:
    kept = remembered(name, language)
    said = " ".join(
        re.sub(r"\[\d+\]|^\s*\d+\.\s", " ", f"{e.message}\n{e.answer}", flags=re.M) for e in kept.covered
    )
    figures = set(re.findall(r"\d+(?:[.,:]\d+)*", said))
    proper = {t.text for e in kept.covered for x in (e.message, e.answer) for t in language.analyse(x).tokens
              if t.pos == "PROPN" and t.text[0].isupper()}  # fmt: skip
    text = "\n".join([*(p.text for p in kept.parts), *(f"{f.entity} {f.fact}" for f in kept.facts)])
    gone = [item for item in figures | proper if item not in text]
    assert len(gone) <= 0.02 * len(figures | proper), gone
    assert [item for item in REMEMBERED[name] if item not in text] == []


def test_the_measure_sees_a_loss(language: SpacyEnglish) -> None:
    said = (exchange(1, "What does it cost?", "It costs 38.50 euros, says Ms. Falk."),)
    part = SummaryPart(1, 1, "Asked: It costs something, says Ms. Falk.")
    assert survival(said, (part,), (), language.analyse) == pytest.approx(0.5)
    assert survival(said, (), (), language.analyse) == 0.0
    assert survival((), (), ()) == 1.0


def test_words_of_two_texts_never_make_one_item() -> None:
    parts = (SummaryPart(1, 1, "They are open until 14"), SummaryPart(2, 2, "people came"))
    assert "14 people" not in text_of(parts, ())


def test_scripts_without_spaces_survive_as_well() -> None:
    said = (exchange(1, "料金は?", "料金は500円です。"),)
    assert survival(said, (rolling_part(said),), ()) == 1.0
    assert survival(said, (SummaryPart(1, 1, "料金は600円です。"),), ()) < 1.0
