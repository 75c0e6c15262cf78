"""What tests of signing in have in common: letters without a worker, fresh counters, codes of an authenticator."""

from __future__ import annotations

import base64
import hmac
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import valkey
from django.conf import settings
from django.core import mail

from tenants import mail_tasks

LINK = re.compile(r"https?://\S+")


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Letters are sent at once, by the same tasks as in the background; here is what was sent."""
    for name in ("invitation_mail", "password_reset_mail", "notice_mail"):
        task = getattr(mail_tasks, name)
        monkeypatch.setattr(task, "delay_on_commit", _at_once(task))
    return mail.outbox


def _at_once(task: Any) -> Callable[..., None]:
    return lambda *args: task(*args)


@pytest.fixture
def fresh(stack: Any) -> Iterator[None]:
    """No attempt is counted yet, and none is left for the next test."""
    _forget()
    yield
    _forget()


def _forget() -> None:
    with valkey.Valkey.from_url(settings.VALKEY_URL) as client:
        for key in client.scan_iter("antecedent:attempts:*"):
            client.delete(key)


def link_in(letter: Any) -> str:
    """The path of the link in a letter, below the tenant's prefix."""
    found = LINK.search(letter.body)
    assert found, letter.body
    return re.sub(r"^https?://[^/]+/t/[^/]+", "", found[0])


def code_of(secret: str, periods: int = 0) -> str:
    """What an authenticator shows now (RFC 6238), or some periods of 30 seconds later."""
    counter = int(time.time()) // 30 + periods
    digest = hmac.digest(base64.b32decode(secret), counter.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"
