"""Errors at the HTTP door: one shape, whoever found it, and the shape that OpenAI's clients read below `/v1/`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from rest_framework import exceptions as rest
from rest_framework.response import Response
from rest_framework.views import set_rollback

from config.ways_on import ways_on
from kernel.database import database_is_away
from kernel.disk import disk_is_full
from kernel.errors import DomainError, Forbidden, NotFound
from kernel.observed import Counted, count
from tenants.errors import DatabaseUnavailable, StorageFull, TooManyRequests
from tenants.rest import errors
from tenants.rest.views import refusals

log = logging.getLogger(__name__)

PROGRAMS = "/api/"
OPENAI = "/v1/"
OUTAGES = (OperationalError, InterfaceError)
RETRY_SECONDS = 3


def error_response(request: HttpRequest, error: DomainError) -> HttpResponse:
    """JSON `{"error": {code, message, retryable, extra}}`, or a page when a browser asks for one."""
    count(Counted.REFUSALS, code=error.code)
    if "text/html" in request.headers.get("Accept", "") and not is_for_programs(request):
        context = {
            "error": error,
            "tenant": getattr(request, "tenant", None),
            "ways": ways_on(request, error),
        }
        return render(request, "config/error.html", context, status=error.http_status)
    body = openai_shape(error) if request.path_info.startswith(OPENAI) else shape(error)
    return JsonResponse(body, status=error.http_status, headers=_headers(error))


def is_for_programs(request: HttpRequest) -> bool:
    return request.path_info.startswith((PROGRAMS, OPENAI))


def shape(error: DomainError) -> dict[str, Any]:
    return {"error": error.as_dict()}


def openai_shape(error: DomainError) -> dict[str, Any]:
    """What OpenAI's clients read: message, type, param, code; and ours beside it."""
    fields = error.extra.get("fields")
    param = next(iter(fields), None) if isinstance(fields, Mapping) else None
    told = {
        "message": error.message,
        "type": _openai_type(error.http_status),
        "param": param,
        "code": error.code,
    }
    return {"error": {**told, "retryable": error.retryable, "extra": dict(error.extra)}}


def _openai_type(status: int) -> str:
    known = {
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        429: "rate_limit_error",
    }
    return known.get(status, "server_error" if status >= 500 else "invalid_request_error")


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """The same shape from REST framework views. None leaves what nobody expected to Django, which logs it."""
    told = as_domain_error(error)
    if told is None:
        return None
    if isinstance(error, rest.UnsupportedMediaType):
        expected = context["view"].parser_classes[0].media_type
        sent = context["request"].content_type or "nothing that says what it is"
        told = errors.UnsupportedMediaType(media_type=sent[:100], expected=expected)
    set_rollback()
    count(Counted.REFUSALS, code=told.code)
    is_openai = context["request"].path_info.startswith(OPENAI)
    return Response(
        openai_shape(told) if is_openai else shape(told), status=told.http_status, headers=_headers(told)
    )


def as_domain_error(error: Exception) -> DomainError | None:
    """What Django and REST framework find wrong, in the product's words."""
    match error:
        case DomainError():
            return error
        case Http404() | rest.NotFound():
            return NotFound(what="thing")
        case PermissionDenied() | rest.PermissionDenied():
            return Forbidden()
        case rest.ValidationError():
            return bad_fields(error.detail)
        case rest.NotAuthenticated() | rest.AuthenticationFailed():
            return errors.Unauthenticated()
        case rest.MethodNotAllowed():
            return errors.MethodNotAllowed(method=_method(error))
        case rest.Throttled():
            return TooManyRequests(retry_after=1, wait="a moment")
        case RequestDataTooBig():
            return errors.BodyTooLarge(limit="fewer")
        case rest.APIException():
            return errors.Malformed(detail=str(error.detail))
        case SuspiciousOperation():
            return errors.Malformed(detail=str(error)[:200])
        case OSError() | DatabaseError() if disk_is_full(error):
            log.error("a disk is full", exc_info=error)
            return StorageFull()
        case Exception() if database_is_away(error, OUTAGES):
            log.error("the database is away: %s", error)
            return DatabaseUnavailable(retry_after=RETRY_SECONDS)
    return None


def bad_fields(detail: Any) -> errors.BadFields:
    """What a serializer found: by field, and as a sentence for people."""
    fields = detail if isinstance(detail, dict) else {"non_field_errors": detail}
    lines = [f"{name}: {_first(told)}" for name, told in fields.items()]
    return errors.BadFields(detail=" ".join(lines), fields=fields)


def _first(told: Any) -> str:
    while isinstance(told, dict | list) and told:
        told = next(iter(told.values())) if isinstance(told, dict) else told[0]
    return str(told)


def _method(error: rest.MethodNotAllowed) -> str:
    return str(error.detail).split('"')[1] if '"' in str(error.detail) else ""


def _headers(error: DomainError) -> dict[str, str]:
    return refusals(error) | ({"WWW-Authenticate": "Bearer"} if error.http_status == 401 else {})
