"""Reading webhooks for the console: how each fares, and the log of what was delivered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max, Q

from admin_ui.asked import choice_asked
from admin_ui.components.marks import Mark
from kernel.clock import now
from tenants.models import DeliveryState, Webhook, WebhookDelivery
from tenants.selectors.webhooks import access_webhook, webhooks_list

PER_PAGE = 50
RECENT = timedelta(days=1)
STATES: dict[str, Mark] = {
    DeliveryState.DELIVERED: Mark("delivered", "clean", "✓", "The address took it."),
    "retrying": Mark("trying again", "stale", "↻", "An attempt failed; the next one is due."),
    DeliveryState.WAITING: Mark("waiting", "offered", "○", "It is sent in a moment."),
    DeliveryState.GIVEN_UP: Mark("given up", "contaminated", "✕", "Every attempt of a day failed."),
}
FILTERS: dict[str, Q] = {
    DeliveryState.DELIVERED: Q(state=DeliveryState.DELIVERED),
    "retrying": Q(state=DeliveryState.WAITING, attempts__gt=0),
    DeliveryState.WAITING: Q(state=DeliveryState.WAITING, attempts=0),
    DeliveryState.GIVEN_UP: Q(state=DeliveryState.GIVEN_UP),
}
ON = Mark("on", "clean", "✓", "It is told of its events.")
FAILING = Mark("failing", "stale", "!", "Deliveries of the last day failed.")
OFF = Mark("switched off", "evicted", "×", "It is told nothing.")


@dataclass(frozen=True, slots=True)
class WebhookRow:
    """A webhook with what became of the deliveries of the last day."""

    hook: Webhook
    mark: Mark
    delivered: int = 0
    failing: int = 0
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    delivery: WebhookDelivery
    mark: Mark

    @property
    def is_over(self) -> bool:
        """Whether sending it again is for a person to ask for."""
        return self.delivery.state != DeliveryState.WAITING

    @property
    def is_late(self) -> bool:
        """Whether it waits for its next attempt, which may also be made now."""
        return not self.is_over and self.delivery.attempts > 0


@dataclass(frozen=True, slots=True)
class Log:
    page: Page[WebhookDelivery]
    rows: list[DeliveryRow]


def webhook_rows() -> list[WebhookRow]:
    """Two queries."""
    return _rows(list(webhooks_list()))


def _rows(hooks: Sequence[Webhook]) -> list[WebhookRow]:
    recent = WebhookDelivery.objects.filter(webhook__in=hooks, created_at__gte=now() - RECENT).order_by()
    counted = recent.values("webhook_id").annotate(
        delivered=Count("id", FILTERS[DeliveryState.DELIVERED]),
        failing=Count("id", FILTERS["retrying"] | FILTERS[DeliveryState.GIVEN_UP]),
        last=Max("created_at"),
    )
    found = {row.pop("webhook_id"): row for row in counted}
    return [_row(hook, found.get(hook.pk, {})) for hook in hooks]


def webhooks_failing() -> int:
    """How many need somebody: switched off by the platform, or given up on in the last day. One query."""
    given_up = WebhookDelivery.objects.filter(
        FILTERS[DeliveryState.GIVEN_UP], created_at__gte=now() - RECENT, webhook__enabled=True
    )
    stopped = Q(enabled=False) & ~Q(disabled_reason="")
    return Webhook.objects.filter(stopped | Q(pk__in=given_up.values("webhook_id"))).count()


def access_webhook_row(webhook_id: UUID) -> WebhookRow:
    """Raises `NotFound`."""
    return _rows([access_webhook(webhook_id)])[0]


def log_page(hook: Webhook, query: Mapping[str, str]) -> Log:
    """`?state=` narrows it to one of `STATES`."""
    found = WebhookDelivery.objects.filter(webhook=hook).order_by("-created_at", "id")
    state = choice_asked(query, "state", STATES)
    found = found.filter(FILTERS[state]) if state else found
    page = Paginator(found, PER_PAGE).get_page(query.get("page", "1"))
    return Log(page, [DeliveryRow(one, STATES[_state(one)]) for one in page.object_list])


def _row(hook: Webhook, counts: Mapping[str, object]) -> WebhookRow:
    mark = OFF if not hook.enabled else FAILING if counts.get("failing") else ON
    return WebhookRow(hook, mark, **counts)  # type: ignore[arg-type]


def _state(delivery: WebhookDelivery) -> str:
    waits = delivery.state == DeliveryState.WAITING and delivery.attempts > 0
    return "retrying" if waits else delivery.state
