"""Where a tenant wants to be told what happened, and what was told."""

from __future__ import annotations

from django.db import models

from tenants.models.base import TenantModel


class Webhook(TenantModel):
    """An address that is told of events. `secret` is sealed; it signs what is sent.

    After a change of secrets `previous_secret` signs as well until `previous_until`.
    """

    url = models.URLField(max_length=500)
    events = models.JSONField(default=list)
    secret = models.TextField()
    previous_secret = models.TextField(blank=True)
    previous_until = models.DateTimeField(null=True, blank=True)
    enabled = models.BooleanField(default=True)
    disabled_reason = models.CharField(
        max_length=300, blank=True, help_text="Why the platform stopped telling it."
    )
    failures = models.PositiveIntegerField(default=0, help_text="Deliveries given up in a row.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.url


class DeliveryState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    DELIVERED = "delivered", "Delivered"
    GIVEN_UP = "given_up", "Given up"


class WebhookDelivery(TenantModel):
    """One event on its way to one address."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="+")
    event = models.CharField(max_length=40)
    payload = models.JSONField()
    state = models.CharField(max_length=9, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="HTTP status of the last answer."
    )
    reason = models.CharField(max_length=300, blank=True, help_text="Why the last attempt failed.")
    milliseconds = models.PositiveIntegerField(
        null=True, blank=True, help_text="How long the last attempt took."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["tenant", "next_at"], condition=models.Q(state="waiting"), name="delivery_due"
            ),
            models.Index(fields=["tenant", "webhook", "-created_at"], name="delivery_log"),
        ]
