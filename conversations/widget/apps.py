from django.apps import AppConfig


class WidgetConfig(AppConfig):
    name = "conversations.widget"
    label = "widget"
