"""Tables of a tenant's own evaluations: its follow-up sets, runs of them with a result an item, and its gates."""

from __future__ import annotations

from django.db import models

from conversations.evaluation.jobs import Job
from tenants.models import TenantModel, User


class FollowUpSet(TenantModel):
    """A named set of items. `items_changed_at` says whether a run still speaks for what the set holds."""

    name = models.CharField(max_length=80)
    note = models.CharField(max_length=300, blank=True)
    items_changed_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="followup_set_name_once")]

    def __str__(self) -> str:
        return self.name


class FollowUpItem(TenantModel):
    """One item, in the fields of the file format (`evaluation/sets/README.md`). `key` is its id there.

    `origin` is the turn that it was grown from: the item quotes that conversation, so it goes when the turn goes.
    `more` keeps what a file said beyond: `reference_rewrite` and `meta`.
    """

    of_set = models.ForeignKey(FollowUpSet, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=80)
    stratum = models.CharField(max_length=40)
    prefix = models.JSONField(default=list)
    follow_up = models.TextField()
    gold = models.JSONField(default=list)
    required = models.JSONField(default=list)
    forbidden = models.JSONField(default=list)
    more = models.JSONField(default=dict)
    origin = models.ForeignKey("conversations.Turn", null=True, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["of_set", "stratum", "key"]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "of_set", "key"], name="followup_item_key_once")
        ]
        indexes = [
            models.Index(fields=["tenant", "of_set", "stratum", "key"], name="followup_items_by_stratum"),
            models.Index(fields=["tenant", "origin"], name="followup_items_by_origin"),
        ]

    def __str__(self) -> str:
        return self.follow_up[:60]


class EvaluationRun(Job):
    """A set, run by some strategies under one policy and one prompt over the tenant's own documents.

    `policy` and `prompt` are kept as they were when it was asked for, their numbers beside them (0: built in).
    `audience` is the slug of the audience under whose grants it searched, empty for all documents.
    `report` has the shape of `evaluate followups --json`; `failures` are the gates that did not hold when it ended.
    """

    of_set = models.ForeignKey(FollowUpSet, on_delete=models.CASCADE, related_name="+")
    strategies = models.JSONField()
    policy_number = models.PositiveIntegerField()
    policy = models.JSONField()
    prompt_number = models.PositiveIntegerField()
    prompt = models.JSONField()
    audience = models.CharField(max_length=80, blank=True)
    done = models.PositiveIntegerField(default=0)
    report = models.JSONField(default=dict)
    failures = models.JSONField(default=list)
    passed = models.BooleanField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["tenant", "-created_at"], name="evaluation_runs_by_time")]


class ResultState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class EvaluationResult(TenantModel):
    """What one strategy made of one item. `score` holds the figures of the item, `found` the documents that came back.

    It is made with its run, waiting: the rows that wait are what is left to do.
    """

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="+")
    item = models.ForeignKey(FollowUpItem, on_delete=models.CASCADE, related_name="+")
    strategy = models.CharField(max_length=20)
    position = models.PositiveIntegerField()
    stratum = models.CharField(max_length=40)
    state = models.CharField(max_length=7, choices=ResultState.choices, default=ResultState.WAITING)
    query = models.TextField(blank=True)
    display = models.TextField(blank=True)
    kind = models.CharField(max_length=20, blank=True)
    verdict = models.CharField(max_length=12, blank=True)
    rewritten = models.BooleanField(default=False)
    hit = models.BooleanField(null=True)
    contaminated = models.BooleanField(default=False)
    score = models.JSONField(default=dict)
    found = models.JSONField(default=list)

    class Meta:
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "run", "strategy", "item"], name="evaluation_result_once"
            )
        ]
        indexes = [
            models.Index(fields=["tenant", "run", "position"], name="evaluation_results_in_order"),
            models.Index(fields=["tenant", "item"], name="evaluation_results_by_item"),
        ]


class EvaluationGates(TenantModel):
    """The tenant's own gates, at most one row. `required`: a version is published after a run that passes them only."""

    required = models.BooleanField(default=False)
    of_set = models.ForeignKey(FollowUpSet, null=True, on_delete=models.PROTECT, related_name="+")
    values = models.JSONField(default=dict, help_text="In the shape of `gates.toml`.")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant"], name="evaluation_gates_once")]
