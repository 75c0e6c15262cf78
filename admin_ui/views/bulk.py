"""The door of many documents at once: choose, see what would change, confirm."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from admin_ui.access import access_document_manager
from admin_ui.bulk import BulkOrder, carry_out, plan_of
from admin_ui.permits import access_permitted
from admin_ui.selectors.documents import principal_of, tags_in_use
from admin_ui.sites import console
from kernel.errors import DomainError
from tenants.models import Audience
from tenants.roles import May


@require_POST
def bulk(request: HttpRequest) -> HttpResponse:
    """`what` with the chosen `document`s, or `everything` that a filter leaves. Done once `sure` is said."""
    user, order = access_document_manager(request), BulkOrder.from_request(request)
    if order.is_about_access:
        access_permitted(request, May.GRANT_ACCESS)
    principal = principal_of(user)
    if order.sure and order.is_complete:
        try:
            messages.success(request, carry_out(principal, order))
            return redirect("console-documents")
        except DomainError as error:
            messages.error(request, error.message)
    try:
        plan = plan_of(principal, order)
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-documents")
    offered = {"audiences": Audience.objects.all(), "tags": tags_in_use(principal)}
    context = console.page_context(request, order.title, order=order, plan=plan, fault=plan.fault, **offered)
    return render(request, "admin_ui/documents/bulk.html", context)
