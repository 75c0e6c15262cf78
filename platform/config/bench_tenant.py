"""A throwaway tenant for benchmarks of the chat: a few documents open to everyone, visitors, and a long conversation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from conversations.evaluation.library import tenant_remove
from conversations.identity import Asker
from retrieval import services as documents
from retrieval.adapters.storage.filesystem import FilesystemBlobs
from tenants.models import Audience, Tenant
from tenants.scoping import no_scope, tenant_scope
from tenants.services import end_user_for_device, tenant_create
from tenants.services.quotas import quotas_set

BRANCHES = ("Ashford", "Brampton", "Colwick", "Denholm", "Elmstead", "Fairford")
UNLIMITED = (
    "turns_per_day",
    "model_tokens_per_month",
    "concurrent_streams",
    "end_user_turns_per_minute",
    "visits_per_minute",
)
_OPENINGS = (
    "What does the {0} branch charge for a late book?",
    "And how long can a book be kept there?",
    "Different question: when does the {1} branch open on Saturdays?",
    "Who looks after its reading room?",
    "How many seats does it have?",
    "What about {2}?",
    "Can I reserve a study room at the {2} branch?",
    "How much does it cost?",
    "Go back to {0}: does it lend laptops?",
    "Thanks. How do I renew a library card?",
)


def message(number: int) -> str:
    """The `number`-th message of a conversation that follows up, moves on and returns, from 0.

    No two are alike, else what is remembered of their analysis and their vectors would be measured.
    """
    first = number // len(_OPENINGS)
    names = [BRANCHES[(first + n) % len(BRANCHES)] for n in range(3)]
    text = _OPENINGS[number % len(_OPENINGS)].format(*names)
    return f"{text[:-1]} on day {number + 1}{text[-1]}"


@contextmanager
def tenant_with_documents() -> Iterator[Tenant]:
    """The tenant, removed with its files whatever ends the block."""
    with no_scope():
        tenant = tenant_create(slug=f"bench-{uuid4().hex[:10]}", name="Library bench")
    try:
        with TemporaryDirectory() as folder, tenant_scope(tenant.id):
            _fill(Path(folder))
        yield tenant
    finally:
        with no_scope(), suppress(Tenant.DoesNotExist):
            tenant_remove(Tenant.objects.get(pk=tenant.pk))


def visitor(tenant: Tenant, name: str) -> Asker:
    with tenant_scope(tenant.id):
        return Asker(tenant, end_user_for_device(device=name), None)


def _fill(folder: Path) -> None:
    quotas_set(quotas=dict.fromkeys(UNLIMITED))
    tools = replace(documents.equipment(), blobs=FilesystemBlobs(folder))
    corpus = documents.corpus_create(name="Branches")
    documents.corpus_grant(corpus_id=corpus.id, group_id=Audience.objects.get(slug="everyone").group_id)
    with documents.equipped(tools):
        for number, branch in enumerate(BRANCHES):
            data = _document(branch, number).encode()
            row = documents.document_upload(corpus_id=corpus.id, filename=f"{branch}.md", data=data)
            documents.document_index(document_id=row.id)


def _document(branch: str, n: int) -> str:
    return f"""# The {branch} branch

## Loans
The {branch} branch charges {10 + n} cents a day for a late book. A book can be kept for {n + 2} weeks.
The {branch} branch lends {n + 3} laptops, each for two hours, to anybody with a library card.

## Opening hours
The {branch} branch opens at {8 + n % 3} on Saturdays and closes at {15 + n % 4}.

## Rooms
The reading room of {branch} has {20 + 5 * n} seats and is looked after by the night desk.
A study room at the {branch} branch can be reserved for {2 + n} euros an hour.
"""
