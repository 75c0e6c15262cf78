"""Where the self-test takes place: an owner with something to lose, and a rival who tries to get it.

Both are tenants of their own, made for the run and removed after it, with documents, people, a conversation and keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any
from uuid import UUID, uuid4

from conversations import wiring
from conversations.audits.canaries import canary_new
from conversations.audits.records import Canary, CanaryPlace
from conversations.evaluation.library import tenant_remove
from conversations.services.turns import turn_accept
from retrieval import services as documents
from retrieval.models import Chunk
from tenants.devices import device_of, device_token
from tenants.models import Audience, EndUser, Tenant
from tenants.scoping import tenant_scope
from tenants.services import audience_create, audiences_join, end_user_for_device, tenant_create

PREFIX = "selftest-"
TEXT = "# The {place}\n\nThe word that opens the {place} is {word}. Nobody else may ever read it.\n"
TOLD = "My own word for the vault of the Meridian project is {word}. Which word opens the vault?"


@dataclass(frozen=True, slots=True)
class Side:
    """One tenant, with three words that stand in one place each.

    `secret` stands in a document for everybody of the tenant, `inner_secret` in a restricted one, and `told_secret` in
    what `insider` told the assistant. `insider` may see the restricted document; `outsider` may not.
    """

    tenant: Tenant
    secret: str
    inner_secret: str
    told_secret: str
    insider: EndUser
    outsider: EndUser
    insider_token: str
    outsider_token: str
    document_id: UUID
    restricted_id: UUID
    chunk_id: UUID
    restricted_chunk_id: UUID
    audience: Audience
    session_id: UUID
    turn_id: UUID


@dataclass(frozen=True, slots=True)
class Ground:
    """`application` is the ASGI application that serves people."""

    owner: Side
    rival: Side
    application: Any


@contextmanager
def ground(application: Any) -> Iterator[Ground]:
    """Two tenants for as long as the block runs, whatever ends it."""
    made: list[Tenant] = []
    try:
        sides = [_side(name, made) for name in ("owner", "rival")]
        yield Ground(sides[0], sides[1], application)
    finally:
        for tenant in made:
            tenant_remove(tenant)


def _side(name: str, made: list[Tenant]) -> Side:
    tenant = tenant_create(slug=f"{PREFIX}{name}-{token_hex(4)}", name=f"Self-test {name}")
    made.append(tenant)
    with tenant_scope(tenant.id):
        return _furnished(tenant, canary_new(), canary_new(), canary_new())


def _furnished(tenant: Tenant, secret: str, inner: str, told: str) -> Side:
    device = {who: device_token(tenant.pk) for who in ("insider", "outsider")}
    people = {who: end_user_for_device(device=_device(tenant, token)) for who, token in device.items()}
    audience = audience_create(name="Insiders")
    audiences_join(end_user=people["insider"], audiences=[audience])
    corpus = documents.corpus_create(name="Vault", slug="vault")
    everyone = Audience.objects.get(slug=Audience.EVERYONE)
    documents.corpus_grant(corpus_id=corpus.id, group_id=everyone.group_id)
    shown = _shelved(corpus.id, "vault.md", TEXT.format(place="vault", word=secret))
    hidden = _shelved(
        corpus.id, "inner-vault.md", TEXT.format(place="inner vault", word=inner), restricted=True
    )
    documents.document_grant(document_id=hidden, group_id=audience.group_id)
    # The scan of what is written knows whose words these are: their own tenant reading them is no leak.
    for word, document_id in ((secret, shown), (inner, hidden)):
        Canary.objects.create(word=word, place=CanaryPlace.DOCUMENT, document_id=document_id)
    turn = _asked(people["insider"], TOLD.format(word=told))
    Canary.objects.create(word=told, place=CanaryPlace.SESSION, session_id=turn.session_id)
    return Side(
        tenant=tenant,
        secret=secret,
        inner_secret=inner,
        told_secret=told,
        insider=people["insider"],
        outsider=people["outsider"],
        insider_token=device["insider"],
        outsider_token=device["outsider"],
        document_id=shown,
        restricted_id=hidden,
        chunk_id=_chunk(shown),
        restricted_chunk_id=_chunk(hidden),
        audience=audience,
        session_id=turn.session_id,
        turn_id=turn.pk,
    )


def _device(tenant: Tenant, token: str) -> str:
    device = device_of(tenant.pk, token)
    assert device is not None, "a token just made is readable"
    return device


def _shelved(corpus_id: UUID, filename: str, text: str, *, restricted: bool = False) -> UUID:
    document = documents.document_upload(
        corpus_id=corpus_id, filename=filename, data=text.encode(), restricted=restricted
    )
    documents.document_index(document_id=document.id)
    return document.id


def _chunk(document_id: UUID) -> UUID:
    return Chunk.objects.filter(document_id=document_id).values_list("id", flat=True)[0]


def _asked(end_user: EndUser, text: str) -> Any:
    turn = turn_accept(end_user_id=end_user.pk, session_id=None, client_id=str(uuid4()), text=text).turn
    wiring.answer_now(turn.session_id, ports_for=wiring.ports_for_quick)
    return turn
