"""Who calls: a member, a program with a key, or an end user; and what they may do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tenants import acting
from tenants.access import Principal
from tenants.models import ApiKey, EndUser, Tenant, User
from tenants.roles import May, role_may, scopes_may
from tenants.selectors import principal_for
from tenants.selectors.people import account_actor

if TYPE_CHECKING:
    from rest_framework.request import Request


@dataclass(frozen=True, slots=True)
class Caller:
    """One of `key`, `user` (with the role of their membership, if they have one) or a bare `end_user`.

    `end_user` is the person that a signed-in account or a session token chats as; a key has none of its own.
    """

    tenant: Tenant
    key: ApiKey | None = None
    user: User | None = None
    role: str | None = None
    end_user: EndUser | None = None

    def may(self, what: May) -> bool:
        if self.key is not None:
            return scopes_may(self.key.scopes, what)
        return role_may(self.role, what) or (what is May.CHAT and self.end_user is not None)

    def may_any(self, wanted: Iterable[May]) -> bool:
        return any(self.may(what) for what in wanted)

    @property
    def id(self) -> str:
        """What repeats and rates are counted by."""
        if self.key is not None:
            return f"key:{self.key.pk}"
        return (
            f"user:{self.user.pk}" if self.user is not None else f"end_user:{cast(EndUser, self.end_user).pk}"
        )

    @property
    def actor(self) -> acting.Actor:
        if self.key is not None:
            return acting.key_actor(self.key)
        if self.user is not None:
            return account_actor(self.user)
        return acting.end_user_actor(cast(EndUser, self.end_user))

    def principal(self) -> Principal:
        """The grants of this moment. A key that reads documents reads all of them; any other sees none."""
        if self.key is not None:
            return Principal(self.tenant.pk, sees_all=self.may(May.READ_DOCUMENTS))
        return principal_for(tenant_id=self.tenant.pk, user=self.user, end_user=self.end_user)


def caller_of(request: Request) -> Caller:
    """The caller of a request that has passed its view's authentication."""
    return cast(Caller, request.auth)
