"""Addresses outside any tenant."""

from __future__ import annotations

from django.urls import path

from config import health
from tenants import views

urlpatterns = [
    path("", views.landing, name="landing"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
