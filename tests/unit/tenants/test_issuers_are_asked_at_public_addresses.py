"""A sign-in provider that a tenant names is asked at public addresses over https, whatever its name resolves to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
import requests

from tenants.adapters.issuer_http import issuer_probe, issuer_session
from tenants.errors import IssuerOutOfReach


@pytest.fixture
def listening() -> Iterator[tuple[int, list[bytes]]]:
    """A port of this machine, and what anybody sent to it."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)

        def serve() -> None:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                received.append(connection.recv(1024))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], received
        thread.join(10)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_nothing_is_sent_to_a_private_address(listening, host, settings):
    settings.SIGN_IN_PRIVATE_ISSUERS = False
    port, received = listening
    with issuer_session() as session, pytest.raises(requests.ConnectionError, match="not public"):
        session.get(f"https://{host}:{port}/")
    socket.create_connection(("127.0.0.1", port), 1).close() if not received else None
    assert b"".join(received) == b""


def test_plain_http_is_refused_before_anything_is_looked_up(settings):
    settings.SIGN_IN_PRIVATE_ISSUERS = False
    with issuer_session() as session, pytest.raises(requests.ConnectionError, match="https only"):
        session.get("http://login.company.example/")


def test_an_issuer_that_cannot_be_asked_is_named(settings):
    settings.SIGN_IN_PRIVATE_ISSUERS = False
    with pytest.raises(IssuerOutOfReach, match=r"https://127\.0\.0\.1"):
        issuer_probe("https://127.0.0.1:9")
