"""The Celery application: `celery -A config.celery worker`."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

import config.pulses  # noqa: F401 -- its receivers
from config import environment as env

METRICS_PORT = int(env.number("METRICS_PORT", 0))

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

CONFIRM_SECONDS = 3.0


class Queueing(Celery):
    """Celery that never waits for ever for a RabbitMQ to confirm: one without room on its disk reads nothing more.

    Whoever queued hears it as an outage of the queue, and the sweeps queue it again. Valkey confirms nothing.
    """

    def send_task(self, *args: Any, **options: Any) -> Any:
        return super().send_task(*args, **{"confirm_timeout": CONFIRM_SECONDS, **options})


app = Queueing("antecedent")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["tenants", "retrieval", "conversations", "config"])
app.autodiscover_tasks(["tenants", "conversations"], related_name="mail_tasks")


@worker_init.connect
def worker_is_watched(**_: Any) -> None:
    """Before the pool forks, and only where somebody reads it: the metrics' folder has to be known by then."""
    if METRICS_PORT:
        from config import metrics

        metrics.install_worker(METRICS_PORT)
