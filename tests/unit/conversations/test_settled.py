"""What the guard kept out of the search is not remembered either."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conversations.domain.contextualize import Contextualized, contextualize_offline
from conversations.domain.settled import settled
from conversations.domain.words import contains_key, key_of

MESSAGE = "do they have to be unworn?"


@pytest.fixture
def model(cloud: Any) -> Any:
    """The account that is remembered after a model wrote `query`."""

    def written(query: str, **more: Any) -> Contextualized:
        heard = cloud.hear(MESSAGE, lambda reading: json.dumps({"query": query, **more}))
        offline = contextualize_offline(heard.reading, heard.classification, heard.scope, cloud.state)
        return settled(heard.contextualized, offline, heard.ruling, cloud.state)

    return written


def test_it_remembers_an_accepted_rewrite_as_it_was_written(model: Any) -> None:
    account = model("Do shoes have to be unworn?")
    assert (account.query, account.origin) == ("Do shoes have to be unworn?", "model")
    assert [term.key for term in account.added] == ["shoe"]


def test_it_forgets_what_was_dropped(model: Any, cloud: Any) -> None:
    keys = cloud.slot("customer-managed keys")
    account = model("Do shoes have to be unworn with customer-managed keys?", refers_to=[keys.id])
    assert account.query == "Do shoes have to be unworn?"
    assert keys.id not in account.refers_to
    assert not any(contains_key(term.key, "key") for term in account.added)


def test_it_remembers_the_rules_where_their_wording_was_searched(model: Any) -> None:
    account = model("Frankfurt demands that they are unworn")
    assert account.origin == "offline"
    assert not contains_key(key_of(account.query), "frankfurt")
    assert "shoe" in {term.key for term in account.added}


def test_a_model_keeps_no_entity_of_another_thread_alive_by_listing_it(cloud: Any) -> None:
    everything = [slot.id for slot in cloud.state.slots]
    reply = json.dumps({"query": "Do shoes have to be unworn?", "refers_to": everything})
    heard = cloud.hear(MESSAGE, lambda reading: reply)
    names = {cloud.state.slot(slot_id).name for slot_id in heard.contextualized.refers_to}
    assert names == {"shoes"}


@pytest.mark.parametrize(
    ("query", "named"),
    [("What is the RPO for Frankfurt?", ["Frankfurt"]), ("What is the RPO in the first region?", [])],
)
def test_what_is_pointed_at_is_named_whoever_wrote_the_query(
    cloud: Any, query: str, named: list[str]
) -> None:
    heard = cloud.hear("my first question again", lambda reading: json.dumps({"query": query}))
    offline = contextualize_offline(heard.reading, heard.classification, heard.scope, cloud.state)
    account = settled(heard.contextualized, offline, heard.ruling, cloud.state)
    assert [term.text for term in account.named if term.name and term.type == "place"] == named
