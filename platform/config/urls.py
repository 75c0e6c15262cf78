"""Addresses outside any tenant."""

from __future__ import annotations

from django.urls import path

from config import health
from tenants import views

urlpatterns = [
    path("", views.landing, name="landing"),
    path("go", views.go, name="go"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]

handler403 = "config.views.permission_denied"
handler404 = "config.views.page_not_found"
handler500 = "config.views.server_error"
