"""Many documents at once from the console: what a form chose, what would change, and doing it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, QueryDict

from admin_ui.asked import MOST_TYPED, choice_asked, text_asked, uuid_or_none
from admin_ui.selectors.documents import DocumentFilter
from admin_ui.uploads import queue_indexing
from kernel.errors import DomainError, Invalid
from kernel.names import check_line
from retrieval import services
from retrieval.models import Document
from retrieval.selectors import documents_visible_to
from retrieval.services import AccessAction, AccessChange, AccessEffect
from retrieval.services.bulk import MOST
from tenants.access import Principal
from tenants.models import Audience
from tenants.services.audiences import audience_of_one, end_user_known_as

ACTIONS = {
    "give": "Give access",
    "take": "Take access away",
    "restrict": "Restrict to grants of their own",
    "open": "Open to whoever sees their corpus",
    "tag": "Add a tag",
    "untag": "Take a tag off",
    "retry": "Read again what failed",
    "delete": "Delete",
}
LONGEST_TAG, MOST_TAGS = 60, 50


class ChosenChanged(DomainError):
    """The documents that fit are not the same any more. Look at what would change now, and confirm again."""

    code = "chosen_documents_changed"
    http_status = 409


@dataclass(frozen=True, slots=True)
class BulkOrder:
    """What a form asks for. With `everything`, `wanted` says which documents; `seen` names those that were shown."""

    what: str
    ids: tuple[UUID, ...]
    everything: bool
    wanted: DocumentFilter
    tag: str
    audiences: tuple[UUID, ...]
    people: tuple[str, ...]
    sure: bool
    seen: str

    @classmethod
    def from_request(cls, request: HttpRequest) -> BulkOrder:
        form = request.POST
        return cls(
            what=choice_asked(form, "what", ACTIONS),
            ids=_uuids(form, "document"),
            everything=form.get("everything") == "yes",
            wanted=DocumentFilter.from_query(form),
            tag=text_asked(form, "tag_name", MOST_TYPED),
            audiences=_uuids(form, "audience"),
            people=tuple(line.strip() for line in form.get("people", "").splitlines() if line.strip())[:MOST],
            sure=form.get("sure") == "yes",
            seen=text_asked(form, "seen"),
        )

    @property
    def title(self) -> str:
        return ACTIONS[self.what]

    @property
    def is_about_grants(self) -> bool:
        return self.what in ("give", "take")

    @property
    def is_about_access(self) -> bool:
        return self.what in set(AccessAction)

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing more to ask before what it changes can be told."""
        if self.is_about_grants:
            return bool(self.audiences or self.people)
        return bool(self.tag) or self.what not in ("tag", "untag")


@dataclass(frozen=True, slots=True)
class Plan:
    """What an order means now. `seen` names the chosen documents; `changes` is how many of them change.

    `fault` says why that cannot be told, such as for a person whom nobody knows.
    """

    order: BulkOrder
    chosen: tuple[UUID, ...]
    examples: tuple[str, ...]
    seen: str
    effect: AccessEffect | None = None
    changes: int = 0
    fault: DomainError | None = None


def plan_of(principal: Principal, order: BulkOrder) -> Plan:
    """Nothing is changed by it. Raises Invalid when nothing is chosen, or too much."""
    chosen = _chosen(principal, order)
    titles = Document.objects.filter(pk__in=chosen[:5]).order_by("title").values_list("title", flat=True)
    plan = Plan(order, chosen, tuple(titles), _name(chosen))
    if not order.is_complete:
        return plan
    try:
        effect = _effect(order, chosen) if order.is_about_access else None
    except DomainError as error:
        return replace(plan, fault=error)
    return replace(plan, effect=effect, changes=_changes(order, chosen, effect))


def _effect(order: BulkOrder, chosen: tuple[UUID, ...]) -> AccessEffect:
    with transaction.atomic():
        effect = services.access_effect(_access(order, chosen))
        # Whom a preview names, it does not make.
        transaction.set_rollback(True)
    return effect


@transaction.atomic
def carry_out(principal: Principal, order: BulkOrder) -> str:
    """Do it, all or nothing; returns a sentence on what was done. Raises as `plan_of`, and `ChosenChanged`."""
    chosen = _chosen(principal, order)
    if _name(chosen) != order.seen:
        raise ChosenChanged
    return _DOING[order.what](order, chosen)


def tags_asked(form: Mapping[str, str]) -> list[str]:
    """The tags of a field that parts them by commas. Raises `Invalid` for one that is too long and for too many."""
    parts = text_asked(form, "tags", MOST_TYPED).split(",")
    tags = [
        check_line(part, what=f"The tag “{part.strip()[:20]}”", most=LONGEST_TAG)
        for part in parts
        if part.strip()
    ]
    if len(tags) > MOST_TAGS:
        raise Invalid(
            reason=f"These are {len(tags)} tags, and a document has at most {MOST_TAGS}. Take some away."
        )
    return tags


def _chosen(principal: Principal, order: BulkOrder) -> tuple[UUID, ...]:
    if not order.what:
        raise Invalid(reason="Choose what to do with the documents.")
    if order.tag:
        check_line(order.tag, what="The tag", most=LONGEST_TAG)
    visible = documents_visible_to(principal)
    found = order.wanted.narrowed(visible) if order.everything else visible.filter(pk__in=order.ids)
    chosen = tuple(found.order_by("id").values_list("id", flat=True)[: MOST + 1])
    if not chosen:
        raise Invalid(reason="Choose at least one document.")
    most = services.MOST_DELETED if order.what == "delete" else MOST
    if len(chosen) > most:
        raise Invalid(
            reason=f"This can be done with at most {most} documents in one go. Narrow the list first."
        )
    return chosen


def _access(order: BulkOrder, chosen: tuple[UUID, ...]) -> AccessChange:
    if not order.is_about_grants:
        return AccessChange(AccessAction(order.what), chosen)
    groups = set(Audience.objects.filter(pk__in=order.audiences).values_list("group_id", flat=True))
    users: set[int] = set()
    for person in [end_user_known_as(name) for name in order.people]:
        if person.user_id is None:
            groups.add(audience_of_one(end_user=person).group_id)
        else:
            users.add(person.user_id)
    return AccessChange(AccessAction(order.what), chosen, tuple(sorted(groups)), tuple(sorted(users)))


def _changes(order: BulkOrder, chosen: tuple[UUID, ...], effect: AccessEffect | None) -> int:
    if effect is not None:
        return effect.documents
    documents = Document.objects.filter(pk__in=chosen)
    if order.what == "tag":
        return documents.exclude(tags__contains=[order.tag]).count()
    if order.what == "untag":
        return documents.filter(tags__contains=[order.tag]).count()
    if order.what == "retry":
        return sum(one.can_be_retried for one in documents.filter(state="failed"))
    return len(chosen)


def _change_access(order: BulkOrder, chosen: tuple[UUID, ...]) -> str:
    done = services.access_change(_access(order, chosen))
    return f"{order.title}: {_documents(done.documents)} changed, from the next search on."


def _tag(order: BulkOrder, chosen: tuple[UUID, ...]) -> str:
    add, remove = ([order.tag], []) if order.what == "tag" else ([], [order.tag])
    n = services.documents_tag(document_ids=chosen, add=add, remove=remove)
    return f"The tag “{order.tag}” is {'on' if add else 'off'} {_documents(n)} now."


def _retry(order: BulkOrder, chosen: tuple[UUID, ...]) -> str:
    done = services.documents_retry(document_ids=chosen)
    queue_indexing(done.again)
    useless = f" {_documents(done.useless)} would fail again for the same reason." if done.useless else ""
    return f"{_documents(len(done.again))} are being read again.{useless}"


def _delete(order: BulkOrder, chosen: tuple[UUID, ...]) -> str:
    n = services.documents_delete(document_ids=chosen)
    return f"{_documents(n)} deleted with all passages. No search finds them any more."


_DOING: dict[str, Callable[[BulkOrder, tuple[UUID, ...]], str]] = {
    **dict.fromkeys(AccessAction, _change_access),
    "tag": _tag,
    "untag": _tag,
    "retry": _retry,
    "delete": _delete,
}


def _documents(n: int) -> str:
    return f"{n} document{'' if n == 1 else 's'}"


def _name(ids: tuple[UUID, ...]) -> str:
    return hashlib.sha256(b"".join(id.bytes for id in ids)).hexdigest()[:32]


def _uuids(form: QueryDict, name: str) -> tuple[UUID, ...]:
    found = (uuid_or_none(text) for text in form.getlist(name)[: MOST + 1])
    return tuple(dict.fromkeys(id for id in found if id is not None))
