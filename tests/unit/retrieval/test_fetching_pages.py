"""Public pages are read as far as they may be, and nothing leads into a private network."""

from __future__ import annotations

import gzip
import time
from dataclasses import replace

import httpcore2
import pytest

from kernel.addresses import is_public
from retrieval.adapters.fetch.connecting import FetchPolicy
from retrieval.adapters.fetch.site import HttpSources
from retrieval.domain.errors import (
    SitemapEmpty,
    SitemapInvalid,
    SourceAddressRefused,
    SourceBroken,
    SourceClosed,
    SourceDisallowed,
    SourceHostUnknown,
    SourceInvalid,
    SourceMissing,
    SourcePortRefused,
    SourceRedirects,
    SourceTooLarge,
    SourceTooSlow,
    SourceUnavailable,
    SourceUnreachable,
)
from retrieval.domain.sources import Validators, normal_url, source_filename
from tests.unit.retrieval.sites import served


@pytest.fixture
def site():
    with served() as site:
        yield site


@pytest.fixture
def policy(site):
    return FetchPolicy(
        ports=frozenset({80, 443, site.port}), seconds=5.0, max_bytes=200_000, allow_loopback=True
    )


@pytest.fixture
def sources(policy):
    return HttpSources(policy)


@pytest.mark.parametrize(
    "address",
    "127.0.0.1 127.9.9.9 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 "
    "100.100.100.200 168.63.129.16 192.0.0.192 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 ::1 :: fe80::1 "
    "fe80::1%eth0 fc00::1 fd00:ec2::254 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 "
    "::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 2002:7f00:1:: 2002:a00:1:: 2001::1 2001:db8::1 "
    "fec0::1".split(),
)
def test_an_address_that_is_not_public_is_refused(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    "1.1.1.1 93.184.216.34 172.32.0.1 2606:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::".split(),
)
def test_a_public_address_is_let_through(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    ["ftp://a.example/", "file:///etc/passwd", "gopher://a.example", "javascript:1", "//a.example", "a.example", "http://",
     "http://user@a.example/", "http://u:p@a.example/", "http://a.example:99999/", "http://a.example/\r\nX: y",
     "http://a.example\\@b.example/", "http://[::1", "http://" + "a" * 2100 + ".example/"],
)  # fmt: skip
def test_what_is_no_web_address_is_refused(url):
    with pytest.raises(SourceInvalid):
        normal_url(url)


def test_one_address_has_one_spelling():
    assert normal_url(" HTTPS://Bücher.Example:443/a b/ü?q=ö#top ".replace("a b", "a%20b")) == (
        "https://xn--bcher-kva.example/a%20b/%C3%BC?q=%C3%B6"
    )
    assert normal_url("http://a.example:8080") == "http://a.example:8080/"


def test_a_page_has_a_file_name_of_its_own_that_says_how_to_read_it():
    first, second = (source_filename(f"https://a.example/x/opening?lang={n}") for n in "12")
    assert first != second and first.startswith("opening-") and first.endswith(".html")
    assert source_filename("https://a.example/rules.pdf", "application/octet-stream").endswith(".pdf")
    assert source_filename("https://a.example/notes", "text/plain").endswith(".txt")


def test_it_reads_a_page_with_its_marks(site, sources):
    site.page("/ward", "<h1>Ward</h1>", ETag='"a1"', Last_Modified="Mon, 02 Mar 2026 08:00:00 GMT")
    page = sources.fetch(f"{site.url}/ward")
    assert (page.data, page.content_type, page.unchanged) == (b"<h1>Ward</h1>", "text/html", False)
    assert page.validators == Validators('"a1"', "Mon, 02 Mar 2026 08:00:00 GMT")
    assert site.paths_asked() == ["/robots.txt", "/ward"]


def test_it_asks_with_the_marks_it_knows_and_hears_that_nothing_changed(site, sources):
    site.page("/ward", b"", status=304)
    page = sources.fetch(f"{site.url}/ward", known=Validators('"a1"', "Mon, 02 Mar 2026 08:00:00 GMT"))
    assert page.unchanged
    headers = dict(site.asked)["/ward"]
    assert (headers["if-none-match"], headers["if-modified-since"]) == (
        '"a1"',
        "Mon, 02 Mar 2026 08:00:00 GMT",
    )
    assert "cookie" not in headers and "authorization" not in headers


@pytest.mark.parametrize(
    "status, error",
    [(404, SourceMissing), (410, SourceMissing), (401, SourceClosed), (403, SourceClosed), (429, SourceUnavailable),
     (500, SourceUnavailable), (503, SourceUnavailable)],
)  # fmt: skip
def test_every_failure_of_a_site_has_its_reason(site, sources, status, error):
    site.page("/x", "sorry", status=status)
    with pytest.raises(error):
        sources.fetch(f"{site.url}/x")


def test_robots_txt_is_obeyed_also_after_a_redirect(site, sources):
    site.page("/robots.txt", "User-agent: *\nDisallow: /private\n", type="text/plain")
    site.page("/door", b"", status=302, Location="/private/x")
    site.page("/private/x", "secret")
    for path in ("/private/x", "/door"):
        with pytest.raises(SourceDisallowed):
            sources.fetch(site.url + path)
    assert "/private/x" not in site.paths_asked()


def test_rules_for_this_robot_count_before_those_for_all(site, policy):
    site.page(
        "/robots.txt", "User-agent: *\nDisallow: /\n\nUser-agent: Antecedent\nAllow: /\n", type="text/plain"
    )
    site.page("/x", "hello")
    assert HttpSources(policy).fetch(f"{site.url}/x").data == b"hello"


def test_a_site_that_cannot_say_what_robots_may_is_left_alone(site, sources):
    site.page("/robots.txt", "oops", status=500)
    site.page("/x", "hello")
    with pytest.raises(SourceDisallowed):
        sources.fetch(f"{site.url}/x")


def test_robots_txt_is_asked_for_once(site, sources):
    site.page("/a", "a")
    site.page("/b", "b")
    sources.fetch(f"{site.url}/a")
    sources.fetch(f"{site.url}/b")
    assert site.paths_asked().count("/robots.txt") == 1


def test_robots_rules_of_many_wildcards_cost_no_time(site, sources):
    site.page("/robots.txt", "User-agent: *\nDisallow: /" + "a*" * 40 + "b\n", type="text/plain")
    site.page("/" + "a" * 1500, "hello")
    assert sources.fetch(f"{site.url}/{'a' * 1500}").data == b"hello"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1"]
)
def test_this_machine_is_refused_whatever_it_is_called(site, policy, host):
    closed = HttpSources(replace(policy, allow_loopback=False))
    with pytest.raises((SourceAddressRefused, SourceHostUnknown)):
        closed.fetch(f"http://{host}:{site.port}/x")
    assert site.asked == []


@pytest.mark.parametrize(
    "host",
    "127.0.0.1 169.254.169.254 10.0.0.7 [fd00:ec2::254] localhost localhost. LOCALHOST app.localhost db.internal "
    "printer.local nas.home.arpa 2130706433 2852039166 017700000001 0x7f000001 0x7F.1 0177.0.0.1 127.1 0 10.7 "
    "[::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:a9fe:a9fe] [::127.0.0.1] [64:ff9b::a00:7] [2002:a00:7::] １２７.0.0.1 "
    "127。0。0。1".split(),
)
def test_what_is_plainly_private_is_refused_before_anything_is_queued(host):
    url = normal_url(f"http://{host}/latest/meta-data")
    with pytest.raises(SourceAddressRefused):
        HttpSources().check(url)


@pytest.mark.parametrize(
    "host",
    "134744072 0x08080808 8.8.8.8 [2606:4700::1111] a.example localhost.example internal.example".split(),
)
def test_public_addresses_and_names_pass_whatever_they_are_called(host):
    HttpSources().check(normal_url(f"http://{host}/"))


def test_a_port_that_is_not_the_webs_is_refused():
    with pytest.raises(SourcePortRefused):
        HttpSources().check("http://a.example:6379/")


def test_a_redirect_into_a_private_network_is_refused(site, sources):
    site.page("/door", b"", status=302, Location="http://10.0.0.7/admin")
    with pytest.raises(SourceAddressRefused):
        sources.fetch(f"{site.url}/door")


@pytest.mark.parametrize("target", ["http://127.0.0.1:6379/", "http://a.example:22/"])
def test_a_redirect_to_another_port_is_refused(site, sources, target):
    site.page("/door", b"", status=307, Location=target)
    with pytest.raises(SourcePortRefused):
        sources.fetch(f"{site.url}/door")


def test_a_redirect_to_what_is_no_web_address_is_the_sites_fault(site, sources):
    site.page("/door", b"", status=302, Location="file:///etc/passwd")
    with pytest.raises(SourceBroken):
        sources.fetch(f"{site.url}/door")


def test_a_circle_of_redirects_ends(site, sources):
    site.page("/a", b"", status=302, Location="/b")
    site.page("/b", b"", status=302, Location="/a")
    with pytest.raises(SourceRedirects):
        sources.fetch(f"{site.url}/a")


def test_a_name_that_is_public_first_and_private_later_gains_nothing(site, policy, monkeypatch):
    """The address that was judged is the one that is asked: a connection looks the name up once."""
    answers = iter([["8.8.8.8"], ["127.0.0.1"]])
    connected = []

    def refuse(backend, host, port, *rest, **options):
        connected.append(host)
        raise httpcore2.ConnectError("away")

    monkeypatch.setattr(httpcore2.SyncBackend, "connect_tcp", refuse)
    attacked = HttpSources(replace(policy, allow_loopback=False), lambda host, port: next(answers))
    with pytest.raises(SourceUnreachable):
        attacked.fetch(f"http://rebind.example:{site.port}/x")
    with pytest.raises(SourceAddressRefused):
        attacked.fetch(f"http://rebind.example:{site.port}/x")
    assert connected == ["8.8.8.8"] and site.asked == []


def test_a_name_with_one_private_address_among_public_ones_is_refused(site, policy):
    mixed = HttpSources(replace(policy, allow_loopback=False), lambda host, port: ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(SourceAddressRefused):
        mixed.fetch("http://mixed.example/")


def test_the_name_and_not_the_address_is_what_the_site_hears(site, policy):
    site.page("/x", "hello")
    named = HttpSources(policy, lambda host, port: ["127.0.0.1"])
    assert named.fetch(f"http://library.example:{site.port}/x").data == b"hello"
    assert dict(site.asked)["/x"]["host"] == f"library.example:{site.port}"


def test_a_name_that_cannot_be_looked_up_says_so(policy):
    def nowhere(host, port):
        raise OSError

    with pytest.raises(SourceHostUnknown):
        HttpSources(policy, nowhere).fetch("http://nowhere.example/")


def test_a_closed_door_is_unreachable(policy):
    with served() as gone:
        port = gone.port
    with pytest.raises(SourceUnreachable):
        HttpSources(replace(policy, ports=frozenset({port}))).fetch(f"http://127.0.0.1:{port}/x")


def test_a_page_that_announces_too_much_is_not_read(site, sources):
    def huge(request):
        request.send_response(200)
        request.send_header("Content-Length", "99999999999")
        request.end_headers()

    site.paths["/huge"] = huge
    with pytest.raises(SourceTooLarge):
        sources.fetch(f"{site.url}/huge")


def test_a_page_without_end_is_stopped_at_the_limit(site, sources):
    sent = []

    def endless(request):
        request.send_response(200)
        request.end_headers()
        for _ in range(100_000):
            request.wfile.write(b"x" * 10_000)
            sent.append(10_000)

    site.paths["/endless"] = endless
    with pytest.raises(SourceTooLarge):
        sources.fetch(f"{site.url}/endless")
    assert sum(sent) < 100_000_000


def test_a_small_answer_that_unpacks_to_a_huge_one_is_stopped(site, sources):
    bomb = gzip.compress(bytes(50_000_000))
    site.page("/bomb", bomb, Content_Encoding="gzip")
    assert len(bomb) < 100_000
    with pytest.raises(SourceTooLarge):
        sources.fetch(f"{site.url}/bomb")


def test_a_packed_page_is_unpacked(site, sources):
    site.page("/x", gzip.compress(b"hello " * 1000), Content_Encoding="gzip")
    assert sources.fetch(f"{site.url}/x").data == b"hello " * 1000


@pytest.mark.parametrize("encoding, body", [("br", b"x"), ("gzip, gzip", b"x"), ("gzip", b"not gzip at all")])
def test_a_body_packed_otherwise_is_broken(site, sources, encoding, body):
    site.page("/x", body, Content_Encoding=encoding)
    with pytest.raises(SourceBroken):
        sources.fetch(f"{site.url}/x")


@pytest.mark.parametrize("where", ["head", "body"])
def test_a_site_that_drips_is_stopped(site, policy, where):
    """Each byte comes soon enough; all of them never would."""

    def dripping(request):
        start = b"HTTP/1.1 200 OK\r\nX-A: "
        request.wfile.write(start if where == "head" else start + b"1\r\nContent-Length: 900\r\n\r\n")
        for _ in range(900):
            request.wfile.write(b"x")
            request.wfile.flush()
            time.sleep(0.02)

    site.paths["/drip"] = dripping
    with pytest.raises(SourceTooSlow):
        HttpSources(replace(policy, seconds=0.6)).fetch(f"{site.url}/drip")


def test_what_is_no_http_is_broken(site, sources):
    site.paths["/x"] = lambda request: request.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")
    with pytest.raises(SourceBroken):
        sources.fetch(f"{site.url}/x")


def urlset(*urls: str) -> str:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return (
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    )


def listed(sources, url, limit=100):
    return sources.pages(url, limit=limit, heartbeat=lambda: None)


def test_a_sitemap_lists_the_pages_of_its_own_site_once(site, sources):
    a, b = f"{site.url}/a", f"{site.url}/b"
    site.page("/map.xml", urlset(a, b, a, "http://other.example/c", "ftp://x", f"{b}#part"))
    assert listed(sources, f"{site.url}/map.xml").pages == (a, b)


def test_a_sitemap_index_leads_to_others_also_packed_ones(site, sources):
    parts = "".join(
        f"<sitemap><loc>{site.url}/{name}</loc></sitemap>"
        for name in ("1.xml", "2.xml.gz", "gone.xml", "index.xml")
    )
    site.page(
        "/index.xml",
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{parts}</sitemapindex>',
    )
    site.page("/1.xml", urlset(f"{site.url}/a"))
    site.page("/2.xml.gz", gzip.compress(urlset(f"{site.url}/b").encode()))
    assert listed(sources, f"{site.url}/index.xml").pages == (f"{site.url}/a", f"{site.url}/b")


def test_no_more_pages_are_taken_than_wanted(site, sources):
    site.page("/map.xml", urlset(*(f"{site.url}/{n}" for n in range(50))))
    listing = listed(sources, f"{site.url}/map.xml", limit=7)
    assert (len(listing.pages), listing.listed) == (7, 50)


def test_a_start_page_leads_to_the_sitemap_that_robots_txt_names(site, sources):
    site.page("/robots.txt", f"Sitemap: {site.url}/deep/map.txt\n", type="text/plain")
    site.page("/deep/map.txt", f"{site.url}/a\n{site.url}/b\n", type="text/plain")
    assert listed(sources, f"{site.url}/").pages == (f"{site.url}/a", f"{site.url}/b")


def test_a_start_page_leads_to_the_usual_place(site, sources):
    site.page("/sitemap.xml", urlset(f"{site.url}/a"))
    assert listed(sources, f"{site.url}/").pages == (f"{site.url}/a",)


@pytest.mark.parametrize("body", ["<html><body>hi</body></html>", "just words", "<urlset", "{}", ""])
def test_what_is_no_sitemap_says_so(site, sources, body):
    site.page("/map.xml", body)
    with pytest.raises(SitemapInvalid):
        listed(sources, f"{site.url}/map.xml")


def test_a_sitemap_of_foreign_pages_is_empty(site, sources):
    site.page("/map.xml", urlset("http://other.example/a"))
    with pytest.raises(SitemapEmpty):
        listed(sources, f"{site.url}/map.xml")


def test_an_entity_in_a_sitemap_reaches_no_file(site, sources, tmp_path):
    (tmp_path / "secret").write_text("sesame")
    site.page(
        "/map.xml",
        f'<!DOCTYPE x [<!ENTITY f SYSTEM "file://{tmp_path}/secret">]>'
        f"<urlset><url><loc>{site.url}/&f;</loc></url><url><loc>{site.url}/a</loc></url></urlset>",
    )
    assert listed(sources, f"{site.url}/map.xml").pages == (f"{site.url}/", f"{site.url}/a")


def test_entities_in_a_sitemap_do_not_multiply(site, sources):
    layers = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    site.page(
        "/map.xml", f'<!DOCTYPE x [<!ENTITY e0 "ha">{layers}]><urlset><url><loc>&e9;</loc></url></urlset>'
    )
    with pytest.raises((SitemapInvalid, SitemapEmpty)):
        listed(sources, f"{site.url}/map.xml")


def test_a_packed_sitemap_that_is_a_bomb_is_stopped(site, policy):
    site.page("/map.xml.gz", gzip.compress(bytes(50_000_000)))
    with pytest.raises(SourceTooLarge):
        listed(HttpSources(replace(policy, sitemap_bytes=1_000_000)), f"{site.url}/map.xml.gz")
