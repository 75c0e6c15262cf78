"""Scans what is written for canaries that do not belong there, and records what was found, with its evidence."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from hashlib import sha256
from uuid import UUID

from conversations.audits.canaries import CANARY, SHAPE, canaries_in
from conversations.audits.notices import notices_add
from conversations.audits.records import (
    Canary,
    CanaryPlace,
    Finding,
    FindingKind,
    FindingSeverity,
    LeakageCheckDay,
)
from conversations.models import Turn
from kernel.json import JsonObject, json_text
from kernel.observed import Counted, count
from tenants.scoping import current_tenant_id

log = logging.getLogger(__name__)
EXCERPT = 40

Places = Mapping[str, str]


def turn_places(*, message: str, query: str, answer: str, trace: JsonObject | None) -> Places:
    """The texts of a turn by where they stand: what the person typed, and everything that came of it."""
    parts = {name: json_text(part) for name, part in (trace or {}).items() if part}
    return {**parts, "message": message, "query": query, "answer": answer}


def scan(places: Places, *, session_id: UUID | None, turn: int = 0) -> list[Finding]:
    """Findings among these texts of the current tenant, recorded once each.

    A canary of another tenant is critical, one of another conversation high. Where the person typed it in this
    conversation, it is low: somebody knows it, but it was not the platform that told.
    """
    count(Counted.LEAKAGE_CHECKS, len(places))
    found = {name: words for name, text in places.items() if (words := canaries_in([text]))}
    if not found:
        return []
    words = frozenset().union(*found.values())
    own = {canary.word: canary for canary in Canary.objects.filter(word__in=words)}
    foreign = {word for word in words if not _belongs(own.get(word), session_id)}
    typed = _typed(foreign, session_id)
    return findings_record(
        _finding(own.get(word), word, where, places[where], session_id, turn, typed=word in typed)
        for where, there in found.items()
        for word in there & foreign
    )


def scan_turn(
    *, session_id: UUID, n: int, message: str, query: str, answer: str, trace: JsonObject | None, traced: str
) -> None:
    """Scan a turn as it is stored. `traced` is its trace as it will be written, so that it is written once."""
    if canaries_in((message, query, answer, traced)):
        places = turn_places(message=message, query=query, answer=answer, trace=trace)
        scan(places, session_id=session_id, turn=n)
    else:
        count(Counted.LEAKAGE_CHECKS, 3 + sum(map(bool, (trace or {}).values())))


def _typed(words: Collection[str], session_id: UUID | None) -> frozenset[str]:
    """Those of the words that the person wrote in this conversation."""
    if session_id is None:
        return frozenset()
    said = Turn.objects.filter(session_id=session_id, message__iregex=SHAPE)
    return canaries_in(said.values_list("message", flat=True)) & frozenset(words)


def _belongs(canary: Canary | None, session_id: UUID | None) -> bool:
    if canary is None:
        return False
    if canary.place == CanaryPlace.SESSION:
        return canary.session_id == session_id
    # A document's canary in its own tenant: seen by somebody who manages documents. Others are stopped by the search.
    return True


def _finding(
    canary: Canary | None,
    word: str,
    where: str,
    text: str,
    session_id: UUID | None,
    turn: int,
    *,
    typed: bool,
) -> Finding:
    severity = FindingSeverity.HIGH if canary else FindingSeverity.CRITICAL
    evidence = {"canary": masked(word), "excerpt": _excerpt(text, word), "typed_by_the_person": typed}
    return Finding(
        kind=FindingKind.SESSION if canary else FindingKind.TENANT,
        severity=FindingSeverity.LOW if typed else severity,
        where=where,
        session_id=session_id,
        turn=turn,
        evidence=evidence,
        fingerprint=fingerprint(word, where, session_id, turn),
    )


def findings_record(findings: Iterable[Finding]) -> list[Finding]:
    """Store those that are not known yet, and return all. Each new one is a line of the log, once, without its words."""
    told = list(findings)
    if not told:
        return told
    Finding.objects.bulk_create(told, ignore_conflicts=True)
    stored = set(Finding.objects.filter(pk__in=[one.pk for one in told]).values_list("pk", flat=True))
    fresh = [one for one in told if one.pk in stored]
    if fresh:
        notices_add(fresh)
    for finding in fresh:
        log.log(
            logging.WARNING if finding.severity == FindingSeverity.LOW else logging.CRITICAL,
            "leakage finding: %s, %s, in the %s of a turn of tenant %s",
            finding.severity,
            finding.kind,
            finding.where,
            current_tenant_id(),
        )
    return told


def fingerprint(*parts: object) -> str:
    return sha256("|".join(map(str, parts)).encode()).hexdigest()


def masked(word: str) -> str:
    """Enough of a canary to tell it from others, too little to plant it anew."""
    return f"{word[:8]}…"


def _excerpt(text: str, word: str) -> str:
    """What stands around the word, every canary masked."""
    at = text.lower().index(word)
    around = text[max(0, at - EXCERPT) : at + len(word) + EXCERPT]
    return CANARY.sub(lambda match: masked(match[0]), around)


def checks_set(day: date, kind: str, checks: int) -> None:
    """Write down how many checks of a kind were made over what a day left. The same day again replaces it."""
    LeakageCheckDay.objects.update_or_create(day=day, kind=kind, defaults={"checks": checks})
