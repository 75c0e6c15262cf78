"""Addresses outside any tenant."""

from __future__ import annotations

from django.urls import include, path

from config import health
from config.views import metrics
from tenants import views

urlpatterns = [
    path("", views.landing, name="landing"),
    path("go", views.go, name="go"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("staff/", include("admin_ui.staff.urls")),
    path("", include("config.api_urls")),
]

handler400 = "config.views.bad_request"
handler403 = "config.views.permission_denied"
handler404 = "config.views.page_not_found"
handler500 = "config.views.server_error"
