from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from config import health

ADDRESS = "10.0.0.7:8000"


@pytest.fixture(autouse=True)
def named(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ALLOWED_HOSTS = ["chat.library.example"]
    settings.METRICS_TOKEN = ""
    monkeypatch.setattr(health, "components", lambda: {"database": health.Found("away")})


@pytest.mark.parametrize(("page", "status"), [("/healthz", 200), ("/readyz", 503), ("/metrics", 404)])
def test_a_page_for_programs_answers_by_whatever_name(client: Client, page: str, status: int) -> None:
    assert client.get(page, HTTP_HOST=ADDRESS).status_code == status


@pytest.mark.parametrize("page", ["/go", "/t/acme/healthz", "/nothing"])
def test_any_other_page_is_refused_under_a_name_that_is_not_ours(client: Client, page: str) -> None:
    client.raise_request_exception = False
    assert client.get(page, HTTP_HOST=ADDRESS).status_code == 400
