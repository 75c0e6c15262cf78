from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Antecedent"

    def ready(self) -> None:
        """Whoever queues a task must know the broker: shared tasks belong to the app that is loaded."""
        from django.conf import settings

        from admin_ui.staff.ports import platform_register
        from config import celery
        from config.staff import StaffPlatform

        celery.app.set_default()
        platform_register(StaffPlatform())
        if settings.TRACES:
            from config import traced_statements, traced_tasks  # noqa: F401 -- their receivers
