"""Addresses inside a tenant, below `/t/<tenant>/`."""

from __future__ import annotations

from django.urls import include, path

from tenants import views

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", views.SignIn.as_view(), name="login"),
    path("logout/", views.SignOut.as_view(), name="logout"),
    path("chat/", include("conversations.urls")),
    path("console/", include("admin_ui.urls")),
]

handler403 = "config.views.permission_denied"
handler404 = "config.views.page_not_found"
handler500 = "config.views.server_error"
