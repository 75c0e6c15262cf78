"""The doors of data: how long conversations are kept, and the receipts of what was deleted."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from admin_ui.access import access_data_admin
from admin_ui.components.keeping import Keeping, receipt_row
from admin_ui.selectors import data as read
from admin_ui.selectors.person_data import archives_page, erasures_page
from admin_ui.sites import console
from conversations.selectors.retention import IDLE
from kernel.errors import DomainError
from tenants.models import Retention
from tenants.scoping import current_tenant_id
from tenants.services import LONGEST_RETENTION_DAYS, retention_set


@require_GET
def data(request: HttpRequest) -> HttpResponse:
    access_data_admin(request)
    keeping, page = read.keeping_now(), read.receipts_page(number=request.GET.get("page", "1"))
    under = {mode: read.deleted_under(Keeping(mode, keeping.days)) for mode in Retention.values}
    context = console.page_context(
        request,
        "Data",
        keeping=keeping,
        stored=read.stored(),
        under=under,
        due=under[keeping.mode],
        idle_minutes=int(IDLE.total_seconds() // 60),
        most_days=LONGEST_RETENTION_DAYS,
        receipts=[receipt_row(receipt) for receipt in page],
        page=page,
        archives=archives_page(number=request.GET.get("archives", "1")),
        erasures=erasures_page(number=request.GET.get("erasures", "1")),
    )
    return render(request, "admin_ui/data/data.html", context)


@require_POST
def retention(request: HttpRequest) -> HttpResponse:
    """`mode`, `days` and, where the change deletes something, `confirmed=yes`."""
    access_data_admin(request)
    wanted, before = _wanted(request), read.keeping_now()
    doomed = 0 if wanted.same_as(before) or not _is_possible(wanted) else read.deleted_under(wanted)
    if doomed and request.POST.get("confirmed") != "yes":
        context = console.page_context(request, "Delete conversations?", wanted=wanted, doomed=doomed)
        return render(request, "admin_ui/data/confirm.html", context)
    try:
        retention_set(tenant_id=current_tenant_id(), mode=wanted.mode, days=wanted.days)
    except DomainError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"Conversations are {wanted.told}.")
    return redirect("console-data")


def _wanted(request: HttpRequest) -> Keeping:
    days = request.POST.get("days", "")
    whole = days.isascii() and days.isdigit() and len(days) < 6
    return Keeping(request.POST.get("mode", ""), int(days) if whole else 0)


def _is_possible(keeping: Keeping) -> bool:
    """The service says what is wrong with anything else."""
    return keeping.mode in Retention.values and (
        keeping.mode != Retention.DAYS or 1 <= keeping.days <= LONGEST_RETENTION_DAYS
    )
