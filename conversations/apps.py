"""Django's entry to conversations."""

from __future__ import annotations

from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    name = "conversations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from conversations import selectors
        from conversations.services import evaluation_gates, owning, versioned
        from tenants.services.quotas import gauge_register

        versioned.install()
        gauge_register("concurrent_streams", selectors.turns_unfinished)
        owning.register()
        evaluation_gates.register()
