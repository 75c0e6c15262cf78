"""The Celery application: `celery -A config.celery worker`."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("antecedent")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["tenants", "retrieval", "conversations", "config"])
app.autodiscover_tasks(["tenants"], related_name="mail_tasks")
