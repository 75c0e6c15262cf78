from __future__ import annotations

import asyncio

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config.middleware import NamedRequest
from kernel.log_ids import log_ids


def _seen(sent: str | None) -> tuple[str, str]:
    """(what log lines say, what the answer says)"""
    headers = {"X-Request-ID": sent} if sent is not None else {}
    request = RequestFactory().get("/", headers=headers)
    answer = NamedRequest(lambda request: HttpResponse(log_ids()["request"]))(request)
    assert isinstance(answer, HttpResponse)
    return answer.content.decode(), answer.headers["X-Request-ID"]


def test_it_is_the_proxys_own() -> None:
    assert _seen("lib-4711:a.b") == ("lib-4711:a.b", "lib-4711:a.b")


@pytest.mark.parametrize("sent", [None, "", "x" * 65, "two words", 'a"b', "späť"])
def test_one_is_made_up_where_none_or_a_strange_one_is_sent(sent: str | None) -> None:
    logged, told = _seen(sent)
    assert logged == told != sent and len(told) == 32


def test_it_holds_for_async_handlers_and_ends_with_the_request() -> None:
    async def handler(request: HttpRequest) -> HttpResponse:
        return HttpResponse(log_ids()["request"])

    async def ask() -> HttpResponse:
        answer = await NamedRequest(handler)(RequestFactory().get("/", headers={"X-Request-ID": "r1"}))
        assert "request" not in log_ids()
        return answer

    answer = asyncio.run(ask())
    assert (answer.content, answer.headers["X-Request-ID"]) == (b"r1", "r1")


def test_every_answer_tells_it(client: Client) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "r2"}).headers["X-Request-ID"] == "r2"
