"""The tenant console: Django's admin with Unfold, entered by membership instead of a staff flag."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from unfold.sites import UnfoldAdminSite

from admin_ui.access import NotAMember, manages_access, manages_documents, may, member_of
from admin_ui.theme import unfold_context
from tenants.roles import May
from tenants.sign_in.coming_back import page_asked

View = Callable[..., HttpResponse]

# Alpine, which Unfold is built on, compiles the expressions in its attributes, and Unfold writes its colours as a
# style element: both need the two exceptions below. Nothing comes from another origin, and no script is inline.
CONSOLE_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
# Address, title, icon, and what a role must be allowed to do to find the page in the sidebar; None for every member.
PAGES: tuple[tuple[str, str, str, May | None], ...] = (
    ("console", "Overview", "space_dashboard", None),
    ("console-documents", "Documents", "description", None),
    ("console-search", "Search", "manage_search", None),
    ("console-access", "Access", "key", May.GRANT_ACCESS),
    ("console-members", "Members", "group", May.MANAGE_MEMBERS),
    ("console-conversations", "Conversations", "forum", None),
    ("console-questions", "Unanswered", "contact_support", May.READ_CONVERSATIONS),
    ("console-contamination", "Contamination", "water_drop", None),
    ("console-policy", "Policy", "tune", None),
    ("console-prompts", "Prompts", "edit_note", None),
    ("console-what-ifs", "What-if replay", "replay", May.EDIT_VERSIONS),
    ("console-evaluations", "Evaluations", "checklist", May.READ_REPORTS),
    ("console-keys", "Keys", "api", May.MANAGE_KEYS),
    ("console-webhooks", "Webhooks", "webhook", May.MANAGE_WEBHOOKS),
    ("console-usage", "Usage", "monitoring", May.READ_REPORTS),
    ("console-data", "Data", "auto_delete", May.MANAGE_DATA),
    ("console-audit-log", "Audit log", "history", May.READ_AUDIT_LOG),
)


class TenantConsole(UnfoldAdminSite):  # type: ignore[misc]
    """One tenant's console. Whose it is follows from the address; who may enter, from their membership there."""

    site_title = site_header = index_title = "Console"

    def has_permission(self, request: HttpRequest) -> bool:
        return member_of(request) is not None

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """As the admin's, with a policy for the page's scripts unless it has its own. Who is no member is told so, not asked again."""
        inner: View = super().admin_view(view, cacheable)

        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not request.user.is_authenticated:
                return redirect_to_login(page_asked(request, otherwise=reverse("console")))
            if not self.has_permission(request):
                raise NotAMember
            response = inner(request, *args, **kwargs)
            response.headers.setdefault("Content-Security-Policy", CONSOLE_POLICY)
            return response

        return guarded

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The product has one page to sign in on."""
        return redirect_to_login(request.GET.get("next") or reverse("console"))

    def page_context(self, request: HttpRequest, title: str, **more: Any) -> dict[str, Any]:
        """What a page of the console is rendered with, beside its own data."""
        request.current_app = self.name
        return {**self.each_context(request), "title": title, **more}

    def extra_context(self, context: dict[str, Any], request: HttpRequest) -> dict[str, Any]:
        """Called by Unfold for every page, the admin's own included."""
        tenant = getattr(request, "tenant", None)
        return {
            **context,
            **unfold_context(),
            "tenant": tenant,
            "member": member_of(request),
            "manages_documents": manages_documents(request),
            "manages_access": manages_access(request),
            "manages_data": may(request, May.MANAGE_DATA),
            "site_title": f"{tenant} console" if tenant else self.site_title,
            "pages": _pages(request),
        }


def _pages(request: HttpRequest) -> list[dict[str, Any]]:
    here = request.path
    links = [
        {"title": title, "icon": icon, "url": reverse(name)} for name, title, icon in _pages_for(request)
    ]
    inside = [link["url"] for link in links if here.startswith(link["url"])]
    current = max(inside, key=len, default="")
    return [{**link, "active": link["url"] == current} for link in links]


def _pages_for(request: HttpRequest) -> Iterator[tuple[str, str, str]]:
    for name, title, icon, wanted in PAGES:
        if wanted is None or may(request, wanted):
            yield name, title, icon


console = TenantConsole(name="console")
