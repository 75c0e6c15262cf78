"""Whether everything that a turn was shown might be seen by its person at that time: the proof, from the audit log.

A grant may change while a turn runs, and an entry is written a moment before its change is in force: what was allowed at
any time of the turn, and a little before and after it, is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from conversations.audits.past import ACTIONS, Past, log_is_whole, names_now
from conversations.audits.records import Finding, FindingKind, FindingSeverity
from conversations.audits.scanning import findings_record, fingerprint
from conversations.models import TurnTrace
from retrieval.models import Document
from tenants.models import AuditEntry

SLACK = timedelta(seconds=10)


@dataclass(slots=True)
class Shown:
    """The documents that a turn was shown, with what is still to be allowed: `left` without a yes, `untold` among these."""

    session_id: UUID
    turn: int
    end_user: str
    since: datetime
    until: datetime
    left: set[str]
    untold: set[str] = field(default_factory=set)

    def look(self, past: Past, corpora: Mapping[str, str], moment: datetime) -> None:
        for document in tuple(self.left):
            answer = past.may_see(self.end_user, document, corpora[document], moment)
            if answer:
                self.left.discard(document)
            elif answer is None:
                self.untold.add(document)


@dataclass(slots=True)
class Permissions:
    """How many showings of a document were looked up: `allowed`, `untold`, `gone` with their document, `forbidden`."""

    allowed: int = 0
    untold: int = 0
    gone: int = 0
    forbidden: int = 0
    findings: list[Finding] = field(default_factory=list)


def permissions_check(*, since: datetime, until: datetime) -> Permissions:
    """Prove by the audit log that the current tenant's turns of a period were shown what their person might see."""
    told = Permissions()
    turns = list(_turns(since, until))
    corpora = _corpora(frozenset().union(*(turn.left for turn in turns)))
    shown = 0
    for turn in turns:
        told.gone += len(turn.left - corpora.keys())
        turn.left &= corpora.keys()
        shown += len(turn.left)
    if not shown:
        return told
    if not log_is_whole():
        told.untold = shown
        return told
    _follow(turns, corpora)
    for turn in turns:
        told.untold += len(turn.left & turn.untold)
        told.forbidden += len(turn.left - turn.untold)
    told.allowed = shown - told.untold - told.forbidden
    told.findings = findings_record(_finding(turn) for turn in turns if turn.left - turn.untold)
    return told


def _follow(turns: list[Shown], corpora: Mapping[str, str]) -> None:
    """One walk through the log: each turn is looked at as things stood when it began, and after every change within it.

    It ends where no turn is left to be looked at.
    """
    past = Past(names_now())
    waiting = sorted(turns, key=lambda turn: turn.since, reverse=True)
    running: list[Shown] = []
    entries = AuditEntry.objects.filter(action__in=ACTIONS).order_by("seq")
    for entry in entries.iterator(chunk_size=500):
        _begin(waiting, running, past, corpora, before=entry.at)
        past.read(entry)
        running = [turn for turn in running if turn.left and turn.until >= entry.at]
        for turn in running:
            turn.look(past, corpora, entry.at)
        if not waiting and not running:
            return
    _begin(waiting, running, past, corpora, before=None)


def _begin(
    waiting: list[Shown],
    running: list[Shown],
    past: Past,
    corpora: Mapping[str, str],
    *,
    before: datetime | None,
) -> None:
    while waiting and (before is None or waiting[-1].since < before):
        turn = waiting.pop()
        turn.look(past, corpora, turn.since)
        running.append(turn)


def _turns(since: datetime, until: datetime) -> Iterator[Shown]:
    traces = TurnTrace.objects.filter(created_at__gte=since, created_at__lt=until).select_related(
        "turn__session"
    )
    for trace in traces.iterator(chunk_size=200):
        candidates = trace.data.get("candidates") or ()
        documents = {str(one["document"]) for one in candidates if one.get("document")}
        if documents:
            turn = trace.turn
            yield Shown(
                session_id=turn.session_id,
                turn=turn.n,
                end_user=str(turn.session.end_user_id),
                since=turn.created_at - SLACK,
                until=trace.created_at + SLACK,
                left=documents,
            )


def _corpora(ids: frozenset[str]) -> dict[str, str]:
    rows = Document.objects.filter(pk__in=ids).values_list("pk", "corpus_id")
    return {str(pk): str(corpus) for pk, corpus in rows}


def _finding(turn: Shown) -> Finding:
    documents = sorted(turn.left - turn.untold)
    return Finding(
        kind=FindingKind.PERMISSION,
        severity=FindingSeverity.HIGH,
        where="passage",
        session_id=turn.session_id,
        turn=turn.turn,
        evidence={"documents": documents},
        fingerprint=fingerprint("permission", turn.session_id, turn.turn, *documents),
    )
