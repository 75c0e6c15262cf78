"""A tenant with a few documents, two end users, and the rival's end user."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from conversations import wiring
from conversations.identity import Asker
from conversations.models import Turn
from conversations.services.turns import turn_accept
from retrieval import services as documents
from tenants.models import Audience
from tenants.scoping import tenant_scope
from tenants.services import end_user_for_device

REGIONS = b"""# Regions

## Frankfurt
In Frankfurt the recovery point objective (RPO) is 5 minutes and the recovery time objective (RTO) is 1 hour.

## Dublin
In Dublin the recovery point objective (RPO) is 15 minutes and the recovery time objective (RTO) is 4 hours.
"""
KEYS = b"# Keys\n\nA customer-managed key costs 3 euros per key and month. It is rotated every 90 days.\n"
SECRET = (
    b"# Project Aurora\n\nProject Aurora opens the Reykjavik region on the first of March with 12 people.\n"
)


def shelve(name: str, data: bytes, *, corpus: Any, restricted: bool = False) -> Any:
    document = documents.document_upload(corpus_id=corpus.id, filename=name, data=data, restricted=restricted)
    documents.document_index(document_id=document.id)
    return document


@pytest.fixture
def library(transactional_db: None, tenant: Any, rival: Any) -> Any:
    """The tenant's documents, open to everyone; the rival has a secret of its own."""
    with tenant_scope(rival.id):
        theirs = documents.corpus_create(name="Theirs", slug="theirs")
        documents.corpus_grant(corpus_id=theirs.id, group_id=Audience.objects.get(slug="everyone").group_id)
        shelve("aurora.md", SECRET, corpus=theirs)
    with tenant_scope(tenant.id):
        corpus = documents.corpus_create(name="Product", slug="product")
        documents.corpus_grant(corpus_id=corpus.id, group_id=Audience.objects.get(slug="everyone").group_id)
        shelve("regions.md", REGIONS, corpus=corpus)
        shelve("keys.md", KEYS, corpus=corpus)
        yield corpus


def visitor(tenant: Any, name: str = "one") -> Asker:
    return Asker(tenant, end_user_for_device(device=name), None)


@pytest.fixture
def asker(library: Any, tenant: Any) -> Asker:
    return visitor(tenant)


def answered(asker: Asker, text: str, session_id: Any = None, **more: Any) -> Turn:
    """Ask and wait for the stored outcome."""
    client_id = more.pop("client_id", None) or str(uuid4())
    accepted = turn_accept(
        end_user_id=asker.end_user_id, session_id=session_id, client_id=client_id, text=text
    )
    wiring.answer_now(accepted.turn.session_id, ports_for=wiring.ports_for_quick)
    return Turn.objects.get(pk=accepted.turn.pk)
