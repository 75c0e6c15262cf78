"""Examples for thresholds are collected from labelled follow-ups by the real pipeline, without a search or a model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.evaluation.calibrating import Collected, calibrated, collect, references_from
from conversations.evaluation.items import items_from

LOANS = ("How long may I keep a book from the library?", "A book may be kept for four weeks.")
LINES: list[dict[str, Any]] = [
    {"id": "first", "stratum": "first_turn", "follow_up": "How do I join the library?", "dependent": False},
    {"id": "unmarked", "stratum": "near_followup", "said": LOANS, "follow_up": "Who may extend the four weeks of a book?", "dependent": True, "reference": "Who may extend the loan of a book?"},
    {"id": "marked", "stratum": "near_followup", "said": LOANS, "follow_up": "Can I extend it?", "dependent": True, "reference": "Can I extend the loan of a book?"},
    {"id": "left", "stratum": "post_pivot_standalone", "said": LOANS, "follow_up": "Which buses stop near the museum?", "dependent": False},
    {"id": "unlabelled", "stratum": "near_followup", "said": LOANS, "follow_up": "What about films?", "dependent": None},
    {"id": "yes", "stratum": "short_answer", "said": LOANS, "follow_up": "yes", "dependent": True, "reference": "What does a reminder cost?"},
]  # fmt: skip


def line(told: dict[str, Any]) -> str:
    roles = ("user", "assistant")
    prefix = [{"role": roles[n % 2], "content": text} for n, text in enumerate(told.get("said", ()))]
    return json.dumps(
        {
            "id": told["id"],
            "stratum": told["stratum"],
            "prefix": prefix,
            "follow_up": told["follow_up"],
            "gold": ["nothing"],
            "reference_rewrite": told.get("reference"),
            "meta": {"context_dependent": told["dependent"]},
        }
    )


class Words:
    """An embedder of word counts."""

    async def embed(self, texts: Any) -> Any:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Any:
        values = np.full(512, 1e-3, dtype=np.float32)
        for word in text.lower().split():
            values[sum(map(ord, word.strip(".?!"))) % 512] += 1.0
        return values


class Nothing:
    """A retriever that may be asked for permissions and for nothing else."""

    async def permitted(self, chunk_ids: Any) -> frozenset[str]:
        return frozenset(chunk_ids)


async def _at_once(work: Any) -> Any:
    return work()


@pytest.fixture(scope="module")
def ports() -> Any:
    outside: Any = {"embedder": Words(), "retriever": Nothing(), "offload": _at_once}
    return Ports(language=SpacyEnglish(), clock=lambda: 0.0, count_tokens=len, **outside)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("set") / "items.jsonl"
    file.write_text("".join(f"{line(told)}\n" for told in LINES))
    return file


def quiet(what: str, done: int, total: int) -> None:
    pass


@pytest.fixture(scope="module")
def collected(ports: Any, path: Path) -> Collected:
    return asyncio.run(collect(items_from(path), references_from(path), ports, ScopePolicy(), quiet))


def test_it_takes_labelled_items_that_have_a_conversation(collected: Collected) -> None:
    assert [example.dependent for example in collected.examples] == [True, True, False, True]


def test_it_notes_which_items_are_marked_by_their_form(collected: Collected) -> None:
    unmarked, marked, _, _ = collected.examples
    assert (unmarked.marked, marked.marked) == (False, True)


def test_it_notes_which_items_left_the_subject(collected: Collected) -> None:
    assert [example.shifted for example in collected.examples] == [False, False, True, False]


def test_what_depends_is_nearer_than_what_left(collected: Collected) -> None:
    unmarked, _, left, _ = collected.examples
    assert unmarked.affinity > left.affinity
    assert unmarked.centroid > left.centroid


def test_it_compares_a_message_with_its_reference_where_the_message_says_enough(collected: Collected) -> None:
    assert len(collected.rewrites) == 1
    assert collected.rewrites[0] > 0.5


def test_it_notes_how_near_the_passages_of_a_corpus_come_to_a_message(ports: Any, path: Path) -> None:
    words = Words()
    passages = np.asarray([words._vector(text) for text in ("Buses stop near the museum", "Films")])
    passages = passages / np.linalg.norm(passages, axis=1, keepdims=True)
    told = asyncio.run(
        collect(items_from(path), references_from(path), ports, ScopePolicy(), quiet, passages)
    )
    unmarked, _, left, _ = (example.known or 0.0 for example in told.examples)
    assert left > unmarked


def test_without_passages_it_says_nothing_of_what_the_documents_know(collected: Collected) -> None:
    assert {example.known for example in collected.examples} == {None}


def test_it_calls_no_model_and_names_the_space(ports: Any, path: Path) -> None:
    items, references = items_from(path), references_from(path)
    found = asyncio.run(calibrated(items, references, ports, ScopePolicy(), "a/space/512", quiet))
    assert found.calibration.thresholds.space == "a/space/512"
    assert found.calibration.thresholds.related == ScopePolicy().thresholds.related
