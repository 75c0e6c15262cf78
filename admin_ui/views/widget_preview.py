"""The doors of a widget's preview: a sample page, the real loader and frame on it, and a chat that stores nothing."""

from __future__ import annotations

import json
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods

from admin_ui import widget_preview as preview
from admin_ui.asked import choice_asked
from admin_ui.components.accent import accent_uses
from admin_ui.permits import access_permitted
from admin_ui.selectors.keys import access_widget
from conversations.widget import packing
from kernel.errors import DomainError
from tenants.models import WidgetKey
from tenants.roles import May

# Shown inside the console and nowhere else; it speaks to nobody but this server.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


@require_GET
@xframe_options_sameorigin
def page(request: HttpRequest, key_id: UUID, packed: str) -> HttpResponse:
    """A page as a customer's may be, with the widget on it. `theme` is light or dark, else what the look says."""
    key = _key(request, key_id)
    try:
        look, fault = preview.look_unpacked(packed), None
    except DomainError as error:
        look, fault = {}, error
    theme = choice_asked(request.GET, "theme", ("light", "dark"))
    context = {"key": key, "look": look, "fault": fault, "theme": theme}
    return _framed(render(request, "admin_ui/keys/preview.html", context))


@require_GET
@xframe_options_sameorigin
def loader(request: HttpRequest, key_id: UUID, packed: str) -> HttpResponse:
    """The loader: it looks for its frame beside itself."""
    _key(request, key_id)
    found = packing.asset("loader.js")
    return _framed(HttpResponse(found.body if found else b"", content_type="text/javascript; charset=utf-8"))


@require_GET
@xframe_options_sameorigin
def frame(request: HttpRequest, key_id: UUID, packed: str) -> HttpResponse:
    key, look = _key(request, key_id), preview.look_unpacked(packed)
    below = reverse("console-widget-preview", args=[key_id, packed])
    boot = preview.boot_of(request.tenant, key, look, below)  # type: ignore[attr-defined]
    context = {"boot": boot, "look": boot["look"], "digest": packing.digest()}
    return _framed(render(request, "widget/frame.html", context))


@csrf_exempt  # nothing is changed by it
@require_http_methods(["GET", "POST"])
@xframe_options_sameorigin
def api(request: HttpRequest, key_id: UUID, packed: str, what: str) -> HttpResponse:
    """What the frame asks of the chat, answered with samples. Nothing is stored."""
    _key(request, key_id)
    try:
        asked = json.loads(request.body or b"null")
    except (ValueError, RecursionError):
        asked = None
    return JsonResponse(preview.answer(what, asked))


@require_GET
def contrast(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """How readable an `accent` is, and what is made of it where it is not."""
    key = _key(request, key_id)
    accent = request.GET.get("accent", "").strip() or request.tenant.accent  # type: ignore[attr-defined]
    return render(request, "admin_ui/keys/contrast.html", {"key": key, "uses": accent_uses(accent)})


def _key(request: HttpRequest, key_id: UUID) -> WidgetKey:
    access_permitted(request, May.MANAGE_WIDGET)
    return access_widget(key_id).key


def _framed(response: HttpResponse) -> HttpResponse:
    response.headers["Content-Security-Policy"] = POLICY
    return response
