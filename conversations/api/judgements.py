"""What members make of the guard's verdict on a turn, by REST."""

from __future__ import annotations

from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.audits.records import Judgement
from conversations.audits.turn_judging import MOST_NOTE, turn_judge, turn_reopen
from tenants.rest.fields import Choice, Input, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May

OPEN = "open"
JUDGEMENTS = [*Judgement.values, OPEN]
EXAMPLE = {
    "turn": "9a1f0c2e-5d3b-4e58-8b2c-7f1d1f2a7c13",
    "judgement": "confirmed",
    "note": "The price of the other product was carried along.",
}


class JudgementInput(Input):
    judgement = Choice(JUDGEMENTS, help_text="`open` puts the turn back into the queue.")
    note = Text(max_length=MOST_NOTE, required=False, allow_blank=True, default="")


class JudgementOutput(Output):
    turn = serializers.UUIDField()
    judgement = serializers.ChoiceField(JUDGEMENTS)
    note = serializers.CharField(allow_blank=True)


class TurnJudged(ApiView):
    """A member's word on what the guard flagged."""

    @operation(
        "Judge a flagged turn",
        tag="Turns",
        may=May.JUDGE_CONVERSATIONS,
        takes=JudgementInput,
        answers=JudgementOutput,
        description="Whether the guard was right. The last judgement holds; a turn that was not flagged is not found.",
        sends={"judgement": "confirmed", "note": EXAMPLE["note"]},
        example=EXAMPLE,
    )
    def put(self, request: Request, turn_id: UUID) -> Response:
        asked = self.read(JudgementInput)
        told = {"turn": turn_id, "judgement": asked["judgement"], "note": ""}
        if asked["judgement"] == OPEN:
            turn_reopen(turn_id=turn_id)
        else:
            told["note"] = turn_judge(turn_id=turn_id, by=self.caller.user, **asked).note
        return Response(shown(JudgementOutput(told)))
