"""The door of health: does every part answer, and what waits."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from admin_ui.staff.ports import platform
from admin_ui.staff.selectors.load import waiting_by_tenant
from admin_ui.staff.sites import staff_console
from kernel.clock import now


@require_GET
def health(request: HttpRequest) -> HttpResponse:
    parts = platform().parts()
    context = staff_console.page_context(
        request,
        "Health",
        parts=parts,
        all_work=all(part.works is not False for part in parts),
        waiting=waiting_by_tenant(),
        at=now(),
    )
    return render(request, "admin_ui/staff/health.html", context)
