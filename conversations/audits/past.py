"""Who might see which document at an earlier moment, worked out from the audit log alone.

The log is read from the workspace's first entry on, in its order, so that granting twice or taking back what nobody had
changes nothing. It says who had which role, who was in which audience, what was granted to whom, and which documents
needed a grant of their own; documents never change their corpus. It does not say what an audience that was deleted since
was called, so what hangs on a grant to such a one stays untold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tenants.access import SEES_ALL_ROLES
from tenants.models import Audience, AuditEntry, EndUser, User

Holder = tuple[str, int]
"""("user", its id) or ("group", the id of an audience's group)."""


@dataclass(frozen=True, slots=True)
class Names:
    """What entries call people and audiences: whose address is whose, whose end user an account's is."""

    users: Mapping[str, int]
    end_users: Mapping[int, str]
    groups: Mapping[str, int]
    builtin: Mapping[str, int]
    accounts: Mapping[str, int]


@dataclass(slots=True)
class Past:
    """The state after the entries that `read` was given, oldest first."""

    names: Names
    roles: dict[int, tuple[str, datetime | None]] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)
    inside: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    grants: dict[str, set[Holder]] = field(default_factory=lambda: defaultdict(set))
    restricted: set[str] = field(default_factory=set)

    def read(self, entry: AuditEntry) -> None:
        _READ[entry.action](self, entry)

    def may_see(self, end_user: str, document: str, corpus: str, moment: datetime) -> bool | None:
        """Whether the end user might see the document of the corpus; None where the log does not tell."""
        user = self.names.accounts.get(end_user)
        role, until = self.roles.get(user, ("", None)) if user is not None else ("", None)
        is_member = bool(role) and (until is None or until > moment)
        if is_member and role in SEES_ALL_ROLES:
            return True
        holders = {("group", group) for group in self.inside[end_user]}
        holders |= {
            ("group", group)
            for slug, group in self.names.builtin.items()
            if is_member or slug == Audience.EVERYONE
        }
        if user is not None and user not in self.left:
            holders.add(("user", user))
        granted = set(self.grants[document])
        if document not in self.restricted:
            granted |= self.grants[corpus]
        if holders & granted:
            return True
        known = {*self.names.groups.values(), *self.names.builtin.values()}
        return None if any(kind == "group" and group not in known for kind, group in granted) else False

    def _joined(self, entry: AuditEntry) -> None:
        self._put(str(entry.data["end_user"]), joined=[entry.target], left=[])

    def _gone(self, entry: AuditEntry) -> None:
        self._put(str(entry.data["end_user"]), joined=[], left=[entry.target])

    def _set(self, entry: AuditEntry) -> None:
        self._put(entry.target, joined=entry.data["joined"], left=entry.data["left"])

    def _put(self, end_user: str, *, joined: Iterable[str], left: Iterable[str]) -> None:
        groups = self.names.groups
        self.inside[end_user] |= {groups[name] for name in joined if name in groups}
        self.inside[end_user] -= {groups[name] for name in left if name in groups}

    def _enter(self, entry: AuditEntry) -> None:
        user = entry.data.get("user") or self.names.users.get(entry.target)
        if user is not None:
            until = entry.data.get("until")
            self.roles[user] = (entry.data["role"], datetime.fromisoformat(until) if until else None)
            self.left.discard(user)

    def _leave(self, entry: AuditEntry) -> None:
        user = self.names.users.get(entry.target)
        if user is not None:
            self.roles.pop(user, None)
            self.left.add(user)
            self.inside.pop(self.names.end_users.get(user, ""), None)

    def _grant(self, entry: AuditEntry) -> None:
        for target in _targets(entry):
            self.grants[target] |= _holders(entry.data)

    def _revoke(self, entry: AuditEntry) -> None:
        for target in _targets(entry):
            self.grants[target] -= _holders(entry.data)

    def _restrict(self, entry: AuditEntry) -> None:
        if entry.data["restricted"]:
            self.restricted |= set(entry.data["documents"])
        else:
            self.restricted -= set(entry.data["documents"])


_OF_ACCOUNTS: dict[str, Callable[[Past, AuditEntry], None]] = {
    "membership.set": Past._enter,
    "support.entered": Past._enter,
    "membership.removed": Past._leave,
    "support.left": Past._leave,
}
"""Actions whose target is the address of an account."""
_READ = _OF_ACCOUNTS | {
    "audience.joined": Past._joined,
    "audience.left": Past._gone,
    "end_user.audiences_set": Past._set,
    "end_user.audiences_claimed": Past._set,
    "access.granted": Past._grant,
    "access.revoked": Past._revoke,
    "documents.restricted": Past._restrict,
}
ACTIONS = tuple(_READ)


def names_now() -> Names:
    """The current tenant's names. Addresses are those of accounts that its log names."""
    audiences = list(Audience.objects.values_list("pk", "slug", "group_id", "builtin"))
    accounts = _accounts()
    named = AuditEntry.objects.filter(action__in=_OF_ACCOUNTS).values_list("target", flat=True).distinct()
    groups = {name: group for pk, slug, group, _ in audiences for name in (str(pk), slug)}
    return Names(
        users=dict(User.objects.filter(email__in=list(named)).values_list("email", "pk")),
        end_users={user: end_user for end_user, user in accounts.items()},
        groups=groups,
        builtin={slug: group for _, slug, group, builtin in audiences if builtin},
        accounts=accounts,
    )


def _accounts() -> dict[str, int]:
    """The account behind each end user, also of one who was taken out since."""
    rows = EndUser.objects.filter(subject__startswith="account:").values_list("pk", "subject", "user_id")
    return {
        str(pk): user or int(subject.removeprefix("account:"))
        for pk, subject, user in rows
        if user or subject.removeprefix("account:").isdecimal()
    }


def log_is_whole() -> bool:
    """Whether the log begins with the workspace: what was granted before is in no log."""
    first = AuditEntry.objects.order_by("seq").values_list("action", flat=True).first()
    return bool(first == "tenant.created")


def _targets(entry: AuditEntry) -> list[str]:
    return [entry.target] if entry.target else list(entry.data["to"])


def _holders(data: Mapping[str, Any]) -> set[Holder]:
    users = [*data.get("users", ()), *([data["user_id"]] if "user_id" in data else [])]
    groups = [*data.get("groups", ()), *([data["group_id"]] if "group_id" in data else [])]
    return {("user", user) for user in users} | {("group", group) for group in groups}
