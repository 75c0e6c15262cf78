"""Search and citations: what a passage's id or its very words are worth to somebody who may not see it."""

from __future__ import annotations

from uuid import UUID

from conversations.audits.isolation.ground import Ground, Side
from conversations.audits.isolation.trials import Leaked, nothing, refused, trial
from kernel.errors import NotFound
from retrieval import services as documents
from retrieval.domain.passages import SearchRequest, WeightedQuery
from retrieval.selectors import passage_get, passages_get, passages_visible
from tenants.access import Principal
from tenants.models import EndUser
from tenants.scoping import tenant_scope
from tenants.selectors import principal_for


@trial("search finds nothing of another tenant, by its very words")
def _search_across(ground: Ground) -> str:
    owner, rival = ground.owner, ground.rival
    if not _found(owner, _principal(owner, owner.insider), owner.secret):
        raise Leaked("the owner does not find its own document: the check proves nothing")
    askers = [_principal(rival, rival.insider), Principal(rival.tenant.id, sees_all=True)]
    borrowed = [_principal(owner, owner.insider), Principal(owner.tenant.id, sees_all=True)]
    for asker in askers + borrowed:
        nothing(_found(rival, asker, owner.secret), "passages of another tenant")
    return f"{len(askers + borrowed)} askers, the owner's own grants among them, found nothing"


@trial("search finds nothing restricted for somebody of the same tenant")
def _search_restricted(ground: Ground) -> str:
    owner = ground.owner
    if owner.restricted_id not in _found(owner, _principal(owner, owner.insider), owner.inner_secret):
        raise Leaked("the insider does not find the restricted document: the check proves nothing")
    found = _found(owner, _principal(owner, owner.outsider), owner.inner_secret)
    nothing(found & {owner.restricted_id}, "restricted documents found by somebody without a grant")
    return "found by the insider, not by the outsider"


@trial("a citation of another tenant's passage opens nothing")
def _citation_across(ground: Ground) -> str:
    owner, rival = ground.owner, ground.rival
    with tenant_scope(rival.tenant.id):
        return _opens_nothing(owner.chunk_id, Principal(rival.tenant.id, sees_all=True))


@trial("a citation of a restricted passage opens nothing without a grant")
def _citation_restricted(ground: Ground) -> str:
    owner = ground.owner
    with tenant_scope(owner.tenant.id):
        return _opens_nothing(owner.restricted_chunk_id, _principal(owner, owner.outsider))


@trial("a revoked grant ends at the next query")
def _revoked(ground: Ground) -> str:
    owner = ground.owner
    group = owner.audience.group_id
    with tenant_scope(owner.tenant.id):
        documents.document_revoke(document_id=owner.restricted_id, group_id=group)
        try:
            found = _found(owner, _principal(owner, owner.insider), owner.inner_secret)
            nothing(found & {owner.restricted_id}, "documents found after the grant was taken back")
            return _opens_nothing(owner.restricted_chunk_id, _principal(owner, owner.insider))
        finally:
            documents.document_grant(document_id=owner.restricted_id, group_id=group)


@trial("how near a message comes is told of no passage out of sight")
def _nearness(ground: Ground) -> str:
    owner, rival = ground.owner, ground.rival
    insider, outsider = _principal(owner, owner.insider), _principal(owner, owner.outsider)
    with tenant_scope(owner.tenant.id):
        if not _near(owner.restricted_chunk_id, insider):
            raise Leaked("the insider is told nothing of the restricted passage: the check proves nothing")
        nothing(_near(owner.restricted_chunk_id, outsider), "cosines of a restricted passage")
    askers = [Principal(rival.tenant.id, sees_all=True), Principal(owner.tenant.id, sees_all=True), insider]
    with tenant_scope(rival.tenant.id):
        for asker in askers:
            nothing(_near(owner.chunk_id, asker), "cosines of another tenant's passage")
    return f"told to the insider, not to the outsider and {len(askers)} askers of another tenant"


def _near(chunk_id: UUID, principal: Principal) -> dict[UUID, str]:
    """The texts that the comparison tells of."""
    vector = documents.equipment().embeddings.embed_query("The word that opens the vault")
    told = documents.nearness(vector=vector, chunk_ids=[chunk_id], principal=principal)
    return {found: near.text for found, near in told.items()}


def _opens_nothing(chunk_id: UUID, principal: Principal) -> str:
    nothing(passages_visible([chunk_id], principal), "passages called visible")
    nothing(passages_get([chunk_id], principal), "passages handed out")
    nothing(_near(chunk_id, principal), "passages compared with")
    return refused(lambda: passage_get(chunk_id, principal), NotFound)


def _principal(side: Side, end_user: EndUser) -> Principal:
    with tenant_scope(side.tenant.id):
        return principal_for(tenant_id=side.tenant.pk, user=None, end_user=end_user)


def _found(side: Side, principal: Principal, words: str) -> set[UUID]:
    """Documents that a search inside this tenant finds for these words."""
    query = WeightedQuery(f"The word that opens the vault is {words}", 1.0, 1.0)
    with tenant_scope(side.tenant.id):
        result = documents.search(request=SearchRequest(queries=(query,), principal=principal, limit=50))
    return {hit.document_id for hit in result.hits if words in hit.text}
