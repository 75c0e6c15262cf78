"""Conversations: list, open, read, delete."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations import wiring
from conversations.api import shapes
from conversations.api.askers import access_session, asker_for, reach_of, sight_for
from conversations.domain.verdicts import Verdict
from conversations.models import DeletionReason, Session, Turn
from conversations.selectors import turns_of
from conversations.services.retention import session_erase
from conversations.services.sessions import session_open
from tenants.rest.callers import Caller
from tenants.rest.end_users import EndUserField, EndUserQuery
from tenants.rest.fields import Input, Output, Text
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May

TAG = "Conversations"
READERS = (May.READ_CONVERSATIONS, May.CHAT)


class SessionQuery(EndUserQuery):
    verdict = serializers.ChoiceField(
        ["flagged", *Verdict],
        required=False,
        help_text="With a turn that earned it; `flagged` is any but clean.",
    )


class SessionInput(Input):
    title = Text(max_length=120, required=False, allow_blank=True)
    end_user = EndUserField(required=False)


class TranscriptOutput(Output):
    session = shapes.SessionOutput()
    turns = shapes.TurnOutput(many=True)


class Sessions(ApiView):
    """Every conversation in reach."""

    @operation(
        "List conversations",
        tag=TAG,
        may=READERS,
        query=SessionQuery,
        answers=shapes.SessionOutput,
        paged=True,
        etag=True,
        description="The latest first. Who may not read all conversations lists those of one end user.",
        example=shapes.SESSION,
    )
    def get(self, request: Request) -> Response:
        asked = self.asked(SessionQuery)
        reach = reach_of(self.caller, asked.get("end_user"))
        rows = Session.objects.select_related("end_user")
        rows = rows if reach is None else rows.filter(end_user_id=reach)
        return self.page(earned(rows, asked.get("verdict")), shapes.session_shown, by=("-updated_at", "id"))

    @operation(
        "Open a conversation",
        tag=TAG,
        may=May.CHAT,
        takes=SessionInput,
        answers=shapes.SessionOutput,
        status=201,
        repeatable=True,
        description="A turn without a session opens one too.",
        sends={"end_user": {"subject": "patient-7"}},
        example={**shapes.SESSION, "turns": 0},
    )
    def post(self, request: Request) -> Response:
        asked = self.read(SessionInput)
        asker = asker_for(self.caller, asked.get("end_user"))
        title = asked.get("title", "")
        made = session_open(end_user_id=asker.end_user_id, client_id=str(uuid4()), first_message=title)
        return Response(shapes.session_shown(made), status=201)


def earned(rows: Any, verdict: str | None) -> Any:
    """Only conversations with a turn of that verdict."""
    if verdict is None:
        return rows
    flagged = [one.value for one in Verdict if one is not Verdict.CLEAN]
    wanted = flagged if verdict == "flagged" else [verdict]
    return rows.filter(pk__in=Turn.objects.filter(verdict__in=wanted).values("session_id"))


class SessionDetail(ApiView):
    """One conversation."""

    @operation(
        "Read a conversation",
        tag=TAG,
        may=READERS,
        query=EndUserQuery,
        answers=TranscriptOutput,
        etag=True,
        description="With all its turns. What rests on documents that you may not see is sealed.",
        example={"session": shapes.SESSION, "turns": [shapes.TURN]},
    )
    def get(self, request: Request, session_id: UUID) -> Response:
        session = access_session(self.caller, session_id, self.asked(EndUserQuery).get("end_user"))
        sight = sight_for(self.caller, session)
        turns = [shapes.turn_shown(turn, sight) for turn in turns_of(session_id=session.pk)]
        return Response({"session": shapes.session_shown(session), "turns": turns})

    @operation(
        "Delete a conversation",
        tag=TAG,
        may=(May.CHAT, May.MANAGE_DATA),
        query=EndUserQuery,
        status=204,
        description=(
            "For good: turns, traces, memory. End users delete their own; members and keys that manage the workspace's "
            "data delete any."
        ),
    )
    def delete(self, request: Request, session_id: UUID) -> Response:
        owner = owner_of(self.caller, session_id, self.asked(EndUserQuery).get("end_user"))
        reason = _reason(self.caller, owner)
        wiring.run_apart(session_erase(session_id=session_id, end_user_id=owner, reason=reason))
        return Response(status=204)


def owner_of(caller: Caller, session_id: UUID, subject: str | None) -> UUID:
    """Whose conversation it is, if the caller may delete it. Raises `SessionNotFound`."""
    if caller.may(May.MANAGE_DATA):
        return access_session(caller, session_id, subject).end_user_id
    return asker_for(caller, subject).end_user_id


def _reason(caller: Caller, owner: UUID) -> DeletionReason:
    """A program that does not manage the workspace's data deletes for the person it names."""
    own = caller.end_user is not None and caller.end_user.pk == owner
    return DeletionReason.END_USER if own or not caller.may(May.MANAGE_DATA) else DeletionReason.WORKSPACE
