"""What the queue's server is asked, and that nobody waits for its answer for ever."""

from __future__ import annotations

import pytest

from config import environment
from config.celery import CONFIRM_SECONDS, app
from retrieval import tasks


@pytest.mark.parametrize("url", ["amqp://u:p@host//", "amqps://host/v"])
def test_rabbitmq_is_asked_to_confirm_and_may_not_be_silent_for_long(url):
    silent = environment.SILENT_SECONDS
    assert environment.broker_options(url) == {
        "confirm_publish": True,
        "read_timeout": silent,
        "write_timeout": silent,
    }


def test_valkey_is_asked_to_hand_out_again():
    assert environment.broker_options("redis://host/0") == {"visibility_timeout": 3600}


@pytest.mark.parametrize(
    "queue",
    [
        lambda: tasks.documents_sweep.delay(),
        lambda: tasks.documents_sweep.apply_async(countdown=5),
        lambda: app.send_task("retrieval.tasks.documents_sweep"),
    ],
    ids=["delay", "apply_async", "by name"],
)
def test_whoever_queues_waits_for_a_confirmation_so_long_and_no_longer(queue, monkeypatch):
    """A RabbitMQ whose disk is full takes what it is sent and says nothing until there is room."""
    asked = []
    monkeypatch.setattr(app.amqp, "send_task_message", lambda *_, **options: asked.append(options))
    queue()
    assert [options["confirm_timeout"] for options in asked] == [CONFIRM_SECONDS]


def test_a_task_may_be_given_another_time(monkeypatch):
    asked = []
    monkeypatch.setattr(app.amqp, "send_task_message", lambda *_, **options: asked.append(options))
    tasks.documents_sweep.apply_async(confirm_timeout=1)
    assert asked[0]["confirm_timeout"] == 1
