"""The questions that the demonstration suggests and its scripts ask are answered from its documents, right and with a citation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conversations.models import Turn
from retrieval import services as documents
from tenants.models import Audience
from tests.integration.conversations.conftest import answered, visitor

DEMO = Path(__file__).resolve().parents[3] / "demo"
# The documents that hold the answers, beside others that say something like it.
SHELVES = {
    "nimbus": (
        "operations/recovery-objectives.md product/region-frankfurt.md product/encryption-keys.md "
        "product/billing-export-api.md product/reporting-export-api.md commercial/support-plans.md"
    ),
    "harbor": (
        "customer-care/returns-electronics.md customer-care/returns-overview.md customer-care/returns-shoes.md "
        "customer-care/international-norway-switzerland.md customer-care/international-orders.md "
        "customer-care/warranties.md customer-care/loyalty-the-grove.html stores/store-hours.md"
    ),
}
EXPECTED = {
    "What are the RPO and RTO in Frankfurt on the Business tier?": ("1 h", "4 h"),
    "How do customer-managed keys differ from external keys?": ("ustomer-managed", "xternal"),
    "What is the request limit of the Billing export API?": ("60 per minute",),
    "How fast does Enterprise support answer a P1 ticket?": ("15 minutes",),
    "How long do I have to return electronics?": ("30 days",),
    "What does delivery to Switzerland cost, and are duties included?": (
        "CHF 14",
        "paid on delivery|not included",
    ),
    "Which warranty does a sofa have?": ("10 years|3 years",),
    "When is the Leeds store open on Sunday?": ("11:00 to 17:00",),
    "Which kinds of encryption key are there in general?": ("latform-managed", "ustomer-managed", "xternal"),
    "How many requests a minute does the Billing export API allow?": ("60 per minute",),
    "How long do I have to send back a speaker that I have already opened?": ("30 days",),
    "Which tiers does The Grove have?": ("Seedling", "Sapling", "Cedar", "Redwood"),
    "What does delivery to Norway cost?": ("NOK 149",),
}
# What the scripted conversations ask without leaning on what went before.
STANDING_ALONE = {
    "nimbus": [
        "Which kinds of encryption key are there in general?",
        "How many requests a minute does the Billing export API allow?",
    ],
    "harbor": [
        "How long do I have to send back a speaker that I have already opened?",
        "Which tiers does The Grove have?",
        "What does delivery to Norway cost?",
    ],
}
WRONG = {"What is the request limit of the Billing export API?": "20 per minute"}


@pytest.fixture(params=sorted(SHELVES))
def shop(request: Any, transactional_db: None, scoped: Any) -> tuple[Any, list[str]]:
    """A tenant with a few documents of the demonstration, and the questions that it must answer."""
    manifest = json.loads((DEMO / request.param / "manifest.json").read_text())
    titles = {f"{c['slug']}/{d['file']}": d["title"] for c in manifest["corpora"] for d in c["documents"]}
    corpus = documents.corpus_create(name="Demonstration", slug="demonstration")
    documents.corpus_grant(corpus_id=corpus.id, group_id=Audience.objects.get(slug="everyone").group_id)
    for name in SHELVES[request.param].split():
        path = DEMO / request.param / "documents" / name
        document = documents.document_upload(
            corpus_id=corpus.id, filename=path.name, data=path.read_bytes(), title=titles[name]
        )
        documents.document_index(document_id=document.id)
    return scoped, manifest["suggested_questions"] + STANDING_ALONE[request.param]


def holds(turn: Turn, expected: str) -> bool:
    return any(phrase in turn.answer for phrase in expected.split("|"))


def test_its_suggested_and_scripted_questions_get_right_answers(shop):
    tenant, questions = shop
    for question in questions:
        turn = answered(visitor(tenant, question[:20]), question)
        assert all(holds(turn, expected) for expected in EXPECTED[question]), (question, turn.answer)
        assert turn.citations, question
        assert WRONG.get(question, "\0") not in turn.answer
