from django.apps import AppConfig


class AdminUiConfig(AppConfig):
    name = "admin_ui"
