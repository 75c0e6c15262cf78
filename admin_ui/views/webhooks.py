"""The doors of webhooks: where the workspace's own programs are told, and what became of each delivery."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from admin_ui.permits import access_permitted
from admin_ui.selectors import webhooks as read
from admin_ui.sites import console
from kernel.errors import DomainError
from tenants.events import EVENTS
from tenants.roles import May
from tenants.services import webhooks as services

URL_LIMIT = 500


@require_GET
def webhooks(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.MANAGE_WEBHOOKS)
    return _list(request)


@require_POST
def new(request: HttpRequest) -> HttpResponse:
    """`url` and `events`. The answer shows the secret, this once."""
    access_permitted(request, May.MANAGE_WEBHOOKS)
    try:
        hook, secret = services.webhook_create(url=_url(request), events=request.POST.getlist("events"))
    except DomainError as error:
        messages.error(request, error.message)
        return _list(request, asked_url=_url(request), asked_events=request.POST.getlist("events"))
    return _page(request, hook.pk, secret=secret)


@require_GET
def webhook(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    access_permitted(request, May.MANAGE_WEBHOOKS)
    return _page(request, webhook_id)


@require_POST
def change(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    access_permitted(request, May.MANAGE_WEBHOOKS)
    events = request.POST.getlist("events")
    return _done(
        request,
        webhook_id,
        lambda: services.webhook_update(webhook_id=webhook_id, url=_url(request), events=events),
        "Saved. It is told of these events from now on.",
    )


@require_POST
def switch(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """`enabled` is yes or no."""
    access_permitted(request, May.MANAGE_WEBHOOKS)
    on = request.POST.get("enabled") == "yes"
    told = "It is told of its events again." if on else "It is told nothing until it is switched on again."
    return _done(
        request, webhook_id, lambda: services.webhook_update(webhook_id=webhook_id, enabled=on), told
    )


@require_POST
def secret(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Another secret, shown this once."""
    access_permitted(request, May.MANAGE_WEBHOOKS)
    return _page(request, webhook_id, secret=services.webhook_secret_rotate(webhook_id=webhook_id))


@require_POST
def test(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    access_permitted(request, May.MANAGE_WEBHOOKS)
    told = "The test event is on its way. Load this page again to see how it went."
    return _done(request, webhook_id, lambda: services.webhook_ping(webhook_id=webhook_id), told)


@require_POST
def delete(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    access_permitted(request, May.MANAGE_WEBHOOKS)
    services.webhook_delete(webhook_id=webhook_id)
    messages.success(request, "The webhook and its log are deleted.")
    return redirect("console-webhooks")


@require_POST
def again(request: HttpRequest, webhook_id: UUID, delivery_id: UUID) -> HttpResponse:
    """Send one delivery now."""
    access_permitted(request, May.MANAGE_WEBHOOKS)
    told = "It is sent once more, under its old id."
    return _done(request, webhook_id, lambda: services.delivery_redeliver(delivery_id=delivery_id), told)


def _list(request: HttpRequest, **more: Any) -> HttpResponse:
    context = console.page_context(
        request,
        "Webhooks",
        rows=read.webhook_rows(),
        events=EVENTS,
        most=services.WEBHOOK_LIMIT,
        url_limit=URL_LIMIT,
        **more,
    )
    return render(request, "admin_ui/webhooks/list.html", context)


def _page(request: HttpRequest, webhook_id: UUID, **more: Any) -> HttpResponse:
    row = read.access_webhook_row(webhook_id)
    log = read.log_page(row.hook, request.GET)
    context = console.page_context(
        request,
        "Webhook",
        row=row,
        hook=row.hook,
        log=log,
        page=log.page,
        states=read.STATES,
        state=request.GET.get("state", ""),
        events=EVENTS,
        url_limit=URL_LIMIT,
        **more,
    )
    return render(request, "admin_ui/webhooks/detail.html", context)


def _url(request: HttpRequest) -> str:
    return request.POST.get("url", "").replace("\0", "").strip()[: URL_LIMIT + 1]


def _done(request: HttpRequest, webhook_id: UUID, act: Callable[[], object], told: str) -> HttpResponse:
    """Where it cannot be done, the page says why."""
    try:
        act()
        messages.success(request, told)
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("console-webhook", webhook_id)
