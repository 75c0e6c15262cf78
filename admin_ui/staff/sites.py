"""The staff console as a site of Django's admin with Unfold, in the look of the tenants' console."""

from __future__ import annotations

from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from unfold.sites import UnfoldAdminSite

from admin_ui.sites import CONSOLE_POLICY
from admin_ui.staff.access import View, is_staff, staff_only
from admin_ui.staff.alerts import open_findings
from admin_ui.theme import unfold_context

PAGES = (
    ("staff", "Tenants", "apartment"),
    ("staff-leakage", "Leakage audit", "water_drop"),
    ("staff-isolation", "Isolation self-test", "shield_lock"),
    ("staff-audit-logs", "Audit logs", "fact_check"),
    ("staff-health", "Health", "monitor_heart"),
)


class StaffConsole(UnfoldAdminSite):  # type: ignore[misc]
    """One console for the whole platform, outside every tenant's address."""

    site_title = site_header = index_title = "Staff"

    def has_permission(self, request: HttpRequest) -> bool:
        return is_staff(request.user)

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """As the admin's, with a policy for the page's scripts."""
        inner: View = staff_only(super().admin_view(view, cacheable))

        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            response: HttpResponse = inner(request, *args, **kwargs)
            response.headers["Content-Security-Policy"] = CONSOLE_POLICY
            return response

        return guarded

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return redirect_to_login(request.GET.get("next") or reverse("staff"), login_url=reverse("login"))

    def page_context(self, request: HttpRequest, title: str, **more: Any) -> dict[str, Any]:
        """What a page of the console is rendered with, beside its own data."""
        request.current_app = self.name
        return {**self.each_context(request), "title": title, **more}

    def extra_context(self, context: dict[str, Any], request: HttpRequest) -> dict[str, Any]:
        """Called by Unfold for every page."""
        theme = unfold_context()
        return {
            **context,
            **theme,
            "styles": [*theme["styles"], static("admin_ui/staff.css")],
            "site_title": "Antecedent staff",
            "open_findings": open_findings,
            "pages": SimpleLazyObject(lambda: _pages(request)),
        }


def _pages(request: HttpRequest) -> list[dict[str, Any]]:
    links = [{"title": title, "icon": icon, "url": reverse(name)} for name, title, icon in PAGES]
    home = links[0]["url"]
    inside = [link["url"] for link in links[1:] if request.path.startswith(link["url"])]
    current = inside[0] if inside else "" if request.path.startswith(reverse("account")) else home
    return [{**link, "active": link["url"] == current} for link in links]


staff_console = StaffConsole(name="staff")
