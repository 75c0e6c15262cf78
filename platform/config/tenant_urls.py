"""Addresses inside a tenant, below `/t/<tenant>/`."""

from __future__ import annotations

from django.urls import include, path

from tenants import views
from tenants.sign_in.invitation_views import invitation

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", views.SignIn.as_view(), name="login"),
    path("login/", views.SignIn.as_view(), name="account_login"),
    path("logout/", views.SignOut.as_view(), name="logout"),
    path("account/", include("tenants.sign_in.urls")),
    path("invitation/<str:token>/", invitation, name="invitation"),
    path("chat/", include("conversations.urls")),
    path("", include("conversations.widget.urls")),
    path("console/", include("admin_ui.urls")),
    path("", include("config.api_urls")),
]

handler400 = "config.views.bad_request"
handler403 = "config.views.permission_denied"
handler404 = "config.views.page_not_found"
handler500 = "config.views.server_error"
