"""Plants canaries in a tenant: a document that nobody is granted, and a conversation that nobody else had.

Their names say what they are, so that an admin who meets one knows. Planting again finds what is there.
"""

from __future__ import annotations

from uuid import uuid4

from django.db import transaction

from conversations.audits.canaries import canary_new
from conversations.audits.records import SUBJECT, Canary, CanaryPlace
from conversations.models import Session, Turn, TurnState
from kernel.clock import now
from retrieval import services as documents
from retrieval.models import Corpus
from tenants.models import EndUser, EndUserKind

SLUG = "leak-detection"
TEXT = (
    "# Leak detection\n\nThis document belongs to the leakage audit. Nobody is allowed to see it. Its canary is {word}."
    " Where that word turns up, something has leaked: please tell the platform's staff.\n"
)
MESSAGE = "Leak detection: the canary of this conversation is {word}. It must never be seen outside it."


def canaries_plant() -> tuple[Canary, Canary]:
    """The current tenant's canaries in a document and in a conversation, planted where they are missing."""
    return _in_document(), _in_session()


def _in_document() -> Canary:
    known = Canary.objects.filter(place=CanaryPlace.DOCUMENT).first()
    if known is not None:
        return known
    word = canary_new()
    corpus = Corpus.objects.filter(slug=SLUG).first() or documents.corpus_create(
        name="Leak detection", slug=SLUG
    )
    document = documents.document_upload(
        corpus_id=corpus.id,
        filename="leak-detection.md",
        data=TEXT.format(word=word).encode(),
        restricted=True,
    )
    documents.document_index(document_id=document.id)
    return Canary.objects.create(word=word, place=CanaryPlace.DOCUMENT, document_id=document.id)


@transaction.atomic
def _in_session() -> Canary:
    known = Canary.objects.filter(place=CanaryPlace.SESSION).first()
    if known is not None:
        return known
    word, moment = canary_new(), now()
    person, _ = EndUser.objects.get_or_create(
        subject=SUBJECT, defaults={"kind": EndUserKind.ANONYMOUS, "name": "Leak detection"}
    )
    session = Session.objects.create(
        end_user=person, opened_by=str(uuid4()), title="Leak detection", turn_count=1
    )
    Turn.objects.create(
        session=session,
        n=1,
        client_id=session.opened_by,
        message=MESSAGE.format(word=word),
        answer=MESSAGE.format(word=word),
        state=TurnState.COMPLETED,
        finished_at=moment,
    )
    return Canary.objects.create(word=word, place=CanaryPlace.SESSION, session=session)
