"""How near a message comes to passages that are known already: what earlier answers of a conversation rest on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from retrieval.domain.passages import Compared, Vector, Viewer
from retrieval.services.corpora import space_id
from retrieval.services.equipping import equipment
from tenants.scoping import current_tenant_id


def nearness(*, vector: Vector, chunk_ids: Collection[UUID], principal: Viewer) -> Mapping[UUID, Compared]:
    """Each passage with the largest cosine of a unit vector of today's model with it or one up to two places beside it.

    Missing are the passages that the principal may not see now, that are no longer published, and those whose corpus
    is searched in another model's space; all of them for a vector of another size, which is no vector of this space.
    """
    tools = equipment()
    space = tools.embeddings.space
    if not chunk_ids or len(vector) != space.dimensions:
        return {}
    return tools.index.nearness(
        tenant_id=current_tenant_id(),
        space_id=space_id(space),
        principal=principal,
        vector=vector,
        chunk_ids=chunk_ids,
    )
