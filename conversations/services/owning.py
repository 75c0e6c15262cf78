"""What the owner of conversations may ask for: a copy of them, and that they are gone for good."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from conversations.adapters.event_log import close_client
from conversations.evaluation.records import (
    EvaluationGates,
    EvaluationResult,
    EvaluationRun,
    FollowUpItem,
    FollowUpSet,
)
from conversations.evaluation.what_if_records import WhatIfDifference, WhatIfReplay
from conversations.models import (
    DeletionReceipt,
    LedgerFact,
    Session,
    SessionState,
    SummaryPart,
    Turn,
    TurnTrace,
)
from conversations.services.retention import sessions_erase
from tenants.models import EndUser
from tenants.services.erasing import Eraser, Record, eraser_register
from tenants.services.export_sections import section_register, table

ERASED_AT_ONCE = 500
_TURN = (
    "session_id n client_id message state kind query display rewritten verdict answer citations engine notice error"
    " rating rating_reason created_at finished_at"
).split()
_ITEM = "of_set_id key stratum prefix follow_up gold required forbidden more origin_id created_at".split()
_RUN = (
    "of_set_id strategies policy_number policy prompt_number prompt audience with_model state reason total done report"
    " failures passed created_at finished_at"
).split()
_RESULT = "run_id item_id strategy state query display kind verdict rewritten score found".split()
_DIFFERENCE = (
    "replay_id turn_id stratum state rewrite verdict top_passage passages scope before after".split()
)
_REPLAY = (
    "id kind name before_number before after_number after selection with_model state total summary published_number"
    " created_at finished_at"
).split()
_FACT = "session_id position turn entity attribute fact value kind said_by replaced_in".split()


def register() -> None:
    """Called once, when Django is ready."""
    tables: tuple[tuple[str, str, Any, str, list[str]], ...] = (
        (
            "sessions",
            "Conversations.",
            Session,
            "",
            "end_user_id title turn_count created_at updated_at".split(),
        ),
        ("turns", "Messages with what was searched, answered and cited.", Turn, "session__", _TURN),
        (
            "traces",
            "What happened in each turn, stage by stage.",
            TurnTrace,
            "turn__session__",
            ["turn_id", "data"],
        ),
        (
            "memory",
            "What each conversation remembers.",
            SessionState,
            "session__",
            ["session_id", "version", "data"],
        ),
        (
            "summaries",
            "Summaries of older turns.",
            SummaryPart,
            "session__",
            "session_id level first_turn last_turn text entities engine".split(),
        ),
        ("ledger", "Facts that are kept word for word.", LedgerFact, "session__", _FACT),
        (
            "what_if_differences",
            "What turns would have searched for under a change that was tried.",
            WhatIfDifference,
            "turn__session__",
            _DIFFERENCE,
        ),
    )
    for name, about, model, path, fields in tables:
        section_register(table(name, about, _rows(model, path), fields, of_end_users=True))
    deleted = lambda who: DeletionReceipt.objects.all()  # noqa: E731
    tried = lambda who: WhatIfReplay.objects.all()  # noqa: E731
    section_register(table("what_if_replays", "Changes that were tried on past turns.", tried, _REPLAY))
    fields = ["reason", "counts", "created_at"]
    section_register(table("deletions", "Receipts of conversations that were deleted.", deleted, fields))
    for name, about, model, fields in (
        ("followup_sets", "Follow-up sets.", FollowUpSet, ["name", "note", "created_at"]),
        ("evaluations", "Runs of follow-up sets with their reports.", EvaluationRun, _RUN),
        (
            "evaluation_gates",
            "What an evaluation must reach.",
            EvaluationGates,
            ["required", "of_set_id", "values"],
        ),
    ):
        section_register(table(name, about, _all(model), fields))
    for name, about, model, path, fields in (
        ("followup_items", "Items of follow-up sets.", FollowUpItem, "origin__session__", _ITEM),
        (
            "evaluation_results",
            "What came of each item.",
            EvaluationResult,
            "item__origin__session__",
            _RESULT,
        ),
    ):
        section_register(table(name, about, _rows(model, path), fields, of_end_users=True))
    eraser_register(Eraser("conversations", _erase_of, _erase_all))


def _all(model: Any) -> Any:
    return lambda who: model.objects.all()


def _rows(model: Any, path: str) -> Any:
    def rows(who: EndUser | None) -> QuerySet[Any]:
        found: QuerySet[Any] = model.objects.all()
        return found if who is None else found.filter(**{f"{path}end_user": who})

    return rows


def _erase_of(end_user_id: UUID, record: Record) -> None:
    from tenants.services.erasing_tenant import adopted_by

    _run(Q(end_user_id__in=[end_user_id, *adopted_by(end_user_id)]), record)


def _erase_all(record: Record) -> None:
    _run(Q(), record)
    for model in (EvaluationGates, EvaluationResult, EvaluationRun, FollowUpItem, FollowUpSet, WhatIfReplay):
        _erase_rows(model, record)
    with transaction.atomic():
        record({"DeletionReceipt": DeletionReceipt.objects.all().delete()[0]})


def _erase_rows(model: Any, record: Record) -> None:
    """A bounded piece at a time: nothing that is left refers to these rows."""
    while ids := list(model.objects.values_list("pk", flat=True)[:ERASED_AT_ONCE]):
        with transaction.atomic():
            model.objects.filter(pk__in=ids).delete()
            record({model.__name__: len(ids)})


def _run(condition: Q, record: Record) -> None:
    """In an event loop of its own, which leaves no connection behind."""

    async def and_close() -> None:
        try:
            await sessions_erase(condition, record=record)
        finally:
            await close_client()

    asyncio.run(and_close())
