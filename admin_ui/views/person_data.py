"""The doors of one person's data: what there is, an archive of it, and erasing it for good, with a receipt."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from admin_ui.access import access_data_admin, member_of
from admin_ui.components.keeping import counts_told
from admin_ui.selectors import person_data as read
from admin_ui.sites import console
from kernel.errors import DomainError
from tenants.models import ErasureState, User
from tenants.services.erasing import end_user_erase_request
from tenants.services.exports import export_delete, export_open, export_request


@require_GET
def person(request: HttpRequest, end_user_id: UUID) -> HttpResponse:
    access_data_admin(request)
    found = read.person_data(end_user_id)
    context = console.page_context(request, f"Data of {found.person}", found=found)
    return render(request, "admin_ui/data/person.html", context)


@require_POST
def archive(request: HttpRequest, end_user_id: UUID) -> HttpResponse:
    """One of the person; asked for again while it is made, it is the same."""
    access_data_admin(request)
    found = read.person_data(end_user_id).person
    export_request(subject=found.subject, requested_by=_asking(request).pk)
    messages.success(
        request, f"An archive of what there is of {found} is being made. It can be fetched here."
    )
    return redirect("console-person-data", end_user_id)


@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest, end_user_id: UUID) -> HttpResponse:
    """Asks first, with what goes; then the receipt is shown."""
    access_data_admin(request)
    found = read.person_data(end_user_id)
    if request.method == "POST":
        return redirect("console-erasure", end_user_erase_request(end_user_id=end_user_id).pk)
    context = console.page_context(request, f"Erase {found.person}?", found=found)
    return render(request, "admin_ui/data/erase.html", context)


@require_GET
def erasure(request: HttpRequest, erasure_id: UUID) -> HttpResponse:
    """A receipt. `?part=receipt` answers with it alone, for the page that refreshes itself while it is not done."""
    access_data_admin(request)
    found = read.access_erasure(erasure_id)
    context: dict[str, Any] = {
        "erasure": found,
        "counts": counts_told(found.counts),
        "is_done": found.state == ErasureState.DONE,
    }
    if request.GET.get("part") == "receipt":
        return render(request, "admin_ui/data/receipt.html", context)
    page = console.page_context(request, "Receipt of an erasure", **context)
    return render(request, "admin_ui/data/erasure.html", page)


@require_POST
def archive_of_all(request: HttpRequest) -> HttpResponse:
    access_data_admin(request)
    export_request(requested_by=_asking(request).pk)
    messages.success(request, "An archive of this workspace is being made. It can be fetched here.")
    return redirect("console-data")


@require_GET
def archive_file(request: HttpRequest, export_id: UUID) -> Any:
    access_data_admin(request)
    member = member_of(request)
    try:
        name, file = export_open(export_id=export_id, role=member.role if member else None)
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-data")
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


@require_POST
def archive_delete(request: HttpRequest, export_id: UUID) -> HttpResponse:
    access_data_admin(request)
    export_delete(export_id=export_id)
    messages.success(request, "The archive and its file are deleted.")
    return redirect("console-data")


def _asking(request: HttpRequest) -> User:
    user: User = request.user  # type: ignore[assignment]
    return user
