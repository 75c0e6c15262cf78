"""The description of the REST API (OpenAPI 3) and the pages that show it, from our own origin alone."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

# Swagger UI draws with style attributes. Its scripts are files of ours; it asks nobody else.
DOCS_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_description = SpectacularJSONAPIView.as_view()
_pages = SpectacularSwaggerSplitView.as_view(url_name="api-description")


def description(request: HttpRequest) -> HttpResponseBase:
    """The description, open to everybody: it tells of no tenant."""
    response: HttpResponseBase = _description(request)
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


def pages(request: HttpRequest, **options: Any) -> HttpResponseBase:
    response: HttpResponseBase = _pages(request, **options)
    response.headers["Content-Security-Policy"] = DOCS_POLICY
    return response
