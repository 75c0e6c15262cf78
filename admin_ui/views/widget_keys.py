"""The doors of widgets: a public key for a site, where it may be embedded, whom it lets in and how it looks."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from admin_ui.asked import choice_asked, text_asked
from admin_ui.components.accent import accent_uses
from admin_ui.permits import access_permitted
from admin_ui.selectors import keys as read
from admin_ui.sites import CONSOLE_POLICY, console
from admin_ui.widget_preview import look_packed
from kernel.errors import DomainError
from kernel.json import JsonObject
from tenants.models import WidgetKey
from tenants.roles import May
from tenants.services import widget_keys as services
from tenants.sign_in.guards import public_url

PLAIN = {"name": (), "greeting": (), "language": (), "theme": ("auto", "light", "dark"), "position": ("right", "left")}  # fmt: skip

ICONS = ("chat", "help", "spark")
LANGUAGES = {
    "auto": "As the browser",
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "ar": "Arabic",
    "ja": "Japanese",
}


@require_POST
def new(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.MANAGE_WIDGET)
    try:
        key = services.widget_key_create(
            name=text_asked(request.POST, "name"), allowed_origins=_lines(request, "origins")
        )
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-keys")
    messages.success(request, f"“{key.name}” is ready. Put its tag on your pages.")
    return redirect("console-widget-key", key.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def widget(request: HttpRequest, key_id: UUID) -> HttpResponse:
    access_permitted(request, May.MANAGE_WIDGET)
    row = read.access_widget(key_id)
    if request.method == "POST":
        try:
            _save(request, row.key)
            messages.success(request, "Saved. Open pages take it up when they are loaded again.")
        except DomainError as error:
            messages.error(request, error.message)
        return redirect("console-widget-key", key_id)
    script = public_url(request, reverse("console").removesuffix("console/") + "widget.js")
    context = console.page_context(
        request,
        row.key.name,
        row=row,
        look=row.key.look,
        packed=look_packed(row.key.look),
        languages=LANGUAGES,
        uses=accent_uses(row.key.look.get("accent") or request.tenant.accent),  # type: ignore[attr-defined]
        origins="\n".join(row.key.allowed_origins),
        suggestions="\n".join(row.key.look.get("suggestions", [])),
        tag=f'<script src="{script}" data-key="{row.key.public_key}" async></script>',
    )
    response = render(request, "admin_ui/keys/widget.html", context)
    response.headers["Content-Security-Policy"] = f"{CONSOLE_POLICY}; frame-src 'self'"  # the preview
    return response


@require_POST
def revoke(request: HttpRequest, key_id: UUID) -> HttpResponse:
    access_permitted(request, May.MANAGE_WIDGET)
    try:
        key = services.widget_key_revoke(key_id=key_id)
        messages.success(request, f"“{key.name}” is switched off for good.")
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("console-keys")


@transaction.atomic
def _save(request: HttpRequest, key: WidgetKey) -> None:
    """All of the form or nothing."""
    services.widget_key_rename(key_id=key.pk, name=text_asked(request.POST, "title"))
    services.widget_key_origins_set(key_id=key.pk, allowed_origins=_lines(request, "origins"))
    services.widget_key_look_set(key_id=key.pk, look=_look(request, key.look))
    services.widget_key_visitors_set(
        key_id=key.pk,
        identified_only=request.POST.get("identified_only") == "yes",
        one_time_identities=request.POST.get("one_time_identities") == "yes",
    )


def _look(request: HttpRequest, before: JsonObject) -> JsonObject:
    """The form's part of the look over what else is stored; what is left empty is the workspace's own."""
    form: JsonObject = {
        name: choice_asked(request.POST, name, among) if among else _text(request, name)
        for name, among in PLAIN.items()
    }
    form |= {"accent": _text(request, "accent"), "suggestions": _lines(request, "suggestions")}
    form |= _launcher(request)
    kept = {name: value for name, value in before.items() if name not in form}
    return {**kept, **{name: value for name, value in form.items() if value}}


def _launcher(request: HttpRequest) -> JsonObject:
    """Nothing where the form does not speak of it."""
    if "launcher_icon" not in request.POST:
        return {}
    launcher: JsonObject = {
        "icon": choice_asked(request.POST, "launcher_icon", ICONS),
        "label": _text(request, "launcher_label"),
        "open": request.POST.get("launcher_open") == "yes",
    }
    return {"launcher": {name: value for name, value in launcher.items() if value}}


def _text(request: HttpRequest, name: str) -> str:
    """In one line, whatever its length: the schema of the look says what is too long."""
    return " ".join(request.POST.get(name, "").replace("\0", "").split())


def _lines(request: HttpRequest, name: str) -> list[Any]:
    text = request.POST.get(name, "").replace("\0", "")
    return [line.strip() for line in text.splitlines() if line.strip()]
