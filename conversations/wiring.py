"""Puts a turn together: which adapters stand behind its ports, and what the doors call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings

from conversations import selectors
from conversations.adapters.archive import SessionArchive
from conversations.adapters.event_log import EventLog, close_client
from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.adapters.metered_model import MeteredModel
from conversations.adapters.retrieval_search import RetrievalEmbedder, RetrievalSearch
from conversations.adapters.tokens import TokenCounter, counter_for
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import ChatModel, Ports
from conversations.domain.spaces import fitted
from conversations.identity import Asker
from conversations.models import Session, Turn
from conversations.selectors.in_force import in_force_asked
from conversations.services import turns
from conversations.services.adoption import sessions_adopt
from conversations.services.answering import AfterTurn, PortsFor, answer_session, stop_now
from conversations.services.retention import session_erase
from conversations.services.snapshots import session_as_seen
from conversations.services.visits import Knock, Visit, visit_begin, visit_hosted, visit_renew
from conversations.turnstile import MakingRoom
from kernel.clock import monotonic_ms
from kernel.once import made_once
from retrieval.selectors import passage_get
from retrieval.services import equipment
from tenants.access import Principal
from tenants.errors import SignInRequired
from tenants.models import Tenant
from tenants.postgres.statements import answers
from tenants.scoping import current_tenant_id
from tenants.selectors import principal_asked
from tenants.threads import in_thread

log = logging.getLogger(__name__)
R = TypeVar("R")

# spaCy holds the interpreter's lock: a second thread would only wait for the first.
_LANGUAGE_THREAD = ThreadPoolExecutor(max_workers=1, thread_name_prefix="language")
# An extracted answer is there at once; this much between its words lets it be read as it comes.
PACE_SECONDS = 0.006
_answering: set[asyncio.Task[None]] = set()


@made_once
def language() -> SpacyEnglish:
    return SpacyEnglish()


@made_once
def chat_model() -> ChatModel | None:
    """The configured model, or None: then everything runs on the offline engine."""
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return None
    from conversations.adapters.openai_chat import OpenAIChat, Timeouts  # a second to import: only when used

    chat = OpenAIChat(
        base_url=settings.OPENAI_BASE_URL or "https://api.openai.com/v1",
        api_key=settings.OPENAI_API_KEY or "none",
        model=settings.OPENAI_MODEL,
        timeouts=Timeouts(first_token=settings.MODEL_FIRST_TOKEN_SECONDS, total=settings.MODEL_TOTAL_SECONDS),
    )
    return MeteredModel(chat)


def engine_as_seen() -> dict[str, str]:
    """Who answers here: what the chat page shows before the first answer."""
    model = chat_model()
    if model is None:
        return {"mode": "offline", "label": "Offline engine"}
    return {"mode": "model", "label": model.label}


def ports_for(turn: Turn) -> tuple[Ports, ScopePolicy]:
    """The ports of a stored turn, under its end user's grants and the tenant's policy and prompts of this moment."""
    end_user = turn.session.end_user
    principal, rules = answers(
        principal_asked(tenant_id=current_tenant_id(), user_id=end_user.user_id, end_user_id=end_user.pk),
        in_force_asked(turn.session_id),
    )
    ports = replace(ports_of(principal), archive=SessionArchive(turn.session_id), prompts=rules.prompts)
    found = fitted(rules.policy, equipment().embeddings.space.name)
    if not found.calibrated:
        told = "thresholds of %s are used in the embedding space of another model; run manage.py calibrate"
        log.warning(told, found.policy.thresholds.space)
    return ports, found.policy


def ports_for_quick(turn: Turn) -> tuple[Ports, ScopePolicy]:
    """The same without the pauses between the words of an extracted answer, for when nobody reads along."""
    ports, policy = ports_for(turn)
    return replace(ports, pace=None), policy


def ports_of(principal: Principal) -> Ports:
    model = chat_model()
    tokens = token_counter()
    return Ports(
        language=language(),
        knows=language().knows,
        offload=beside_the_loop,
        embedder=RetrievalEmbedder(),
        retriever=RetrievalSearch(principal),
        clock=monotonic_ms,
        count_tokens=tokens.count,
        vocabulary=tokens.name,
        model=MakingRoom(model) if model is not None else None,
        pace=_pace,
    )


def token_counter() -> TokenCounter:
    """Counts tokens as the configured model does."""
    return counter_for(settings.OPENAI_MODEL if chat_model() else "")


async def beside_the_loop(work: Any) -> Any:
    """Language work in its own thread, inside the caller's scope."""
    return await asyncio.get_running_loop().run_in_executor(_LANGUAGE_THREAD, copy_context().run, work)


async def _pace() -> None:
    await asyncio.sleep(PACE_SECONDS)


# What the doors call


async def ask(
    asker: Asker, *, session_id: UUID | None, client_id: str, text: str, after_turn: AfterTurn | None = None
) -> Turn:
    """Store a message, acknowledge it, and begin to answer. The same client id is acknowledged again only."""
    accepted = await in_thread(
        turns.turn_accept,
        end_user_id=asker.end_user_id,
        session_id=session_id,
        client_id=client_id,
        text=text,
    )
    return await _acknowledged(accepted, after_turn)


async def retry(asker: Asker, *, turn_id: UUID, client_id: str, after_turn: AfterTurn | None = None) -> Turn:
    accepted = await in_thread(
        turns.turn_retry, turn_id=turn_id, end_user_id=asker.end_user_id, client_id=client_id
    )
    return await _acknowledged(accepted, after_turn)


async def _acknowledged(accepted: turns.Accepted, after_turn: AfterTurn | None) -> Turn:
    turn = accepted.turn
    if accepted.created:
        await EventLog(turn.session_id, floor=turn.session.event_seq).append(
            "turn.accepted",
            turn=str(turn.id),
            client_id=turn.client_id,
            n=turn.n,
            text=turn.message,
            created=turn.created_at.isoformat(),
        )
        answer_soon(turn.session_id, after_turn)
    return turn


async def stop(asker: Asker, *, turn_id: UUID) -> None:
    turn = await in_thread(turns.turn_stop, turn_id=turn_id, end_user_id=asker.end_user_id)
    stop_now(turn.id)


def run_apart(work: Coroutine[Any, Any, R]) -> R:
    """Run asynchronous work from synchronous code in an event loop of its own, and leave no connection behind."""

    async def and_close() -> R:
        try:
            return await work
        finally:
            await close_client()
            if (model := chat_model()) is not None:
                await model.aclose()

    return asyncio.run(and_close())


def answer_now(session_id: UUID, *, ports_for: PortsFor) -> None:
    """Answer what waits in a session and return when it is done."""
    run_apart(answer_session(session_id, ports_for=ports_for))


def answer_soon(session_id: UUID, after_turn: AfterTurn | None = None) -> None:
    """Answer what waits in the session, in this process, unless another one does."""
    task = asyncio.create_task(answer_session(session_id, ports_for=ports_for, after_turn=after_turn))
    _answering.add(task)
    task.add_done_callback(_answered)


def _answered(task: asyncio.Task[None]) -> None:
    _answering.discard(task)
    if not task.cancelled() and (error := task.exception()):
        log.error("answering a session failed", exc_info=error)


async def answers_ended() -> None:
    """Wait until what this event loop answers has ended: before a loop that was made for one request is closed."""
    here = asyncio.get_running_loop()
    await asyncio.gather(*[task for task in _answering if task.get_loop() is here], return_exceptions=True)


def session_to_open(asker: Asker, session_id: UUID | None) -> UUID | None:
    """The session asked for, else the newest of this end user, else None."""
    if session_id is not None:
        return selectors.access_session(session_id=session_id, end_user_id=asker.end_user_id).pk
    newest: Session | None = selectors.session_newest(end_user_id=asker.end_user_id)
    return newest.pk if newest else None


async def snapshot(asker: Asker, session_id: UUID) -> dict[str, Any]:
    return await session_as_seen(session_id=session_id, end_user_id=asker.end_user_id)


def session_delete(asker: Asker, session_id: UUID) -> None:
    """Delete a conversation everywhere and tell the tabs that show it."""
    run_apart(session_erase(session_id=session_id, end_user_id=asker.end_user_id))


def visit(knock: Knock, *, tenant: Tenant, asker: Asker | None) -> Visit:
    """Let a chat frame in: on its session token if it shows one, else by its widget's key, else on our own page.

    A person who has just said who they are takes the conversations of their device along.
    """
    if asker is not None and asker.token is not None:
        return visit_renew(knock, asker=asker)
    if not knock.public_key:
        if asker is None:
            raise SignInRequired
        return visit_hosted(asker=asker)
    begun = visit_begin(knock, tenant=tenant)
    if begun.adopts:
        moving = sessions_adopt(device_token=begun.adopts, end_user=begun.end_user)
        begun = replace(begun, adopted=run_apart(moving))
    return begun


def passage_to_open(asker: Asker, chunk_id: UUID) -> dict[str, Any]:
    """The passage behind a citation, if the asker may see it now."""
    return passage_get(chunk_id, asker.principal()).as_dict()


def warm() -> None:
    """Load what the first turn would otherwise wait for."""
    language().warm()
    token_counter().count("warm")
    if chat_model() is not None:
        from conversations.adapters.openai_chat import trusted

        trusted()
