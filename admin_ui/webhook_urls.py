"""Addresses of webhooks in the tenant console, below `webhooks/`."""

from __future__ import annotations

from django.urls import path

from admin_ui.sites import console
from admin_ui.views import webhooks as views

_ONE = "webhooks/<uuid:webhook_id>/"
_PAGES = (
    ("webhooks/", views.webhooks, "console-webhooks"),
    ("webhooks/new", views.new, "console-webhook-new"),
    (_ONE, views.webhook, "console-webhook"),
    (f"{_ONE}change", views.change, "console-webhook-change"),
    (f"{_ONE}switch", views.switch, "console-webhook-switch"),
    (f"{_ONE}secret", views.secret, "console-webhook-secret"),
    (f"{_ONE}test", views.test, "console-webhook-test"),
    (f"{_ONE}delete", views.delete, "console-webhook-delete"),
    (f"{_ONE}deliveries/<uuid:delivery_id>/again", views.again, "console-webhook-again"),
)
webhook_paths = [path(address, console.admin_view(view), name=name) for address, view, name in _PAGES]
