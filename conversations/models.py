"""Tables of conversations: sessions, their state, turns and what happened in each."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from conversations.domain.verdicts import FLAGGED
from tenants.models import EndUser, TenantModel


class Session(TenantModel):
    """One conversation of one end user.

    `lease_*` says which process answers in it now: at most one, and not for long after that one has died.
    `event_seq` is the last event number known to be used; the event log continues above it.
    `last_exchange` numbers the newest archived exchange, `memory_turn` the newest that summary and ledger cover:
    where they differ, memory work is due. `ended_at` is set while the person has left it for a newer one.
    """

    end_user = models.ForeignKey(EndUser, on_delete=models.CASCADE, related_name="+")
    opened_by = models.CharField(max_length=64, help_text="Client id of the message that opened it.")
    title = models.CharField(max_length=120, blank=True)
    turn_count = models.PositiveIntegerField(default=0)
    event_seq = models.PositiveBigIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    last_exchange = models.PositiveIntegerField(default=0, editable=False)
    memory_turn = models.PositiveIntegerField(default=0, editable=False)
    last_turn_at = models.DateTimeField(null=True, editable=False, help_text="When a turn last ended.")
    ended_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at"]
        indexes = [
            models.Index(fields=["tenant", "end_user", "-updated_at"], name="session_by_end_user"),
            models.Index(fields=["tenant", "updated_at"], name="session_by_activity"),
            models.Index(
                fields=["tenant", "last_turn_at"],
                name="session_memory_due",
                condition=models.Q(memory_turn__lt=models.F("last_exchange")),
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "end_user", "opened_by"], name="session_opened_once_by_a_message"
            )
        ]

    def __str__(self) -> str:
        return self.title or "New conversation"


class SessionState(TenantModel):
    """What the session remembers between turns. `version` decides which of two copies is newer."""

    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="+")
    version = models.PositiveIntegerField()
    data = models.JSONField()


class TurnState(models.TextChoices):
    ACCEPTED = "accepted", "Waiting"
    RUNNING = "running", "Answering"
    COMPLETED = "completed", "Answered"
    STOPPED = "stopped", "Stopped"
    FAILED = "failed", "Failed"
    JOINED = "joined", "Answered with the next message"


UNFINISHED = (TurnState.ACCEPTED, TurnState.RUNNING)
UNSOURCED = models.Q(state="completed") & ~models.Q(kind="small_talk") & models.Q(citations=[])
"""Answered questions whose answer cites nothing."""
COUNTED = (
    "id",
    "session",
    "verdict",
    "kind",
    "state",
    "rating",
    "rewritten",
    "policy_version",
    "contextualize_version",
    "finished_at",
)
"""What reports count of turns: an index holds it, so that they read no whole turn."""


def _version_in(name: str) -> models.GeneratedField:
    """A number of `prompt_versions` as a column. Under row-level security no index on JSON itself is ever used:
    its operators are not leakproof, those of integers are.
    """
    number = Cast(KT(f"prompt_versions__{name}"), models.IntegerField())
    return models.GeneratedField(
        expression=number, output_field=models.IntegerField(null=True), db_persist=True, editable=False
    )


class Turn(TenantModel):
    """One user message and what followed. `client_id` is the client's own: the same one never makes two turns.

    Messages that waited together are one thought: the last of them carries the answer, the others are `joined_to` it.
    `policy_version` and `prompt_versions` are the numbers of the tenant's versions that it ran under, 0 the built-in;
    `contextualize_version` and `answer_version` are the same as columns.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    n = models.PositiveIntegerField()
    client_id = models.CharField(max_length=64)
    message = models.TextField()
    state = models.CharField(max_length=10, choices=TurnState.choices, default=TurnState.ACCEPTED)
    attempts = models.PositiveSmallIntegerField(default=0)
    stop_requested = models.BooleanField(default=False)
    joined_to = models.ForeignKey(
        "self", null=True, editable=False, on_delete=models.CASCADE, related_name="+"
    )
    kind = models.CharField(max_length=20, blank=True)
    query = models.TextField(blank=True, help_text="The standalone query that was searched.")
    display = models.TextField(blank=True, help_text="The query as shown to people.")
    rewritten = models.BooleanField(default=False)
    verdict = models.CharField(max_length=12, blank=True)
    answer = models.TextField(blank=True)
    citations = models.JSONField(default=list)
    engine = models.JSONField(null=True)
    notice = models.JSONField(null=True)
    error = models.JSONField(null=True)
    policy_version = models.PositiveIntegerField(default=0, editable=False)
    prompt_versions = models.JSONField(default=dict, editable=False)
    contextualize_version = _version_in("contextualize")
    answer_version = _version_in("answer")
    rating = models.CharField(max_length=4, blank=True)
    rating_reason = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["session", "n"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "session", "n"], name="turn_number_once_per_session"),
            models.UniqueConstraint(
                fields=["tenant", "session", "client_id"], name="turn_client_id_once_per_session"
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "session"],
                name="turn_unfinished",
                condition=models.Q(state__in=["accepted", "running"]),
            ),
            models.Index(fields=["tenant", "-created_at"], include=list(COUNTED), name="turn_counted"),
            models.Index(
                fields=["tenant", "-created_at"],
                include=["id", "session"],
                name="turn_unsourced",
                condition=UNSOURCED,
            ),
            models.Index(
                fields=["tenant", "-created_at"],
                include=["session", "verdict"],
                name="turn_flagged",
                condition=models.Q(verdict__in=list(FLAGGED)),
            ),
            models.Index(fields=["tenant", "policy_version", "-created_at"], name="turn_by_policy_version"),
            models.Index(
                fields=["tenant", "contextualize_version", "-created_at"],
                name="turn_by_contextualize_version",
            ),
            models.Index(fields=["tenant", "answer_version", "-created_at"], name="turn_by_answer_version"),
        ]

    def __str__(self) -> str:
        return self.message[:60]


def _distance(function: str) -> models.GeneratedField:
    """A figure that the database works out of a trace as it is written: traces are too long to be read for it."""
    expression = models.Func(models.F("data"), function=function)
    return models.GeneratedField(
        expression=expression, output_field=models.IntegerField(null=True), db_persist=True, editable=False
    )


class TurnTrace(TenantModel):
    """Everything that happened in a turn, stage by stage.

    `d_live` is turns back to its antecedent, None for a turn that stood alone; `d_stale` turns back to the nearest
    mention of something closed, 0 where nothing was. Both are None or 0 where the trace does not tell.
    """

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="+")
    data = models.JSONField()
    d_live = _distance("trace_live_distance")
    d_stale = _distance("trace_stale_distance")
    created_at = models.DateTimeField(auto_now_add=True)


class ArchivedExchange(TenantModel):
    """A finished exchange as the conversation core keeps it, vectors included, however long ago it was.

    `n` counts exchanges, as the session's state does; `turn` is the stored turn that it came from. `keys` are those of
    the entities that it is about, `vector` that of its query (`domain.vectors.pack`): what it is found by.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="+")
    n = models.PositiveIntegerField()
    keys = ArrayField(models.TextField(), default=list)
    vector = models.BinaryField(default=b"")
    data = models.JSONField()

    class Meta:
        ordering = ["session", "n"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "session", "n"], name="archived_exchange_once")
        ]


class SummaryPart(TenantModel):
    """A stretch of exchanges in a few sentences, with the entities that it names (`domain.memory.values`)."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    level = models.PositiveSmallIntegerField(help_text="1 rolling, 2 deep.")
    first_turn = models.PositiveIntegerField()
    last_turn = models.PositiveIntegerField()
    text = models.TextField()
    entities = models.JSONField(default=list)
    chunks = models.JSONField(default=list)
    engine = models.CharField(max_length=120)

    class Meta:
        ordering = ["session", "first_turn", "level"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "session", "level", "first_turn"], name="summary_part_once"
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]


class LedgerFact(TenantModel):
    """Something said that must survive word for word (`domain.memory.values`).

    `position` is the fact's place in the session's ledger and its identity there: a fact may be corrected in its
    place, and none is ever taken out. `words` are those of statement and entity, so that a message finds its facts.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    turn = models.PositiveIntegerField()
    entity = models.TextField()
    key = models.TextField()
    attribute = models.TextField(blank=True)
    fact = models.TextField()
    value = models.TextField()
    kind = models.CharField(max_length=20)
    said_by = models.CharField(max_length=10)
    chunks = models.JSONField(default=list)
    replaced_in = models.PositiveIntegerField(
        default=0, help_text="Turn of the correction, 0 while it holds."
    )
    words = ArrayField(models.TextField(), default=list)

    class Meta:
        ordering = ["session", "position"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "session", "position"], name="ledger_fact_once")
        ]

    def __str__(self) -> str:
        return self.fact[:60]


class DeletionReason(models.TextChoices):
    END_USER = "end_user", "Deleted by the person"
    WORKSPACE = "workspace", "Deleted by the workspace"
    SESSION_END = "session_end", "The conversation ended"
    AGE = "age", "Older than the tenant keeps conversations"
    ERASURE = "erasure", "Erased with the person or the workspace"


class DeletionReceipt(TenantModel):
    """That conversations were deleted for good, why and how many rows of what: no names, no ids, no content."""

    reason = models.CharField(max_length=12, choices=DeletionReason.choices)
    counts = models.JSONField(help_text="Rows deleted, by kind.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["tenant", "-created_at"], name="deletion_receipt_by_time")]


from conversations.audits.records import (  # noqa: E402 (tables of this app)
    AuditRun,  # noqa: F401
    Canary,  # noqa: F401
    Finding,  # noqa: F401
    LeakageCheckDay,  # noqa: F401
    TurnJudgement,  # noqa: F401
)
from conversations.evaluation.records import (  # noqa: E402 (tables of this app)
    EvaluationGates,  # noqa: F401
    EvaluationResult,  # noqa: F401
    EvaluationRun,  # noqa: F401
    FollowUpItem,  # noqa: F401
    FollowUpSet,  # noqa: F401
)
from conversations.evaluation.what_if_records import (  # noqa: E402 (tables of this app)
    WhatIfDifference,  # noqa: F401
    WhatIfReplay,  # noqa: F401
)
