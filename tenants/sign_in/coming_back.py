"""Where somebody goes on whose request led nowhere: signed out meanwhile, sent from a page that is out of date."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def page_asked(request: HttpRequest, otherwise: str) -> str:
    """The page that was asked for; for what a form sent, the page with the form, else `otherwise`.

    An address that forms are sent to shows nothing, so nobody is led there.
    """
    return (
        request.get_full_path() if request.method in ("GET", "HEAD") else page_of_form(request) or otherwise
    )


def page_of_form(request: HttpRequest) -> str:
    """The address, without scheme and host, of the page of ours that a request came from; empty when it is not known."""
    sent_from = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(sent_from, {request.get_host()}):
        return ""
    parts = urlsplit(sent_from)
    return urlunsplit(("", "", parts.path, parts.query, "")) if parts.path.startswith("/") else ""
