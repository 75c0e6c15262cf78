"""Errors at the HTTP door."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from rest_framework.response import Response
from rest_framework.views import exception_handler as rest_framework_handler

from kernel.errors import DomainError


def error_response(request: HttpRequest, error: DomainError) -> HttpResponse:
    """JSON `{"error": {code, message, retryable, extra}}`, or a page when a browser asks for one."""
    if "text/html" in request.headers.get("Accept", ""):
        context = {"error": error, "tenant": getattr(request, "tenant", None)}
        return render(request, "config/error.html", context, status=error.http_status)
    return JsonResponse({"error": error.as_dict()}, status=error.http_status)


def api_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """The same shape from REST framework views."""
    if isinstance(error, DomainError):
        return Response({"error": error.as_dict()}, status=error.http_status)
    response = rest_framework_handler(error, context)
    if response is not None:
        code = getattr(error, "default_code", "error")
        message = str(getattr(error, "detail", error))
        response.data = {"error": {"code": code, "message": message, "retryable": False, "extra": {}}}
    return response
