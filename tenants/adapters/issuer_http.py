"""Asking a sign-in provider that a tenant has named, without becoming a way into private networks.

The address that was really connected to is judged, after name resolution and before anything is sent: there is no
second look-up that could answer otherwise.
"""

from __future__ import annotations

import json
import socket
from typing import Any

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError, NewConnectionError

from kernel.addresses import is_public
from tenants.errors import IssuerOutOfReach

TIMEOUT = 8.0
BYTES = 512 * 1024


class _PublicOnly:
    """A connection that is closed at once when it leads to an address that is not of the public internet."""

    def _new_conn(self) -> socket.socket:
        connection: socket.socket = super()._new_conn()  # type: ignore[misc]
        if not settings.SIGN_IN_PRIVATE_ISSUERS and not is_public(connection.getpeername()[0]):
            connection.close()
            raise NewConnectionError(self, "this address is not public")  # type: ignore[arg-type]
        return connection


class _Connection(_PublicOnly, HTTPConnection):
    pass


class _SecureConnection(_PublicOnly, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}

    def send(self, request: Any, *args: Any, **kwargs: Any) -> requests.Response:
        if request.url.startswith("http:") and not settings.SIGN_IN_PRIVATE_ISSUERS:
            raise requests.ConnectionError("sign-in providers are asked over https only")
        kwargs["timeout"] = TIMEOUT
        return super().send(request, *args, **kwargs)


def issuer_session() -> requests.Session:
    """A `requests` session that reaches public addresses over https, and waits at most 8 seconds for each answer."""
    session = requests.Session()
    # A proxy of the environment would connect in our place, to whatever it is told.
    session.trust_env = False
    session.max_redirects = 3
    for scheme in ("https://", "http://"):
        session.mount(scheme, _Adapter())
    return session


def issuer_probe(issuer: str) -> None:
    """Ask the issuer for its configuration. Raises `IssuerOutOfReach` with a reason that says what to change."""
    try:
        with issuer_session() as session:
            answer = session.get(f"{issuer}/.well-known/openid-configuration", stream=True)
            answer.raise_for_status()
            told = _json(answer)
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else "with an error"
        raise IssuerOutOfReach(issuer=issuer, reason=f"it answered {status}") from error
    except (requests.RequestException, HTTPError, ValueError) as error:
        raise IssuerOutOfReach(issuer=issuer, reason="no configuration could be read there") from error
    if str(told.get("issuer", "")).rstrip("/") != issuer:
        raise IssuerOutOfReach(issuer=issuer, reason="it calls itself by another name")
    missing = [key for key in ("authorization_endpoint", "token_endpoint", "jwks_uri") if not told.get(key)]
    if missing:
        raise IssuerOutOfReach(issuer=issuer, reason=f"its configuration lacks {', '.join(missing)}")


def _json(answer: requests.Response) -> dict[str, Any]:
    """The body as an object, of half a megabyte at most."""
    told = json.loads(answer.raw.read(BYTES, decode_content=True))
    if not isinstance(told, dict):
        raise ValueError("not an object")
    return told
