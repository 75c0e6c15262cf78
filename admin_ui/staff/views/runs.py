"""The doors of background runs: start one, look how far it is, read what the last ones found."""

from __future__ import annotations

import logging

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from admin_ui.staff.access import staff_of
from admin_ui.staff.ports import KINDS, MOST_PROBES, PROBE, SELFTEST, VERIFY, platform
from admin_ui.staff.running import running_claim, running_release
from admin_ui.staff.selectors.runs import NAMES, runs_of
from admin_ui.staff.sites import staff_console

log = logging.getLogger(__name__)
PAGE_OF = {PROBE: "staff-leakage", SELFTEST: "staff-isolation", VERIFY: "staff-audit-logs"}


@require_GET
def isolation(request: HttpRequest) -> HttpResponse:
    context = staff_console.page_context(request, "Isolation self-test", runs=runs_of(SELFTEST))
    return render(request, "admin_ui/staff/isolation.html", context)


@require_GET
def audit_logs(request: HttpRequest) -> HttpResponse:
    context = staff_console.page_context(request, "Audit logs", runs=runs_of(VERIFY))
    return render(request, "admin_ui/staff/audit_logs.html", context)


@require_POST
def start(request: HttpRequest, kind: str) -> HttpResponse:
    _check(kind)
    by, probes = staff_of(request).email, _probes(request)
    if not running_claim(kind, by=by):
        messages.error(request, f"{NAMES[kind]}: a run is under way already.")
        return redirect(PAGE_OF[kind])
    try:
        platform().start(kind, by=by, probes=probes)
    except Exception:
        # Whatever the broker raises: nothing was queued, and the next try must not find a run that never was.
        running_release(kind)
        log.exception("a run of %s could not be queued", kind)
        messages.error(request, "It could not be queued. See under Health whether Valkey answers.")
    return redirect(PAGE_OF[kind])


@require_GET
def state(request: HttpRequest, kind: str) -> HttpResponse:
    """A part of a page, asked for again and again while something runs; the page is loaded anew at the end."""
    _check(kind)
    runs = runs_of(kind)
    answer = render(request, "admin_ui/staff/running.html", {"runs": runs})
    if runs.running is None:
        answer.headers["HX-Refresh"] = "true"
    return answer


def _check(kind: str) -> None:
    if kind not in KINDS:
        raise Http404


def _probes(request: HttpRequest) -> int:
    text = request.POST.get("probes", "")
    wanted = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 1000
    return min(max(wanted, 1), MOST_PROBES)
