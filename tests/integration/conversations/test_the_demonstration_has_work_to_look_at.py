"""What an admin of the demonstration finds in the console has come about as it would for anybody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from config import demonstration, demonstration_work
from conversations.evaluation.records import EvaluationRun, FollowUpItem
from conversations.evaluation.what_if_records import WhatIfReplay
from conversations.models import Session, Turn, TurnTrace
from conversations.services.leases import lease_acquire
from retrieval import services as documents
from retrieval.models import Document
from tenants.models import EndUserAudience
from tenants.selectors.audit import audit_verify

NIMBUS = Path(__file__).resolve().parents[3] / "demo" / "nimbus"


@pytest.fixture
def nimbus(transactional_db: None, scoped: Any) -> tuple[Any, dict[str, Any]]:
    """The tenant with the people and audiences of the manifest, and the document that is withdrawn from one of them."""
    manifest = json.loads((NIMBUS / "manifest.json").read_text())
    audiences = demonstration._audiences(manifest)
    for person in manifest["people"]:
        demonstration._person(person, audiences)
    corpus = documents.corpus_create(name="Commercial", slug="commercial")
    item = next(
        item
        for described in manifest["corpora"]
        for item in described["documents"]
        if item["file"] == "partner-programme.md"
    )
    path = NIMBUS / "documents" / "commercial" / item["file"]
    demonstration._document(path, corpus, item, audiences)
    return scoped, manifest


def work(nimbus: tuple[Any, dict[str, Any]]) -> int:
    tenant, manifest = nimbus
    return demonstration._work(tenant, manifest)


def test_a_turn_is_flagged_because_its_person_lost_a_document(nimbus):
    said = work(nimbus)
    turns = list(Turn.objects.order_by("n"))
    assert [turn.verdict for turn in turns] == ["clean", "clean", "revoked"] and said == len(turns)
    assert turns[0].citations and not turns[-1].citations
    assert TurnTrace.objects.get(turn=turns[-1]).data["ruling"]["offending"]
    assert turns[-1].rating == "down"
    assert not EndUserAudience.objects.filter(end_user=turns[-1].session.end_user).exists()


def test_an_evaluation_and_a_replay_wait_for_the_worker(nimbus):
    work(nimbus)
    run, replay = EvaluationRun.objects.get(), WhatIfReplay.objects.get()
    wanted = nimbus[1]["evaluation"]
    assert (run.state, run.total) == ("queued", len(wanted["items"]) * len(wanted["strategies"]))
    assert (replay.state, replay.total) == ("queued", Turn.objects.count())
    gold = [reference for item in FollowUpItem.objects.all() for reference in item.gold]
    titles = {item["title"] for corpus in nimbus[1]["corpora"] for item in corpus["documents"]}
    assert gold and {reference.partition("#")[0] for reference in gold} <= titles
    assert run.requested_by.email == "ingrid@nimbus.example"


def test_loading_again_changes_nothing(nimbus):
    def rows() -> list[Any]:
        tables = (Turn, FollowUpItem, EvaluationRun, WhatIfReplay, Document)
        return [sorted(table.objects.values_list("pk", flat=True)) for table in tables]

    work(nimbus)
    before, log = rows(), audit_verify().entries
    work(nimbus)
    assert rows() == before
    assert audit_verify().entries == log


def test_a_conversation_that_somebody_has_open_already_is_said_to_its_end(nimbus, monkeypatch):
    """Their chat answers then. Saying on without the answer would make one thought of all messages, or too many."""
    tenant, _ = nimbus
    asker = demonstration._asker(tenant, "katrin@nimbus.example")
    session = demonstration._said(asker, "What is the RPO in Frankfurt?", "open-1", None)
    assert lease_acquire(session_id=session), "as the process does that serves the open chat"
    waited = []

    def other_process_ends(_seconds: float) -> None:
        waited.append(Turn.objects.get(n=2).state)
        Session.objects.filter(pk=session).update(lease_until=None, lease_token=None)

    monkeypatch.setattr(demonstration, "sleep", other_process_ends)
    for number in range(2, 9):
        demonstration._said(asker, f"What is the RPO in region {number}?", f"open-{number}", session)
    assert waited == ["accepted"]
    assert set(Turn.objects.values_list("state", flat=True)) == {"completed"}


def test_ratings_name_messages_that_are_said():
    manifest = json.loads((NIMBUS / "manifest.json").read_text())
    left = manifest["withdrawn"]
    said = {line["message"] for line in manifest["script"]} | {*left["before"], *left["after"]}
    assert {wanted["message"] for wanted in manifest["ratings"]} <= said
    items = list(demonstration_work._items(manifest, frozenset(manifest["evaluation"]["items"])))
    assert len(items) == len(manifest["evaluation"]["items"])
