"""Who asks, as a value that services and queries can use without knowing about requests."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from tenants.models import Role

SEES_ALL_ROLES = frozenset({Role.OWNER, Role.ADMIN, Role.EDITOR})


@dataclass(frozen=True, slots=True)
class Principal:
    """The asking person in one tenant, with the grants they act under.

    `group_ids` are the Django groups behind the person's audiences, built-in ones included.
    `sees_all` is for members who manage documents: owner, admin, editor.
    """

    tenant_id: UUID
    user_id: int | None = None
    end_user_id: UUID | None = None
    group_ids: tuple[int, ...] = ()
    sees_all: bool = False
    role: str | None = None

    @property
    def manages_documents(self) -> bool:
        return self.sees_all

    @property
    def reads_console(self) -> bool:
        return self.role is not None
