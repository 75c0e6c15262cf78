"""For whom a request chats, and whose conversations it may read."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from conversations.errors import SessionNotFound, TurnNotFound
from conversations.identity import Asker
from conversations.models import Session, Turn
from conversations.selectors.sight import Sight, sight_of
from tenants.rest.callers import Caller
from tenants.rest.end_users import end_user_asked, known_end_user
from tenants.rest.errors import BadFields, NotPermitted
from tenants.roles import May
from tenants.services import end_user_for_account

_NEEDED = "Name the end user that this is done for."


def asker_for(caller: Caller, asked: dict[str, Any] | str | None) -> Asker:
    """Members and end users ask as themselves; a key asks for whom it names. Raises `NotPermitted`, `BadFields`."""
    if caller.key is None:
        if asked is not None:
            raise NotPermitted(needs="a key with the scope chat")
        end_user = caller.end_user or end_user_for_account(user=caller.user)  # type: ignore[arg-type]
        return Asker(caller.tenant, end_user, caller.user)
    end_user = end_user_asked(caller, asked)  # type: ignore[assignment]
    if end_user is None:
        raise BadFields(detail=_NEEDED, fields={"end_user": [_NEEDED]})
    return Asker(caller.tenant, end_user, end_user.user)


def reach_of(caller: Caller, subject: str | None) -> UUID | None:
    """Whose conversations are read: one end user's, or None for those of the whole workspace."""
    if caller.may(May.READ_CONVERSATIONS):
        return known_end_user(subject, anybody=True).pk if subject else None
    return asker_for(caller, subject).end_user_id


def access_session(caller: Caller, session_id: UUID, subject: str | None) -> Session:
    """A conversation inside the caller's reach. Raises `SessionNotFound` for any other, as for none at all."""
    reach = reach_of(caller, subject)
    mine = {} if reach is None else {"end_user_id": reach}
    session = Session.objects.select_related("end_user").filter(pk=session_id, **mine).first()
    if session is None:
        raise SessionNotFound
    return session


def access_turn(caller: Caller, turn_id: UUID, subject: str | None) -> Turn:
    """A turn of a conversation inside the caller's reach. Raises `TurnNotFound`."""
    reach = reach_of(caller, subject)
    mine = {} if reach is None else {"session__end_user_id": reach}
    turn = Turn.objects.select_related("session").filter(pk=turn_id, **mine).first()
    if turn is None:
        raise TurnNotFound
    return turn


def sight_for(caller: Caller, session: Session) -> Sight:
    """People see their own conversations as they were told; others as the documents that they may see allow."""
    if not caller.may(May.READ_CONVERSATIONS):
        return Sight()
    return sight_of(session, caller.principal())
