"""The hosted chat page, below `/t/<tenant>/chat/`."""

from __future__ import annotations

from django.urls import path

from conversations import views, views_stream, views_token

urlpatterns = [
    path("", views.chat, name="chat"),
    path("token", views_token.token, name="chat-token"),
    path("events", views_stream.events, name="chat-events"),
    path("commands", views_stream.commands, name="chat-commands"),
    path("sessions", views.sessions, name="sessions"),
    path("sessions/<uuid:session_id>", views.session, name="session"),
    path("passages/", views.passages, name="passages"),
    path("passages/<uuid:chunk_id>", views.passage, name="passage"),
]
