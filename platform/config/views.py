"""Pages for addresses that lead nowhere, for what breaks, and for whoever reads the metrics."""

from __future__ import annotations

import sys

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.errors import as_domain_error, error_response
from kernel.errors import DomainError, Forbidden
from tenants.rest.errors import Malformed


class PageNotFound(DomainError):
    """There is nothing at this address."""

    code = "not_found"
    http_status = 404


class PageOutOfDate(DomainError):
    """Nothing was changed: the page that you sent this from is out of date, since you signed in or out meanwhile or your
    browser keeps no cookies of ours. Go back to it and send it again."""

    code = "page_out_of_date"
    http_status = 403


class Broken(DomainError):
    """Something went wrong on our side. It has been written down."""

    code = "internal_error"
    http_status = 500
    retryable = True


def metrics(request: HttpRequest) -> HttpResponse:
    """`config.metrics.page`. Its library is loaded only where a token says that somebody reads it."""
    if not settings.METRICS_TOKEN:
        return HttpResponse(status=404)
    from config.metrics import page

    return page(request)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, PageNotFound())


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, as_domain_error(exception) or Malformed(detail="it is not well formed"))


def page_out_of_date(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django calls it for a form whose token is not the browser's (any more)."""
    return error_response(request, PageOutOfDate())


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, Forbidden())


def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls it while it handles what went wrong."""
    error = sys.exc_info()[1]
    told = as_domain_error(error) if isinstance(error, Exception) else None
    return error_response(request, told or Broken())
