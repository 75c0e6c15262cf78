"""The hosted chat page, below `/t/<tenant>/chat/`."""

from __future__ import annotations

from django.urls import path

from conversations import views

urlpatterns = [
    path("", views.chat, name="chat"),
    path("sessions", views.sessions, name="sessions"),
    path("sessions/<uuid:session_id>", views.session, name="session"),
    path("passages/", views.passages, name="passages"),
    path("passages/<uuid:chunk_id>", views.passage, name="passage"),
]
