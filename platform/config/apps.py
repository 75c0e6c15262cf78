from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Antecedent"

    def ready(self) -> None:
        """Whoever queues a task must know the broker: shared tasks belong to the app that is loaded."""
        from config import celery

        celery.app.set_default()
