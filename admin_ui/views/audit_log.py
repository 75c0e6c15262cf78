"""The doors of the audit log: who changed what, whether the log is whole, and a copy to take away."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from admin_ui.permits import access_permitted
from admin_ui.selectors import audit_log as read
from admin_ui.sites import console
from tenants.roles import May
from tenants.selectors.audit import audit_export, audit_length, audit_verify

MOST_BREAKS_SHOWN = 20


@require_GET
def audit_log(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.READ_AUDIT_LOG)
    return _page(request)


@require_POST
def verify(request: HttpRequest) -> HttpResponse:
    """Follow the chain from its beginning, and show what was found above the log."""
    access_permitted(request, May.READ_AUDIT_LOG)
    found = audit_verify()
    return _page(request, verdict=found, breaks=found.broken[:MOST_BREAKS_SHOWN])


@require_GET
def download(request: HttpRequest) -> HttpResponse:
    """JSON lines, the oldest first, each with its hash."""
    access_permitted(request, May.READ_AUDIT_LOG)
    response = StreamingHttpResponse(audit_export(), content_type="application/x-ndjson")
    response.headers["Content-Disposition"] = 'attachment; filename="audit-log.jsonl"'
    return response  # type: ignore[return-value]


def _page(request: HttpRequest, **more: Any) -> HttpResponse:
    wanted = read.Wanted.asked(request.GET)
    context = console.page_context(
        request,
        "Audit log",
        log=read.entries(wanted=wanted, query=request.GET),
        wanted=wanted,
        actions=[(action, read.in_words(action)) for action in read.actions()],
        actors=read.ACTORS,
        length=audit_length(),
        **more,
    )
    return render(request, "admin_ui/audit_log/log.html", context)
