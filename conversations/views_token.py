"""The door where a chat frame gets its session token."""

from __future__ import annotations

import json
from typing import Any

from allauth.account.adapter import get_adapter
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from rest_framework import serializers

from conversations import wiring
from conversations.identity import asker_of_request, from_own_page
from conversations.looks import look_shown
from conversations.services.visits import Knock, Visit
from conversations.widget.views import chat_urls
from kernel.errors import Invalid
from kernel.json import JsonObject
from tenants.errors import OriginNotAllowed
from tenants.models import EndUserKind, Tenant
from tenants.services.quotas import visit_check

LARGEST_BODY = 32 * 1024


class KnockInput(serializers.Serializer[Any]):
    """The frame's request. Everything but `key` may be left out."""

    key = serializers.CharField(max_length=64, default="", allow_blank=True)
    origin = serializers.CharField(max_length=300, default="", allow_blank=True)
    identity = serializers.CharField(max_length=8192, default="", allow_blank=True, allow_null=True)
    device = serializers.CharField(max_length=300, default="", allow_blank=True, allow_null=True)
    adopt = serializers.BooleanField(default=True)


@csrf_exempt  # who asks is in the body or in a header; `from_own_page` keeps other sites' pages out
@require_POST
@never_cache
def token(request: HttpRequest) -> HttpResponse:
    """A session token for the frame, and what it needs to begin."""
    if not from_own_page(request):
        raise OriginNotAllowed(origin=request.headers["Origin"][:200])
    tenant: Tenant = request.tenant  # type: ignore[attr-defined]
    visit_check(address=get_adapter().get_client_ip(request))
    visit = wiring.visit(_knock(request), tenant=tenant, asker=asker_of_request(request))
    response = JsonResponse(_as_seen(visit, tenant, request))
    if origin := request.headers.get("Origin"):
        response["Access-Control-Allow-Origin"] = origin
    patch_vary_headers(response, ("Origin", "Authorization", "Cookie"))
    return response


def _knock(request: HttpRequest) -> Knock:
    try:
        body = json.loads(request.body) if len(request.body) <= LARGEST_BODY else None
    except (ValueError, RecursionError):
        body = None
    given = KnockInput(data=body)
    if not given.is_valid():
        reason = "; ".join(f"{name}: {told[0]}" for name, told in given.errors.items())
        raise Invalid(reason=reason or "A JSON object is expected.")
    data = given.validated_data
    return Knock(
        public_key=data["key"],
        origin=data["origin"],
        host=request.get_host(),
        identity=data["identity"] or "",
        device=data["device"] or "",
        adopt=data["adopt"],
    )


def _as_seen(visit: Visit, tenant: Tenant, request: HttpRequest) -> JsonObject:
    person, issued = visit.end_user, visit.issued
    return {
        "token": issued.text,
        "expires_at": issued.token.expires_at.isoformat(),
        "device": visit.device or None,
        "user": {
            "id": str(person.pk),
            "name": person.name,
            "anonymous": person.kind == EndUserKind.ANONYMOUS,
        },
        "adopted": visit.adopted,
        "unknown_audiences": list(visit.unknown_audiences),
        "tenant": {"slug": tenant.slug, "name": tenant.name, "tagline": tenant.tagline},
        "look": look_shown(tenant, visit.widget_key),
        "engine": wiring.engine_as_seen(),
        "urls": chat_urls(request),
    }
