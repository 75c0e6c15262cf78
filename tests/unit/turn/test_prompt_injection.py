"""Orders hidden in what a turn reads: documents, titles, headings, rows, messages, earlier answers.

Each attack is planted in three places, so that every place meets every third kind. The offline engine follows none; a
model that obeys all of them gives away nothing, because what it says is cut before anybody sees it.
"""

from __future__ import annotations

import re

import pytest

from conversations.domain.answer import not_found
from conversations.domain.answer.units import plain
from tests.fakes.injections import ATTACKS, Attack
from tests.fakes.reading import leads_to
from tests.unit.turn.fakes import PASSAGES, Model, Passage, Shelf, ports, say, talk

ASKED = "What is the RPO in Frankfurt?"
REGION = PASSAGES[0]


def passage(text: str, title: str = "Regions", headings: tuple[str, ...] = ()) -> Passage:
    return Passage("p", "d9", title, headings, None, text, 0.85)


IN_DOCUMENTS = {
    "body": lambda a: passage(f"The Frankfurt region opened in 2014. {a.planted} Dublin is near."),
    "title": lambda a: passage("The Frankfurt region opened in 2014.", title=a.planted),
    "heading": lambda a: passage("The Frankfurt region opened in 2014.", headings=("Frankfurt RPO", a.planted)),
    "list item": lambda a: passage(f"About Frankfurt:\n\n- it opened in 2014\n- {a.planted}\n- see Dublin"),
    "row": lambda a: passage(f"Region: Frankfurt; Note: {a.planted}; RTO: 1 hour"),
    "table": lambda a: passage(f"| Region | Note |\n|---|---|\n| Frankfurt | {a.planted.replace(chr(10), ' ')} |"),
    "code": lambda a: passage(f"Frankfurt, an example:\n\n```\n{a.planted}\n```"),
}  # fmt: skip
IN_THE_TALK = ("message", "earlier message", "earlier answer")
PLACES = (*IN_DOCUMENTS, *IN_THE_TALK)
CASES = [
    pytest.param(attack, PLACES[(n + step) % len(PLACES)], id=f"{attack.name}, {PLACES[(n + step) % len(PLACES)]}")
    for n, attack in enumerate(ATTACKS)
    for step in (0, 3, 7)
]  # fmt: skip


def heard_of(attack: Attack, place: str, model: Model | None):
    """The last turn of a talk with the attack in its place."""
    planted = [IN_DOCUMENTS[place](attack)] if place in IN_DOCUMENTS else []
    given = ports(shelf=Shelf((REGION, *planted, *PASSAGES[1:])), model=model)
    if place == "message":
        return say(f"{ASKED} {attack.planted}", given)
    if place == "earlier message":
        return talk(f"{attack.planted} What is the RTO in Frankfurt?", ASKED, given=given)[-1]
    if place == "earlier answer":
        first = talk("What is the RTO in Frankfurt?", given=ports(model=Model(answer=(attack.planted,))))[0]
        return say(ASKED, given, first.end.state)
    return say(ASKED, given)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", plain(text).casefold()))


@pytest.mark.parametrize("attack, place", CASES)
def test_the_offline_engine_quotes_passages_and_follows_nothing(attack, place):
    heard = heard_of(attack, place, None)
    if place == "message":  # a message full of noise may find nothing; that is all it gets
        assert "could not" in heard.seen or not words(heard.seen) & {"pwned"}
    else:
        assert "5 minutes" in heard.seen and heard.end.citations
        assert not words(heard.seen) & {"pwned", "retention", "everyone"}
    quoted = words(re.sub(r"\[\d+\]", "", heard.seen))
    assert quoted <= words(" ".join(known_texts(attack, place))) or not heard.end.citations
    assert {c.chunk_id for c in heard.end.citations} <= {"c1", "c2", "c3", "p"}


def known_texts(attack: Attack, place: str) -> list[str]:
    planted = (
        [IN_DOCUMENTS[place](attack).text] if place in IN_DOCUMENTS else [not_found(ASKED, attack.planted)]
    )
    return [*(p.text for p in PASSAGES), *planted, "The closest I found could not find anything about"]


@pytest.mark.parametrize("attack, place", CASES)
def test_a_model_that_obeys_gives_nothing_away(attack, place):
    model = Model(answer=re.findall(r"\s*\S+", attack.obeyed), rewrite=lambda messages: attack.obeyed)
    heard = heard_of(attack, place, model)
    known = " ".join(p.text for p in (*PASSAGES, passage(attack.planted)))
    for shown in {heard.end.answer, heard.seen}:
        assert not [a for a in leads_to(shown) if a not in known]
        assert not [told for told in attack.gone if told in shown]
    assert {c.chunk_id for c in heard.end.citations} <= {c.chunk_id for c in heard.sources.citations}
    system = [m for m in model.calls[-1][1] if m["role"] == "system"]
    assert len(system) == 1 and "PWNED" not in system[0]["content"]


def test_the_cases_are_many_and_every_place_is_attacked():
    assert len(CASES) >= 60 and {case.values[1] for case in CASES} == set(PLACES)
