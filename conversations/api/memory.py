"""What a conversation remembers: slots, summary, ledger."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.api.askers import access_session, sight_for
from conversations.domain.liveness import Status
from conversations.domain.memory.values import SummaryPart
from conversations.domain.state import ConversationState
from conversations.models import Session
from conversations.selectors import state_of
from conversations.selectors.memory import ledger_of, parts_of
from conversations.selectors.sight import Sight
from kernel.json import JsonObject
from tenants.rest.fields import Output
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May


class SlotOutput(Output):
    id = serializers.CharField()
    type = serializers.CharField()
    name = serializers.CharField()
    aliases = serializers.ListField(child=serializers.CharField())
    status = serializers.ChoiceField([status.value for status in Status])
    introduced_turn = serializers.IntegerField()
    last_mention_turn = serializers.IntegerField()
    superseded_by = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField()


class PartOutput(Output):
    first_turn = serializers.IntegerField()
    last_turn = serializers.IntegerField()
    level = serializers.IntegerField(help_text="1 rolling, 2 deep.")
    text = serializers.CharField()
    entities = serializers.ListField(child=serializers.CharField())
    engine = serializers.CharField()


class FactOutput(Output):
    turn = serializers.IntegerField()
    entity = serializers.CharField(allow_blank=True)
    fact = serializers.CharField()
    value = serializers.CharField(allow_blank=True)
    kind = serializers.CharField()
    said_by = serializers.CharField()
    replaced_in = serializers.IntegerField(help_text="Turn of the correction; 0 while it holds.")


class MemoryOutput(Output):
    session = serializers.UUIDField()
    covered = serializers.IntegerField(help_text="The last exchange that summary and ledger know of.")
    slots = SlotOutput(many=True)
    summary = PartOutput(many=True)
    ledger = FactOutput(many=True)


class SessionMemory(ApiView):
    """What a conversation remembers."""

    @operation(
        "Read what a conversation remembers",
        tag="Conversations",
        may=May.READ_CONVERSATIONS,
        answers=MemoryOutput,
        etag=True,
        description="Without what is known from documents that you may not see.",
        example={
            "session": "b2c3e2f8-8e6e-4f6c-9f10-1c34c3f5a9d1",
            "covered": 0,
            "slots": [],
            "summary": [],
            "ledger": [],
        },
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        session = access_session(self.caller, session_id, None)
        return Response(memory_shown(session, sight_for(self.caller, session)))


def memory_shown(session: Session, sight: Sight) -> JsonObject:
    parts = [part for part in parts_of(session.pk) if sight.part(part.last_turn, part)]
    facts = [fact for fact in ledger_of(session.pk) if sight.fact(fact.turn, fact)]
    return {
        "session": str(session.pk),
        "covered": session.memory_turn,
        "slots": [slot for slot in slots_of(session) if slot["introduced_turn"] < sight.first_sealed],
        "summary": [PartOutput(_part(part)).data for part in parts],
        "ledger": [FactOutput(fact).data for fact in facts],
    }


def slots_of(session: Session) -> list[Any]:
    data = state_of(session_id=session.pk, end_user_id=session.end_user_id)
    slots = ConversationState.from_json(data).slots if data else ()
    return [SlotOutput(slot).data for slot in slots]


def _part(part: SummaryPart) -> JsonObject:
    shown = ("first_turn", "last_turn", "level", "text", "entities", "engine")
    return {name: getattr(part, name) for name in shown}
