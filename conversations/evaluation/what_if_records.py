"""Tables of what-if replays: what was tried on which turns, and what came of each of them."""

from __future__ import annotations

from django.db import models

from conversations.evaluation.jobs import Job
from tenants.models import TenantModel, VersionKind


class WhatIfReplay(Job):
    """Stored turns, replayed under what was in force when it was asked for (`before`) and under a change (`after`).

    Both are kept as they were then. `after_number` is the version that was tried, None for a document of its own.
    `summary` is written when it ends (`what_if.Counts`).
    """

    kind = models.CharField(max_length=10, choices=VersionKind.choices)
    name = models.CharField(max_length=40)
    before_number = models.PositiveIntegerField()
    before = models.JSONField()
    after_number = models.PositiveIntegerField(null=True)
    after = models.JSONField()
    selection = models.JSONField(help_text="Which turns (`what_if.Selection`).")
    summary = models.JSONField(default=dict)
    published_number = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["tenant", "-created_at"], name="what_if_by_time")]


class WhatIfState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    SAME = "same", "The same"
    CHANGED = "changed", "Changed"
    FAILED = "failed", "Not comparable"


class WhatIfDifference(TenantModel):
    """One of a replay's turns, and what changed in it. It holds derived rewrites and ids; the message stays in the turn.

    `before` and `after` (`what_if.Side`) are kept where something changed. `stored_differs`: the stored turn is not
    what the replay under `before` comes to, so documents, grants or versions have changed since.
    """

    replay = models.ForeignKey(WhatIfReplay, on_delete=models.CASCADE, related_name="+")
    turn = models.ForeignKey("conversations.Turn", on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    stratum = models.CharField(max_length=20, blank=True)
    state = models.CharField(max_length=7, choices=WhatIfState.choices, default=WhatIfState.WAITING)
    rewrite = models.BooleanField(default=False)
    verdict = models.BooleanField(default=False)
    top_passage = models.BooleanField(default=False)
    passages = models.BooleanField(default=False)
    scope = models.BooleanField(default=False)
    stored_differs = models.BooleanField(default=False)
    verdict_before = models.CharField(max_length=12, blank=True)
    verdict_after = models.CharField(max_length=12, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    class Meta:
        ordering = ["replay", "position"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "replay", "turn"], name="what_if_turn_once_a_replay")
        ]
        indexes = [models.Index(fields=["tenant", "replay", "position"], name="what_if_turns_in_order")]
