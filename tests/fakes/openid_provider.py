"""An OpenID Connect provider for tests: discovery, keys, authorisation with PKCE, tokens signed with RS256.

   with openid_provider() as provider:
       provider.person = {"sub": "1", "email": "ada@acme.example", "email_verified": True}
       provider.spoil = "signature"     # or issuer, audience, expired, algorithm, subject, code

Whoever asks for authorisation is `person`; nobody is asked for anything.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID, CLIENT_SECRET = "antecedent", "s3cret"


class OpenIDProvider:
    """What it says of whom. `asked` counts requests by path."""

    def __init__(self) -> None:
        self.url = ""
        self.person: dict[str, Any] = {}
        self.spoil = ""
        self.userinfo_only = False
        self.asked: dict[str, int] = {}
        self._codes: dict[str, dict[str, str]] = {}
        self._key, self._other = (
            rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2)
        )

    def authorise(self, url: str) -> str:
        """The address that the provider sends the browser back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert asked["client_id"] == CLIENT_ID and asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256" and "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(8)
        self._codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._counted])
        app.router.add_get("/.well-known/openid-configuration", self._configuration)
        app.router.add_get("/keys", self._keys)
        app.router.add_post("/token", self._token)
        app.router.add_get("/me", self._me)
        return app

    @web.middleware
    async def _counted(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.asked[request.path] = self.asked.get(request.path, 0) + 1
        return await handler(request)

    async def _configuration(self, request: web.Request) -> web.Response:
        return web.json_response(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorise",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/me",
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }
        )

    async def _keys(self, request: web.Request) -> web.Response:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        return web.json_response({"keys": [{**public, "kid": "one", "alg": "RS256", "use": "sig"}]})

    async def _token(self, request: web.Request) -> web.Response:
        form = await request.post()
        asked = self._codes.pop(str(form["code"]), None)
        challenge = hashlib.sha256(str(form.get("code_verifier", "")).encode()).digest()
        proven = base64.urlsafe_b64encode(challenge).rstrip(b"=").decode()
        known = form.get("client_id") == CLIENT_ID and form.get("client_secret") == CLIENT_SECRET
        if asked is None or proven != asked["code_challenge"] or not known:
            return web.json_response({"error": "invalid_grant"}, status=400)
        return web.json_response(
            {"access_token": "access", "token_type": "Bearer", "expires_in": 300, "id_token": self._signed()}
        )

    async def _me(self, request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "Bearer access"
        told = {**self.person, "sub": "another"} if self.spoil == "subject" else self.person
        return web.json_response(told)

    def _signed(self) -> str:
        at = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT_ID, "iat": at, "exp": at + 300, **self.person}
        if self.userinfo_only:
            claims = {name: claims[name] for name in ("iss", "aud", "iat", "exp", "sub")}
        claims |= {
            "issuer": {"iss": "https://other.example"},
            "audience": {"aud": "another-client"},
            "expired": {"iat": at - 4000, "exp": at - 3600},
        }.get(self.spoil, {})
        if self.spoil == "algorithm":
            return jwt.encode(claims, "x" * 32, algorithm="HS256", headers={"kid": "one"})
        if self.spoil == "unsigned":
            return jwt.encode(claims, None, algorithm="none", headers={"kid": "one"})
        key = self._other if self.spoil == "signature" else self._key
        return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "one"})


@contextlib.contextmanager
def openid_provider() -> Iterator[OpenIDProvider]:
    """Runs in a thread of its own on a free loopback port until the block ends."""
    provider, ready = OpenIDProvider(), threading.Event()
    loop, stop = asyncio.new_event_loop(), asyncio.Event()

    async def serve() -> None:
        runner = web.AppRunner(provider.application(), access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        provider.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    def run() -> None:
        with contextlib.closing(loop):
            loop.run_until_complete(serve())
            loop.run_until_complete(loop.shutdown_asyncgens())

    thread = threading.Thread(target=run, name="openid-provider", daemon=True)
    thread.start()
    if not ready.wait(20):
        raise RuntimeError("the test provider did not start")
    try:
        yield provider
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
