"""What the doors of the chat have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from conversations.identity import token_of_header

View = Callable[..., HttpResponse]


def cookie_guarded(view: View) -> View:
    """Ask for the page's token against forged requests where a cookie says who asks.

    A session token comes in a header that no foreign page can make a browser send, so it needs none.
    """
    guarded = csrf_protect(view)

    @csrf_exempt
    @wraps(view)
    def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        bearer = token_of_header(request.headers.get("Authorization", "")) is not None
        return (view if bearer else guarded)(request, *args, **kwargs)

    return door
