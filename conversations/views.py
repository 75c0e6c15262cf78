"""The doors of the hosted chat page."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from conversations import wiring
from conversations.doors import cookie_guarded
from conversations.identity import Asker, asker_of_request, remember_device, signed_in_here
from conversations.selectors import sessions_of
from conversations.widget import packing
from conversations.widget.shades import accent_shades
from conversations.widget.views import chat_urls
from tenants.errors import SignInRequired


@require_GET
def chat(request: HttpRequest) -> HttpResponse:
    """The chat page. A visitor gets a device token here, and becomes an end user with the first message."""
    tenant = request.tenant  # type: ignore[attr-defined]
    signed_in = signed_in_here(request)
    if not signed_in and not tenant.anonymous_chat:
        return redirect(f"{reverse('login')}?next={request.path}")
    context = {"boot": _boot(request, signed_in), "tenant": tenant, "digest": packing.digest()}
    response = render(request, "widget/chat.html", context)
    if not signed_in:
        remember_device(request, response)
    return response


@require_GET
@never_cache
def sessions(request: HttpRequest) -> JsonResponse:
    asker = access_asker(request)
    return JsonResponse({"sessions": sessions_of(end_user_id=asker.end_user_id)})


@cookie_guarded
@require_http_methods(["DELETE"])
def session(request: HttpRequest, session_id: UUID) -> HttpResponse:
    wiring.session_delete(access_asker(request), session_id)
    return HttpResponse(status=204)


@require_GET
def passage(request: HttpRequest, chunk_id: UUID) -> JsonResponse:
    """What a citation opens, under the permissions of this moment."""
    return JsonResponse(wiring.passage_to_open(access_asker(request), chunk_id))


def passages(request: HttpRequest) -> HttpResponse:
    """The address that passages are below; by itself it lists nothing."""
    return HttpResponseNotAllowed([])


def access_asker(request: HttpRequest) -> Asker:
    asker = asker_of_request(request)
    if asker is None:
        raise SignInRequired
    return asker


def _boot(request: HttpRequest, signed_in: bool) -> dict[str, Any]:
    """What the page's script starts from."""
    tenant, user = request.tenant, request.user  # type: ignore[attr-defined]
    name, email = (str(user), getattr(user, "email", "")) if signed_in else ("", "")
    return {
        "tenant": {
            "slug": tenant.slug,
            "name": tenant.name,
            "tagline": tenant.tagline,
            "greeting": tenant.greeting,
            "suggested_questions": tenant.suggested_questions,
            "accent": tenant.accent,
        },
        "user": {
            "name": name,
            "email": email,
            "anonymous": not signed_in,
            "initials": "".join(word[0] for word in name.split()[:2]).upper(),
        },
        "shades": accent_shades(tenant.accent),
        "engine": wiring.engine_as_seen(),
        "urls": {
            **chat_urls(request),
            "login": reverse("login"),
            "logout": reverse("logout"),
            "console": reverse("console"),
        },
        "csrf": get_token(request),
        "language": request.headers.get("Accept-Language", "en")[:2].lower() or "en",
        "session": None,
    }
