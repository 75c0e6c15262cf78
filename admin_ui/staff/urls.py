"""Addresses of the staff console, below `/staff/`. The names that allauth looks for are allauth's."""

from __future__ import annotations

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from django.urls import include, path
from django.views.generic import RedirectView

from admin_ui.staff import sign_in
from admin_ui.staff.access import staff_only
from admin_ui.staff.sites import staff_console
from admin_ui.staff.views import health, leakage, quotas, runs, tenants

page = staff_console.admin_view

# Names that Unfold's own templates look for.
unfold_patterns = [
    path("search/", page(staff_console.search), name="search"),
    path("home/", page(RedirectView.as_view(pattern_name="staff")), name="index"),
]
urlpatterns = [
    path("", include((unfold_patterns, "admin"), namespace="staff")),
    path("", page(tenants.overview), name="staff"),
    path("tenants/new/", page(tenants.new), name="staff-tenant-new"),
    path("tenants/<uuid:tenant_id>/", page(tenants.tenant), name="staff-tenant"),
    path("tenants/<uuid:tenant_id>/suspend/", page(tenants.suspend), name="staff-tenant-suspend"),
    path("tenants/<uuid:tenant_id>/resume/", page(tenants.resume), name="staff-tenant-resume"),
    path("tenants/<uuid:tenant_id>/invite", page(tenants.invite), name="staff-tenant-invite"),
    path("tenants/<uuid:tenant_id>/support/", page(tenants.support), name="staff-tenant-support"),
    path("tenants/<uuid:tenant_id>/support/leave", page(tenants.support_over), name="staff-support-leave"),
    path("tenants/<uuid:tenant_id>/quotas", page(quotas.quotas), name="staff-tenant-quotas"),
    path("leakage/", page(leakage.leakage), name="staff-leakage"),
    path("leakage/<uuid:tenant_id>/<uuid:finding_id>/", page(leakage.finding), name="staff-finding"),
    path("isolation/", page(runs.isolation), name="staff-isolation"),
    path("audit-logs/", page(runs.audit_logs), name="staff-audit-logs"),
    path("runs/<slug:kind>/start", page(runs.start), name="staff-run-start"),
    path("runs/<slug:kind>/state", page(runs.state), name="staff-run-state"),
    path("health/", page(health.health), name="staff-health"),
    path("login/", sign_in.StaffSignIn.as_view(), name="login"),
    path("login/", sign_in.StaffSignIn.as_view(), name="account_login"),
    path("login/code/", sign_in.code, name="mfa_authenticate"),
    path("logout/", staff_only(sign_in.StaffSignOut.as_view()), name="logout"),
    path("account/", page(sign_in.account), name="account"),
    path("account/password/", staff_only(account.password_change), name="account_change_password"),
    path("account/again/", staff_only(account.reauthenticate), name="account_reauthenticate"),
    path("account/again/code/", staff_only(mfa.reauthenticate), name="mfa_reauthenticate"),
    path("account/two-factor/", staff_only(RedirectView.as_view(pattern_name="account")), name="mfa_index"),
    path("account/two-factor/on/", staff_only(totp.activate_totp), name="mfa_activate_totp"),
    path("account/two-factor/off/", staff_only(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path("account/recovery-codes/", staff_only(codes.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(
        "account/recovery-codes/new/",
        staff_only(codes.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/recovery-codes/file/",
        staff_only(codes.download_recovery_codes),
        name="mfa_download_recovery_codes",
    ),
]
