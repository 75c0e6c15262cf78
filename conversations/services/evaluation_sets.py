"""Follow-up sets of a tenant: made, loaded from a file, grown from conversations, edited item by item."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import IntegrityError, transaction

from conversations.errors import ItemKeyTaken, SetFull, SetGuards, SetNameTaken, SetRefused
from conversations.evaluation.entries import MOST_ITEMS, Entry, Fault, entries_from, entry_of
from conversations.evaluation.records import EvaluationGates, FollowUpItem, FollowUpSet
from conversations.models import Turn, TurnTrace
from conversations.selectors.evaluations import access_item, access_set
from conversations.selectors.what_if import session_told
from kernel.clock import now
from kernel.errors import Invalid, NotFound
from kernel.json import JsonObject
from kernel.names import check_line
from tenants.services.audit import audit_record

MOST_SETS = 100
LONGEST_NAME, LONGEST_NOTE = 80, 300
GROWN = "From conversations"
STRATA = {
    "opening": "first_turn",
    "standalone": "first_turn",
    "follow_up": "near_followup",
    "topic_shift": "post_pivot_standalone",
    "answer_to_question": "short_answer",
}
"""Strata by the kind of turn that an item is grown from; other kinds are called as they are."""
MOST_QUOTED = 160


@transaction.atomic
def set_create(*, name: str, note: str = "", by: int | None = None) -> FollowUpSet:
    """An empty set. Raises `Invalid`, `SetNameTaken`."""
    if FollowUpSet.objects.count() >= MOST_SETS:
        raise Invalid(reason=f"A workspace has {MOST_SETS} follow-up sets at most.")
    values = _described(name, note)
    try:
        with transaction.atomic():
            made = FollowUpSet.objects.create(**values, created_by_id=by)
    except IntegrityError as error:
        raise SetNameTaken(name=values["name"]) from error
    audit_record("followup_set.created", target=str(made.pk), name=made.name)
    return made


@transaction.atomic
def set_change(*, set_id: UUID, name: str, note: str) -> FollowUpSet:
    """Raises `NotFound`, `Invalid`, `SetNameTaken`."""
    found, values = access_set(set_id), _described(name, note)
    try:
        with transaction.atomic():
            FollowUpSet.objects.filter(pk=set_id).update(**values)
    except IntegrityError as error:
        raise SetNameTaken(name=values["name"]) from error
    audit_record("followup_set.changed", target=str(set_id), name=values["name"], before=found.name)
    return access_set(set_id)


@transaction.atomic
def set_delete(*, set_id: UUID) -> None:
    """With its items, its runs and their results. Raises `NotFound`, and `SetGuards` while the gates ask for it."""
    found = access_set(set_id)
    if EvaluationGates.objects.filter(of_set_id=set_id).exists():
        raise SetGuards
    FollowUpSet.objects.filter(pk=set_id).delete()
    audit_record("followup_set.deleted", target=str(set_id), name=found.name)


@transaction.atomic
def set_import(*, set_id: UUID, data: bytes, replace: bool = False) -> int:
    """Load JSON lines into a set and return how many items came; items of the same id are replaced, with `replace` all.

    Raises `NotFound`, and `SetRefused` with every mistake in `extra["faults"]`: then nothing was loaded.
    """
    access_set(set_id)
    entries, faults = entries_from(data)
    if faults:
        raise refused(faults)
    FollowUpSet.objects.select_for_update().get(pk=set_id)
    known = FollowUpItem.objects.filter(of_set_id=set_id)
    doomed = known if replace else known.filter(key__in=[entry.key for entry in entries])
    doomed.delete()
    if known.count() + len(entries) > MOST_ITEMS:
        raise SetFull(most=MOST_ITEMS)
    FollowUpItem.objects.bulk_create(
        (FollowUpItem(of_set_id=set_id, **_columns(entry)) for entry in entries), batch_size=200
    )
    _touch(set_id)
    audit_record("followup_set.imported", target=str(set_id), items=len(entries), replaced=replace)
    return len(entries)


def refused(faults: Sequence[Fault]) -> SetRefused:
    return SetRefused(count=len(faults), first=str(faults[0]), faults=[fault.to_json() for fault in faults])


@transaction.atomic
def item_add(*, set_id: UUID, line: JsonObject, origin_id: UUID | None = None) -> FollowUpItem:
    """Raises `NotFound`, `SetRefused`, `SetFull`, `ItemKeyTaken`."""
    access_set(set_id)
    entry = _checked(line)
    if origin_id is not None and not Turn.objects.filter(pk=origin_id).exists():
        raise NotFound(what="turn")
    if FollowUpItem.objects.filter(of_set_id=set_id).count() >= MOST_ITEMS:
        raise SetFull(most=MOST_ITEMS)
    try:
        with transaction.atomic():
            item = FollowUpItem.objects.create(of_set_id=set_id, origin_id=origin_id, **_columns(entry))
    except IntegrityError as error:
        raise ItemKeyTaken(key=entry.key) from error
    _touch(set_id)
    audit_record("followup_item.added", target=str(item.pk), set=str(set_id), stratum=item.stratum)
    return item


@transaction.atomic
def item_edit(*, set_id: UUID, item_id: UUID, line: JsonObject) -> FollowUpItem:
    """Raises `NotFound`, `SetRefused`, `ItemKeyTaken`."""
    item, entry = access_item(set_id, item_id), _checked(line)
    for name, value in _columns(entry).items():
        setattr(item, name, value)
    try:
        with transaction.atomic():
            item.save()
    except IntegrityError as error:
        raise ItemKeyTaken(key=entry.key) from error
    _touch(set_id)
    audit_record("followup_item.changed", target=str(item.pk), set=str(set_id), stratum=item.stratum)
    return item


@transaction.atomic
def item_delete(*, set_id: UUID, item_id: UUID) -> None:
    """With its results. Raises `NotFound`."""
    access_item(set_id, item_id).delete()
    _touch(set_id)
    audit_record("followup_item.deleted", target=str(item_id), set=str(set_id))


def line_from_turn(turn_id: UUID) -> JsonObject:
    """What an item of this turn would hold: the conversation before it, its message, the words that the guard kept out,
    and what was cited as gold, which may be nothing. Raises `NotFound`."""
    turn = Turn.objects.filter(pk=turn_id).exclude(verdict="").first()
    told = session_told(turn.session_id, last=turn.n) if turn else []
    if turn is None or not told or told[-1].turn_id != turn_id:
        raise NotFound(what="answered turn")
    return {
        "id": f"turn-{str(turn.session_id)[:8]}-{turn.n}",
        "stratum": STRATA.get(turn.kind, turn.kind or "near_followup"),
        "prefix": [message for one in told[-30:-1] for message in _exchange(one.message, one.answer)],
        "follow_up": told[-1].message,
        "gold": _cited(turn.citations),
        "required_in_rewrite": [],
        "forbidden_in_rewrite": _kept_out(turn_id),
    }


@transaction.atomic
def item_grow(*, turn_id: UUID, set_id: UUID | None = None, by: int | None = None) -> FollowUpItem:
    """Make a turn an item of a set; without one, of the set for turns, which is made when it is not there. A turn that
    is an item of the set already is that item. Raises `NotFound`, and `SetRefused` where nothing was cited."""
    line = line_from_turn(turn_id)
    of_set = access_set(set_id) if set_id else set_for_turns(by=by)
    known = FollowUpItem.objects.filter(of_set=of_set, origin_id=turn_id).first()
    return known or item_add(set_id=of_set.pk, line=line, origin_id=turn_id)


def set_for_turns(*, by: int | None = None) -> FollowUpSet:
    """The set that turns go to where none is named; it is made when it is not there."""
    known = FollowUpSet.objects.filter(name=GROWN).first()
    return known or set_create(name=GROWN, note="Turns that members confirmed.", by=by)


def _described(name: str, note: str) -> dict[str, str]:
    return {
        "name": check_line(name, what="The name of the set", most=LONGEST_NAME),
        "note": check_line(note, what="The note", most=LONGEST_NOTE, least=0),
    }


def _checked(line: JsonObject) -> Entry:
    entry, wrong = entry_of(line)
    if entry is None:
        raise refused([Fault(0, reason) for reason in wrong])
    return entry


def _columns(entry: Entry) -> JsonObject:
    lists = {name: list(getattr(entry, name)) for name in ("prefix", "gold", "required", "forbidden")}
    return {name: getattr(entry, name) for name in ("key", "stratum", "follow_up", "more")} | lists


def _touch(set_id: UUID) -> None:
    FollowUpSet.objects.filter(pk=set_id).update(items_changed_at=now())


def _exchange(message: str, answer: str) -> list[JsonObject]:
    said = [{"role": "user", "content": message}]
    return [*said, {"role": "assistant", "content": answer}] if answer else said


def _cited(citations: Sequence[JsonObject]) -> list[str]:
    """Each cited document with the beginning of what was cited, so that another passage of it does not count."""
    told = [(str(one.get("title", "")), str(one.get("snippet", ""))) for one in citations]
    return list(dict.fromkeys(f"{title}#{snippet[:MOST_QUOTED]}" for title, snippet in told if title))


def _kept_out(turn_id: UUID) -> list[str]:
    trace = TurnTrace.objects.filter(turn_id=turn_id).values_list("data", flat=True).first() or {}
    words = trace.get("ruling", {}).get("offending", [])
    return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
