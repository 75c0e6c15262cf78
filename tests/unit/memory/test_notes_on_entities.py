"""An entity that the user still means carries what was said about it, and nothing about what is closed."""

from __future__ import annotations

import pytest

from conversations.domain.liveness import Slot, Status
from conversations.domain.memory.notes import NOTES_KEPT, proper_part, slot_notes, with_notes
from conversations.domain.memory.values import Fact
from conversations.domain.state import ConversationState
from conversations.domain.words import key_of


def fact(entity: str, text: str, value: str, turn: int = 1, replaced_in: int = 0) -> Fact:
    return Fact(entity, key_of(entity), text, value, turn, replaced_in=replaced_in)


def slot(name: str, status: Status = Status.LIVE, slot_id: str = "s1", aliases: tuple[str, ...] = ()) -> Slot:
    return Slot(slot_id, "topic", name, status, 1, 2, aliases=aliases)


ROUNDS = (
    fact("Dr. Osei", "Dr. Osei does her rounds at 8:15.", "8:15"),
    fact("Ward 7", "Ward 7 is led by Dr. Osei.", "Dr. Osei", 2),
    fact("Dr. Osei", "Dr. Osei left in 2023.", "2023", 3, replaced_in=4),
    fact("Oseille", "Oseille is a plant.", "Oseille", 3),
)


def test_an_entity_is_known_by_what_was_said_about_it_newest_first() -> None:
    osei = slot("Osei", Status.STALE, aliases=("Amara Osei",))
    assert slot_notes(ROUNDS, osei) == ("Ward 7 is led by Dr. Osei.", "Dr. Osei does her rounds at 8:15.")


def test_what_is_said_of_a_name_is_said_of_the_thing_with_its_kind() -> None:
    facts = (fact("Marlow", "Marlow: depth 9 metres.", "9 metres"), fact("Severn", "Severn: 4 metres.", "4"))
    assert slot_notes(facts, slot("Marlow dock")) == ("Marlow: depth 9 metres.",)


@pytest.mark.parametrize(
    ("name", "part"), [("Marlow dock", "Marlow"), ("New Bridge Street", ""), ("reading room", ""), ("", "")]
)
def test_a_proper_part_needs_a_kind_beside_it(name: str, part: str) -> None:
    assert proper_part(name) == part


def test_only_what_the_user_still_means_has_notes() -> None:
    state = ConversationState(
        turn=4, slots=tuple(slot("Osei", status, f"s{n}") for n, status in enumerate(Status))
    )
    noted = {s.status for s in with_notes(state, ROUNDS, "").slots if s.notes}
    assert noted == {Status.LIVE, Status.STALE}


def test_what_names_something_closed_is_no_note_unless_the_message_names_it() -> None:
    state = ConversationState(turn=4, slots=(slot("Osei"), slot("Ward 7", Status.EVICTED, "s2")))
    assert with_notes(state, ROUNDS, key_of("and when?")).slots[0].notes == (
        "Dr. Osei does her rounds at 8:15.",
    )
    assert len(with_notes(state, ROUNDS, key_of("and for Ward 7?")).slots[0].notes) == 2


def test_a_closed_slot_bars_nothing_once_its_entity_is_open_again() -> None:
    state = ConversationState(
        turn=4, slots=(slot("Ward 7", Status.EVICTED, "s1"), slot("Ward 7", Status.LIVE, "s2"))
    )
    assert with_notes(state, ROUNDS, "").slots[1].notes == ("Ward 7 is led by Dr. Osei.",)


def test_an_entity_of_a_long_talk_keeps_a_handful_of_notes() -> None:
    facts = tuple(fact("Ward 7", f"Ward 7 had {n} beds.", f"{n} beds", n) for n in range(1, 60))
    notes = slot_notes(facts, slot("Ward 7"))
    assert len(notes) == NOTES_KEPT
    assert notes[0] == "Ward 7 had 59 beds."


def test_notes_are_never_stored() -> None:
    state = with_notes(ConversationState(turn=4, slots=(slot("Osei"),)), ROUNDS, "")
    assert state.slots[0].notes
    assert ConversationState.from_json(state.to_json()).slots[0].notes == ()
