"""Whatever has left a session's state is still found: by what it is about, and by what it means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conversations.adapters.archive import SessionArchive
from conversations.domain.vectors import pack
from conversations.models import ArchivedExchange
from conversations.wiring import run_apart
from tenants.scoping import tenant_scope
from tests.integration.memory.conftest import tell
from tests.unit.memory.talks import exchange, term


def direction(*at):
    vector = np.zeros(8, dtype=np.float32)
    vector[list(at)] = 1.0
    return vector / np.linalg.norm(vector)


def meaning(one, *at):
    return replace(one, query_vector=pack(direction(*at)))


SAID = [
    meaning(exchange(1, "Who runs the north ward?", "Dr Osei does.", ["north ward"]), 0),
    meaning(exchange(2, "How many beds has it?", "It has 24 beds.", ["bed"]), 1),
    replace(meaning(exchange(3, "And the south ward?", "It has 30 beds."), 2), inherited=(term("bed"),)),
    replace(meaning(exchange(4, "Which units are there?", "These."), 3), items=(term("burns unit"),)),
    meaning(exchange(5, "Where do I park?", "Behind the hospital.", ["parking"]), 4),
]


@pytest.fixture
def session_id(person):
    return tell(person, SAID)


def naming(session_id, *keys, before=99):
    found = run_apart(SessionArchive(session_id).naming(keys, before))
    return [one.turn for one in found]


def test_it_finds_the_users_own_terms_inherited_ones_and_listed_ones(session_id):
    assert naming(session_id, "north ward") == [1]
    assert naming(session_id, "bed") == [3, 2]
    assert naming(session_id, term("burns unit").key) == [4]


def test_a_name_is_found_inside_a_longer_one_as_whole_words(session_id):
    assert naming(session_id, "ward") == [1] and naming(session_id, "war") == []


def test_it_finds_only_what_was_before(session_id):
    assert naming(session_id, "bed", before=3) == [2] and naming(session_id, "bed", before=1) == []


def test_exchanges_come_back_as_they_were(session_id):
    assert run_apart(SessionArchive(session_id).naming(["parking"], 99)) == (SAID[4],)


def test_it_finds_what_is_nearest_in_meaning(session_id):
    found = run_apart(SessionArchive(session_id).nearest(direction(1), 99))
    assert [one.turn for one in found] == [2]
    both = run_apart(SessionArchive(session_id).nearest(direction(0, 2), 99))
    assert [one.turn for one in both] == [3, 1]


def test_it_opens_a_session_again_from_its_beginning(session_id):
    found = run_apart(SessionArchive(session_id).opening(3))
    assert [one.turn for one in found] == [3, 2, 1]


def test_a_vector_of_another_embedding_space_finds_nothing_and_breaks_nothing(session_id):
    wider = np.ones(16, dtype=np.float32) / 4
    assert run_apart(SessionArchive(session_id).nearest(wider, 99)) == ()
    assert run_apart(SessionArchive(session_id).nearest(None, 99)) == ()


def test_few_come_back_the_newest(person):
    session_id = tell(person, [exchange(n, f"Ward {n}?", "Yes.", ["ward"]) for n in range(1, 10)])
    assert naming(session_id, "ward") == [9, 8, 7, 6, 5, 4]


def test_another_session_and_the_rival_find_nothing_of_it(session_id, person, rival):
    other = tell(person, [exchange(1, "Hello", "Hello.", ["greeting"])])
    assert naming(other, "bed") == []
    with tenant_scope(rival.id):
        assert naming(session_id, "bed") == []
        assert run_apart(SessionArchive(session_id).nearest(direction(1), 99)) == ()


def test_an_exchange_that_is_stored_twice_is_there_once(person):
    session_id = tell(person, SAID[:2])
    tell(person, [replace(SAID[1], answer="It has 26 beds.")], session_id)
    assert list(ArchivedExchange.objects.order_by("n").values_list("n", "data__answer")) == [
        (1, "Dr Osei does."),
        (2, "It has 26 beds."),
    ]
