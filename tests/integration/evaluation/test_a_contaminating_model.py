"""A model that welds the loudest old name on to every rewrite does not get it past the guard."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings

from conversations import wiring
from tests.fakes.model_server import ModelServer, model_server
from tests.integration.evaluation.conftest import item

log = logging.getLogger(__name__)
CEILING = 0.02
FRANKFURT = (
    "What is the RPO in Frankfurt?",
    "In Frankfurt the RPO is 5 minutes, because Frankfurt has two zones.",
    "And the RTO in Frankfurt?",
    "In Frankfurt the RTO is 1 hour.",
)
KEYS = ("Another question: what does a customer-managed key cost?", "It costs 3 euros per key and month.")
SHOES = ("Something else, can I return shoes?", "Yes, within 30 days in their box.")
OLD = ["Frankfurt", "RPO", "RTO"]
ITEMS = [
    item("one", "post_pivot_followup", "how often is it rotated?", "rotation", *FRANKFURT, *KEYS, forbidden=OLD),
    item("two", "post_pivot_followup", "must they be in their box?", "shoes", *FRANKFURT, *SHOES, forbidden=OLD),
    item("three", "post_pivot_followup", "and how is that rotated?", "rotation", *FRANKFURT, *KEYS, forbidden=OLD),
    item("four", "post_pivot_followup", "and within how many days?", "shoes", *FRANKFURT, *SHOES, forbidden=OLD),
    item("five", "first_turn", "What does a customer-managed key cost?", "keys"),
]  # fmt: skip


@pytest.fixture
def contaminating(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with model_server("contaminating") as server:
        monkeypatch.setattr(settings, "OPENAI_BASE_URL", server.url)
        wiring.chat_model.cache_clear()
        yield server
    wiring.chat_model.cache_clear()


def test_what_it_welds_on_does_not_reach_retrieval(
    contaminating: ModelServer, evaluated: Callable[..., dict[str, Any]]
) -> None:
    guarded = evaluated(ITEMS, strategy=["typed", "liveness"])["strategies"]
    bare = evaluated(ITEMS, strategy=["liveness"], no_guard=True)["strategies"]

    stratum = "post_pivot_followup"
    kept, spilled = (told["liveness"]["strata"][stratum] for told in (guarded, bare))
    log.info("contamination %s with the guard, %s without", kept["contamination"], spilled["contamination"])
    assert contaminating.stats.chat > 0
    assert spilled["contamination"] > 0.5
    assert kept["contamination"] <= CEILING
    assert kept["recall@5"] >= guarded["typed"]["strata"][stratum]["recall@5"]


@pytest.mark.parametrize(
    "manner",
    ["welds_two", "welds_in_front", "paraphrases", "translates", "invents", "ten_lines", "passes_on"],
)
def test_no_other_manner_gets_past_the_guard(
    contaminating: ModelServer, evaluated: Callable[..., dict[str, Any]], manner: str
) -> None:
    contaminating.behave(manner)
    told = evaluated(ITEMS, strategy=["typed", "liveness"])["strategies"]

    kept, typed = (told[name]["strata"]["post_pivot_followup"] for name in ("liveness", "typed"))
    assert contaminating.stats.chat > 0
    assert kept["contamination"] <= CEILING
    assert kept["invented"] == 0
    assert kept["recall@5"] >= typed["recall@5"]


def test_a_turn_costs_two_model_calls_at_most_and_one_when_it_stands_alone(
    contaminating: ModelServer, evaluated: Callable[..., dict[str, Any]]
) -> None:
    strata = evaluated(ITEMS)["strategies"]["liveness"]["strata"]

    assert strata["first_turn"]["model_calls"] == 1
    assert 1 < strata["post_pivot_followup"]["model_calls"] <= 2
