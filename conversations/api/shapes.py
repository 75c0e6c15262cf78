"""Sessions and turns as answers tell them: the shapes of the chat protocol, described."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from conversations.domain.verdicts import Verdict
from conversations.models import Session, Turn, TurnState
from conversations.selectors import turn_as_seen
from conversations.selectors.sight import Sight
from kernel.json import JsonObject
from tenants.models import EndUserKind
from tenants.rest.fields import Output, shown
from tenants.services.end_users import IDENTIFIED

CITATION = {
    "n": 1,
    "chunk": "b6c1b0a2-9a35-4e64-8f8e-6d8a9fd0b7aa",
    "document": "0d9b8a3c-52d4-4e0f-b8c5-5d0a8a3f3c11",
    "title": "Visiting hours",
    "heading_path": ["Intensive care"],
    "page": 2,
    "snippet": "Intensive care may be visited from 15:00 to 17:00.",
    "quotes": [],
    "hidden": False,
}
TURN = {
    "id": "3c0c9f3e-0b62-4b3b-a6d0-7f3f9be7d0aa",
    "session": "b2c3e2f8-8e6e-4f6c-9f10-1c34c3f5a9d1",
    "client_id": "0a8c4d1e-5e35-4f0b-8a27-6a4f3a0c9b11",
    "n": 2,
    "text": "And for intensive care?",
    "state": "completed",
    "joined_to": None,
    "query": "When may intensive care be visited?",
    "display": "When may intensive care be visited?",
    "kind": "follow_up",
    "rewritten": True,
    "verdict": "clean",
    "answer": "From 15:00 to 17:00, two visitors at a time [1].",
    "citations": [CITATION],
    "engine": {"mode": "offline", "label": "Offline engine"},
    "notice": None,
    "error": None,
    "rating": "none",
    "sealed": False,
    "created": "2026-11-30T08:20:00+00:00",
}
SESSION = {
    "id": "b2c3e2f8-8e6e-4f6c-9f10-1c34c3f5a9d1",
    "title": "When are visiting hours?",
    "end_user": {
        "id": "5b7f6a49-2f0d-4a8e-9b6b-0f6c8a1d2e3f",
        "subject": "patient-7",
        "kind": "identified",
        "name": "Ada",
    },
    "turns": 2,
    "created_at": "2026-11-30T08:19:00Z",
    "updated_at": "2026-11-30T08:20:02Z",
    "ended_at": None,
}


class PersonOutput(Output):
    id = serializers.UUIDField()
    subject = serializers.SerializerMethodField(help_text="As the workspace's own sign-in names them.")
    kind = serializers.ChoiceField(EndUserKind.choices)
    name = serializers.CharField(allow_blank=True)

    def get_subject(self, end_user: Any) -> str:
        return str(end_user.subject).removeprefix(IDENTIFIED)


class SessionOutput(Output):
    id = serializers.UUIDField()
    title = serializers.CharField(allow_blank=True)
    end_user = PersonOutput()
    turns = serializers.IntegerField(source="turn_count")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class CitationOutput(Output):
    n = serializers.IntegerField(help_text="Its number in the answer: [1].")
    chunk = serializers.CharField(allow_null=True, help_text="The passage; null when you may not see it.")
    document = serializers.CharField(allow_null=True)
    title = serializers.CharField()
    heading_path = serializers.ListField(child=serializers.CharField())
    page = serializers.IntegerField(allow_null=True)
    snippet = serializers.CharField(allow_blank=True)
    quotes = serializers.ListField(child=serializers.CharField())
    hidden = serializers.BooleanField()


class EngineOutput(Output):
    mode = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]


class NoticeOutput(Output):
    code = serializers.CharField()
    message = serializers.CharField()


class TurnErrorOutput(Output):
    code = serializers.CharField()
    message = serializers.CharField()
    retryable = serializers.BooleanField()


class TurnOutput(Output):
    id = serializers.UUIDField()
    session = serializers.UUIDField()
    client_id = serializers.CharField()
    n = serializers.IntegerField(help_text="Its place in the session, from 1.")
    text = serializers.CharField()
    state = serializers.ChoiceField(TurnState.choices)
    joined_to = serializers.UUIDField(allow_null=True, help_text="The turn that it was answered with.")
    query = serializers.CharField(allow_blank=True, help_text="The standalone query that was searched.")
    display = serializers.CharField(allow_blank=True, help_text="The query in a wording for people.")
    kind = serializers.CharField(allow_blank=True)
    rewritten = serializers.BooleanField()
    verdict = serializers.ChoiceField(["", *Verdict], help_text="Of the guard.")
    answer = serializers.CharField(allow_blank=True, help_text="Markdown with numbered citations.")
    citations = CitationOutput(many=True)
    engine = EngineOutput(allow_null=True)
    notice = NoticeOutput(allow_null=True)
    error = TurnErrorOutput(allow_null=True)
    rating = serializers.ChoiceField(["up", "down", "none"])
    sealed = serializers.BooleanField(help_text="The answer rests on a document that you may not see.")
    created = serializers.DateTimeField()


def session_shown(session: Session) -> JsonObject:
    return shown(SessionOutput(session))


def turn_shown(turn: Turn, sight: Sight | None = None) -> JsonObject:
    """A turn, as the reader may see it; without `sight`, as its own person was told."""
    sight = sight or Sight()
    sealed, told = turn.n in sight.sealed, turn_as_seen(turn)
    if sight.carries_sealed(turn.n):
        told |= {"query": "", "display": ""}
    citations = [_citation(citation) for citation in sight.sources(turn.citations)]
    told |= {"session": str(turn.session_id), "sealed": sealed, "citations": citations}
    told |= {name: told[name] or "" for name in ("query", "display", "kind", "verdict")}
    return told | {"answer": ""} if sealed else told


def _citation(citation: JsonObject) -> JsonObject:
    """A citation out of sight keeps its number only."""
    usual: JsonObject = {
        "chunk": None,
        "document": None,
        "heading_path": [],
        "page": None,
        "snippet": "",
        "quotes": [],
        "hidden": False,
    }
    return {**usual, **citation}
