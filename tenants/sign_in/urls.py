"""Addresses of the account, below `/t/<tenant>/account/`. The names that allauth looks for are allauth's."""

from __future__ import annotations

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from django.urls import path, re_path
from django.views.generic import RedirectView

from tenants.sign_in import account_views, openid, reset_views
from tenants.sign_in.guards import whole_login

urlpatterns = [
    path("", account_views.account, name="account"),
    path("name", account_views.name_set, name="account-name"),
    path("sign-ins/<int:login_id>/end", account_views.sign_in_end, name="account-sign-in-end"),
    path("sign-ins/end-others", account_views.sign_ins_end, name="account-sign-ins-end"),
    path("password/", whole_login(account.password_change), name="account_change_password"),
    path("password/set/", RedirectView.as_view(pattern_name="account"), name="account_set_password"),
    path("password/reset/", reset_views.password_reset, name="account_reset_password"),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("again/", whole_login(account.reauthenticate), name="account_reauthenticate"),
    path("again/code/", whole_login(mfa.reauthenticate), name="mfa_reauthenticate"),
    path("code/", mfa.authenticate, name="mfa_authenticate"),
    path("two-factor/", RedirectView.as_view(pattern_name="account"), name="mfa_index"),
    path("two-factor/on/", whole_login(totp.activate_totp), name="mfa_activate_totp"),
    path("two-factor/off/", whole_login(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path("recovery-codes/", whole_login(codes.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(
        "recovery-codes/new/", whole_login(codes.generate_recovery_codes), name="mfa_generate_recovery_codes"
    ),
    path(
        "recovery-codes/file/",
        whole_login(codes.download_recovery_codes),
        name="mfa_download_recovery_codes",
    ),
    path("with/<str:provider_id>/", openid.openid_login, name="openid_connect_login"),
    path("with/<str:provider_id>/back/", openid.openid_callback, name="openid_connect_callback"),
]
