"""Django's entry to retrieval."""

from __future__ import annotations

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "retrieval"
    verbose_name = "Documents"

    def ready(self) -> None:
        from retrieval import wiring

        wiring.install()
