"""Addresses for programs: the same at the root, by key, and below a tenant's address, by key, token or cookie."""

from __future__ import annotations

from django.urls import include, path

from config import api_docs
from conversations.api import completions

urlpatterns = [
    path("api/v1/openapi.json", api_docs.description, name="api-description"),
    path("api/v1/docs", api_docs.pages, name="api-docs"),
    path("api/v1/", include("tenants.api.urls")),
    path("api/v1/", include("retrieval.api.urls")),
    path("api/v1/", include("conversations.api.urls")),
    path("v1/chat/completions", completions.ChatCompletions.as_view()),
    path("v1/models", completions.Models.as_view()),
    path("v1/models/<str:model>", completions.ModelDetail.as_view()),
]
