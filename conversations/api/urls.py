"""Addresses of conversations, below `/api/v1/`."""

from __future__ import annotations

from django.urls import path

from conversations.api import memory, reports, sessions, turns

urlpatterns = [
    path("sessions", sessions.Sessions.as_view()),
    path("sessions/<uuid:session_id>", sessions.SessionDetail.as_view()),
    path("sessions/<uuid:session_id>/memory", memory.SessionMemory.as_view()),
    path("turns", turns.Turns.as_view()),
    path("turns/<uuid:turn_id>", turns.TurnDetail.as_view()),
    path("turns/<uuid:turn_id>/trace", turns.TurnTraceDetail.as_view()),
    path("turns/<uuid:turn_id>/stop", turns.TurnStop.as_view()),
    path("turns/<uuid:turn_id>/retry", turns.TurnRetry.as_view()),
    path("turns/<uuid:turn_id>/rating", turns.TurnRating.as_view()),
    path("reports/contamination", reports.Contamination.as_view()),
]
