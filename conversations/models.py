"""Tables of conversations: sessions, their state, turns and what happened in each."""

from __future__ import annotations

from django.db import models

from tenants.models import EndUser, TenantModel


class Session(TenantModel):
    """One conversation of one end user.

    `lease_*` says which process answers in it now: at most one, and not for long after that one has died.
    `event_seq` is the last event number known to be used; the event log continues above it.
    """

    end_user = models.ForeignKey(EndUser, on_delete=models.CASCADE, related_name="+")
    opened_by = models.CharField(max_length=64, help_text="Client id of the message that opened it.")
    title = models.CharField(max_length=120, blank=True)
    turn_count = models.PositiveIntegerField(default=0)
    event_seq = models.PositiveBigIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at"]
        indexes = [models.Index(fields=["tenant", "end_user", "-updated_at"], name="session_by_end_user")]
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


UNFINISHED = (TurnState.ACCEPTED, TurnState.RUNNING)


class Turn(TenantModel):
    """One user message and what followed. `client_id` is the client's own: the same one never makes two turns."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    n = models.PositiveIntegerField()
    client_id = models.CharField(max_length=64)
    message = models.TextField()
    state = models.CharField(max_length=10, choices=TurnState.choices, default=TurnState.ACCEPTED)
    attempts = models.PositiveSmallIntegerField(default=0)
    stop_requested = models.BooleanField(default=False)
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
            models.Index(fields=["tenant", "-created_at"], name="turn_by_time"),
        ]

    def __str__(self) -> str:
        return self.message[:60]


class TurnTrace(TenantModel):
    """Everything that happened in a turn, stage by stage."""

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="+")
    data = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
