"""Django's entry to retrieval."""

from __future__ import annotations

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "retrieval"
    verbose_name = "Documents"

    def ready(self) -> None:
        from retrieval import wiring
        from retrieval.services import owning, room

        wiring.install()
        room.register()
        owning.register()
