"""What was offered as the closest, where the thing asked for is in no document, is not carried into the next search."""

from __future__ import annotations

import pytest

from conversations.domain.answer import Passage
from conversations.domain.words import contains_key, key_of
from tests.unit.turn.fakes import Shelf, ports, talk

CLINIC = (
    "Our practice in Dublin is open from 8:00 to 18:00.",
    "Our practice in Galway is open from 9:00 to 17:00.",
    "A consultation costs €65.",
)
STAFF = (
    "Employees in Spain have 16 weeks of parental leave at full pay.",
    "Whoever is sick reports it before 9:00. Sick leave is paid for six weeks.",
)
CLOUD = (
    "The Starter plan costs $9 a month and has 10 GB of storage. The Team plan costs $29 a month.",
    "Backups are kept for 14 days.",
)


@pytest.mark.parametrize(
    ("sentences", "asked", "then", "closest"),
    [
        (CLINIC, "opening hours in cork?", "and galway?", "dublin"),
        (CLINIC, "When is the practice in Cork open?", "and what does a consultation cost?", "dublin"),
        (STAFF, "How much parental leave is there in Portugal?", "and sick leave?", "spain"),
        (CLOUD, "what does the enterprise plan cost?", "and how long are backups kept?", "starter"),
    ],
)
def test_the_closest_is_not_carried_on(
    sentences: tuple[str, ...], asked: str, then: str, closest: str
) -> None:
    stored = Shelf(tuple(Passage(f"c{n}", f"d{n}", "", (), None, text) for n, text in enumerate(sentences)))
    first, second = talk(asked, then, given=ports(shelf=stored))
    assert first.seen.startswith("I could not find anything about")
    assert contains_key(key_of(first.seen), closest)
    assert not contains_key(key_of(second.decided.query), closest)
