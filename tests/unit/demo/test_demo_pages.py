"""The demonstration's own web pages, as their small server hands them out."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from typing import Any

import jwt
import pytest

from config import demo_site

SECRET = "s" * 40
KEYS = {"harbor": {"key": 'wk_"1', "secret": SECRET, "kid": "demonstration"}}


@pytest.fixture
def get(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(demo_site.Site, "platform", "http://chat.example/")
    monkeypatch.setattr(demo_site.Site, "state", tmp_path, raising=False)
    (tmp_path / "demo-site.json").write_text(json.dumps(KEYS))
    server = ThreadingHTTPServer(("127.0.0.1", 0), demo_site.Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def asked(path: str) -> tuple[int, str, Any]:
        connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, answer.headers

    yield asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_page_embeds_the_widget_with_its_own_key(get):
    status, text, headers = get("/harbor/")
    assert status == 200 and "{{" not in text
    assert 'src="http://chat.example/t/harbor/widget.js" data-key="wk_&quot;1"' in text
    assert "frame-src http://chat.example/" in headers["Content-Security-Policy"]


@pytest.mark.parametrize("company", demo_site.COMPANIES)
def test_a_page_loads_nothing_from_elsewhere_and_needs_nothing_inline(get, company):
    _, text, _ = get(f"/{company}/")
    loaded = re.findall(r'(?:src|href)="([^"#]+)"', text)
    assert all(address.startswith(("/", "http://chat.example/")) for address in loaded)
    assert not re.findall(r"<style|style=|\son[a-z]+=", text)
    assert f"/{company}/icon.svg" in loaded, "or browsers ask for one and report that it is missing"
    for address in loaded:
        if address.startswith("/"):
            assert get(address)[0] == 200, address


def test_its_server_vouches_for_those_it_knows(get):
    status, token, _ = get("/harbor/identity/maeve")
    claims = jwt.decode(token, SECRET, algorithms=["HS256"], audience="harbor")
    assert status == 200 and claims["name"] == "Maeve Collins" and claims["audiences"] == ["Grove members"]
    assert get("/harbor/identity/mallory")[0] == 404
    assert get("/nimbus/identity/tom")[0] == 404, "its data is not loaded yet"


@pytest.mark.parametrize(
    "path", ["/../harbor/manifest.json", "/..%2fsettings.py", "/harbor/nothing.css", "/people.py"]
)
def test_it_hands_out_its_pages_and_nothing_else(get, path):
    assert get(path)[0] == 404
