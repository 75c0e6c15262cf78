"""Where a widget may be embedded: what an origin is, and which pages it covers."""

from __future__ import annotations

import pytest

from kernel.errors import Invalid
from tenants.origins import origin_checked, origin_matches


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://Library.Example", "https://library.example"),
        (" https://library.example/ ", "https://library.example"),
        ("https://library.example:443", "https://library.example"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("https://*.library.example", "https://*.library.example"),
        ("https://bücherei.example", "https://xn--bcherei-n2a.example"),
        ("https://*.bücherei.example:8443", "https://*.xn--bcherei-n2a.example:8443"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("null", "null"),
    ],
)
def test_it_keeps_an_origin_in_one_spelling(written, kept):
    assert origin_checked(written) == kept


@pytest.mark.parametrize(
    "written",
    ["", "library.example", "*", "https://*", "https://*.example", "https://a.*.example", "ftp://library.example",
     "javascript://library.example", "https://library.example/shelf", "https://library.example?x", "https://u@library.example",
     "https://library.example#x", "https://", "https://a b.example", "https://a;b.example", "https://a'b.example",
     "https://a,b.example", "https://library.example:99999", "https://library.example:x", "https://[::1]", "data:",
     "https://*library.example", "https://-a.example", "https://\x00.example", "Null ", "https://" + "a" * 400 + ".example",
     "https://library.example\\@evil.example", "https://\ud800.example", "https://a..example"],
    ids=ascii,
)  # fmt: skip
def test_it_refuses_what_is_no_origin(written):
    with pytest.raises(Invalid):
        origin_checked(written)


@pytest.mark.parametrize(
    ("origin", "allowed", "matches"),
    [
        ("https://library.example", ["https://library.example"], True),
        ("https://LIBRARY.example", ["https://library.example"], True),
        ("https://library.example:443", ["https://library.example"], True),
        ("http://library.example", ["https://library.example"], False),
        ("https://library.example:8443", ["https://library.example"], False),
        ("https://library.example.evil.test", ["https://library.example"], False),
        ("https://evil-library.example", ["https://*.library.example"], False),
        ("https://a.library.example", ["https://*.library.example"], True),
        ("https://a.b.library.example", ["https://*.library.example"], True),
        ("https://library.example", ["https://*.library.example"], False),
        ("https://a.library.example:8443", ["https://*.library.example"], False),
        ("http://a.library.example", ["https://*.library.example"], False),
        ("https://*.library.example", ["https://*.library.example"], False),
        ("null", ["https://library.example"], False),
        ("null", ["null"], True),
        ("https://library.example", ["null"], False),
        ("", ["https://library.example"], False),
        ("", [], False),
        ("https://library.example", [], False),
    ],
)
def test_it_covers_exactly_what_it_says(origin, allowed, matches):
    assert origin_matches(origin, allowed) is matches
