from django.apps import AppConfig


class TenantsConfig(AppConfig):
    name = "tenants"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from tenants.services import erasing, erasing_tenant, export_sections

        export_sections.register()
        erasing.eraser_register(erasing_tenant.eraser())
