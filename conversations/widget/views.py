"""The doors of the widget: its loader, its frame, and the files that the frame loads."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_GET

from conversations.looks import look_shown
from conversations.widget import packing
from conversations.widget.shades import accent_shades
from kernel.errors import DomainError
from kernel.json import JsonObject
from tenants.errors import WidgetKeyRevoked, WidgetKeyUnknown
from tenants.models import Tenant, WidgetKey
from tenants.selectors.widget_keys import access_widget_key, frame_ancestors

FRESH_SECONDS = 60 * 60
FOR_EVER = "public, max-age=31536000, immutable"
ANYBODY = "* file: data:"


@require_GET
def loader(request: HttpRequest) -> HttpResponseBase:
    """The script that a site's page names. It may be kept for an hour."""
    response = _file(request, "loader.js", f"public, max-age={FRESH_SECONDS}, stale-while-revalidate=86400")
    response["Access-Control-Allow-Origin"] = "*"
    return response


@require_GET
def asset(request: HttpRequest, digest: str, name: str) -> HttpResponseBase:
    """A file by its content's name. Under another name, from a page that is older than the server, it is not kept."""
    return _file(request, name, FOR_EVER if digest == packing.digest() else "no-store")


@require_GET
@never_cache
@xframe_options_exempt
def frame(request: HttpRequest) -> HttpResponse:
    """The page inside a site's iframe. Browsers show it where the key allows; a key that is none says so to the page."""
    tenant: Tenant = request.tenant  # type: ignore[attr-defined]
    try:
        key = access_widget_key(request.GET.get("key", ""))
    except (WidgetKeyUnknown, WidgetKeyRevoked) as error:
        return _shown(request, {"error": _told(error)}, ANYBODY, status=error.http_status)
    return _shown(request, _boot(request, tenant, key), frame_ancestors(key))


def _told(error: DomainError) -> JsonObject:
    return {"code": error.code, "message": error.message}


def _boot(request: HttpRequest, tenant: Tenant, key: WidgetKey) -> JsonObject:
    look = look_shown(tenant, key)
    return {
        "key": key.public_key,
        "tenant": {"slug": tenant.slug, "name": tenant.name, "tagline": tenant.tagline},
        "look": look,
        "shades": accent_shades(look["accent"]),
        "urls": chat_urls(request),
    }


def chat_urls(request: HttpRequest) -> JsonObject:
    """Where a frame turns."""
    return {
        "ws": f"{request.META['SCRIPT_NAME']}/ws/chat/",
        "token": reverse("chat-token"),
        "events": reverse("chat-events"),
        "commands": reverse("chat-commands"),
        "sessions": reverse("sessions"),
        "passages": reverse("passages"),
    }


def _shown(request: HttpRequest, boot: JsonObject, ancestors: str, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {"boot": boot, "look": boot.get("look"), "digest": packing.digest()}
    response = render(request, "widget/frame.html", context, status=status)
    response["X-Robots-Tag"] = "noindex"
    response["Content-Security-Policy"] = _policy(request, ancestors)
    # A page that isolates itself (COEP) shows only frames that do the same and say that others may embed them.
    response["Cross-Origin-Embedder-Policy"] = "require-corp"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _policy(request: HttpRequest, ancestors: str) -> str:
    host = request.get_host()
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' ws://{host} wss://{host}; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors {ancestors}"
    )


def _file(request: HttpRequest, name: str, keep: str) -> HttpResponse:
    found = packing.asset(name)
    if found is None:
        raise Http404
    if request.headers.get("If-None-Match") == found.etag:
        response: HttpResponse = HttpResponseNotModified()
    elif "gzip" in request.headers.get("Accept-Encoding", ""):
        response = HttpResponse(found.zipped, content_type=found.content_type)
        response["Content-Encoding"] = "gzip"
    else:
        response = HttpResponse(found.body, content_type=found.content_type)
    response["ETag"] = found.etag
    response["Cache-Control"] = keep
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    patch_vary_headers(response, ("Accept-Encoding",))
    return response
