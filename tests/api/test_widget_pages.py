"""What a site's pages load: the loader, the frame and its files."""

from __future__ import annotations

import json
import re

import pytest

from conversations.widget import packing
from tenants.scoping import tenant_scope
from tenants.services.widget_keys import widget_key_create, widget_key_revoke

pytestmark = pytest.mark.django_db(transaction=True)
SHOP = "https://shop.example"


@pytest.fixture
def widget(tenant):
    with tenant_scope(tenant.pk):
        return widget_key_create(
            name="Shop", allowed_origins=[SHOP], look={"accent": "#aa0000", "theme": "dark"}
        )


def frame(client, key):
    return client.get("/widget/frame", {"key": key})


def boot(page):
    found = re.search(rb'<script id="boot" type="application/json">(.*?)</script>', page.content, re.S)
    return json.loads(found[1])


def ancestors(page):
    return re.search("frame-ancestors (.*)", page["Content-Security-Policy"])[1]


def test_the_loader_may_be_kept_and_used_by_any_page(tenant, browser):
    script = browser(tenant).get("/widget.js")
    assert script.status_code == 200 and script["Content-Type"].startswith("text/javascript")
    assert "max-age=3600" in script["Cache-Control"] and "Cookie" not in script["Vary"]
    assert script["Cross-Origin-Resource-Policy"] == "cross-origin"
    again = browser(tenant).get("/widget.js", HTTP_IF_NONE_MATCH=script["ETag"])
    assert again.status_code == 304 and not again.content


def test_the_frame_may_be_shown_where_its_key_says(tenant, browser, widget):
    page = frame(browser(tenant), widget.public_key)
    assert page.status_code == 200 and ancestors(page) == f"'self' {SHOP}"
    assert "X-Frame-Options" not in page and not page.cookies
    assert page["Cross-Origin-Embedder-Policy"] == "require-corp"
    assert page["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "no-store" in page["Cache-Control"]
    start = boot(page)
    assert start["key"] == widget.public_key and start["look"]["accent"] == "#aa0000"
    assert start["shades"]["--accent"] == "rgb(170 0 0)" and b'data-theme="dark"' in page.content


def test_a_key_that_does_not_count_tells_only_that(tenant, rival, browser, widget):
    client = browser(tenant)
    with tenant_scope(rival.pk):
        theirs = widget_key_create(name="Theirs", allowed_origins=[SHOP])
    with tenant_scope(tenant.pk):
        widget_key_revoke(key_id=widget.pk)
    for key, code in ((widget.public_key, "revoked"), (theirs.public_key, "unknown"), ("", "unknown")):
        page = frame(client, key)
        assert page.status_code >= 400
        assert set(boot(page)) == {"error"} and boot(page)["error"]["code"] == f"widget_key_{code}"


def test_a_key_for_pages_without_an_origin_opens_on_every_page(tenant, browser):
    with tenant_scope(tenant.pk):
        key = widget_key_create(name="App", allowed_origins=["null"])
    assert ancestors(frame(browser(tenant), key.public_key)) == "* file: data:"


def test_its_texts_cannot_break_out_of_the_page(tenant, browser):
    with tenant_scope(tenant.pk):
        key = widget_key_create(name="Odd", look={"name": "</script><script>alert(1)</script>"})
    page = frame(browser(tenant), key.public_key)
    assert b"<script>alert" not in page.content


def test_files_named_by_their_content_are_kept_for_ever_and_others_not_at_all(tenant, browser, widget):
    client = browser(tenant)
    page = frame(client, widget.public_key).content.decode()
    for name in re.findall(r'(?:src|href)="/t/acme(/widget/\w+/[\w./]+)"', page):
        assert client.get(name)["Cache-Control"].endswith("immutable"), name
    assert packing.digest() in page
    assert client.get("/widget/0ld/chat.js")["Cache-Control"] == "no-store"
    assert client.get(f"/widget/{packing.digest()}/turn.js").status_code == 404


def test_what_is_compressed_is_the_same(tenant, browser):
    import gzip

    client = browser(tenant)
    plain = client.get("/widget.js")
    zipped = client.get("/widget.js", HTTP_ACCEPT_ENCODING="br, gzip")
    assert zipped["Content-Encoding"] == "gzip" and gzip.decompress(zipped.content) == plain.content
