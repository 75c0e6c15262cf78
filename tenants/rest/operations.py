"""One decorator for a method of a door: who may call it, and how it is described. Neither can be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from django.utils.text import slugify
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers

from tenants.rest.fields import Output
from tenants.roles import May

Method = TypeVar("Method", bound=Callable[..., Any])
ANYBODY_KNOWN: tuple[May, ...] = ()


class ErrorBody(Output):
    code = serializers.CharField(help_text="A stable name of what went wrong (docs/errors.md).")
    message = serializers.CharField(help_text="For people: what is wrong and what to do.")
    retryable = serializers.BooleanField(help_text="Whether the same request can succeed later.")
    extra = serializers.DictField(help_text="Data of this error, such as `fields` or `retry_after`.")


class Error(Output):
    """Every refusal has this shape."""

    error = ErrorBody()


ERRORS = {
    400: "The request is not right: `extra.fields` says where.",
    401: "No key, or one that does not count here.",
    403: "The role or the scope does not include this.",
    404: "There is no such thing here, or it may not be seen.",
    409: "It cannot be done in the state that things are in.",
    412: "It was changed after it was read (`If-Match`).",
    413: "The request is too large.",
    415: "The request is written in a format that is not read here.",
    422: "It was read, and cannot be used; or another request was made under this `Idempotency-Key`.",
    429: "Too many requests: `Retry-After` says when to come back.",
    503: "Something that is needed does not answer now. Try again.",
}


OF_BODIES = {409, 413, 415, 422}


@dataclass(frozen=True, slots=True)
class Allowed:
    """Any of these is enough; none means that everybody who is known here may."""

    any_of: tuple[May, ...]


def operation(
    summary: str,
    *,
    tag: str,
    may: May | Sequence[May],
    takes: Any = None,
    query: Any = None,
    answers: Any = None,
    status: int = 200,
    paged: bool = False,
    etag: bool = False,
    if_match: bool = False,
    repeatable: bool = False,
    description: str = "",
    example: Any = None,
    sends: Any = None,
    multipart: bool = False,
) -> Callable[[Method], Method]:
    """Describe a method and say who may call it.

    `takes` and `query` are the serializers of body and query, `answers` that of the answer; `paged` answers come in
    pages. `sends` and `example` are examples of body and answer. `repeatable` posts take an `Idempotency-Key`.
    """
    allowed = Allowed((may,) if isinstance(may, May) else tuple(may))

    def decorate(method: Method) -> Method:
        described = extend_schema(
            operation_id=slugify(summary).replace("-", "_"),
            summary=summary,
            description=_described(description, allowed),
            tags=[tag],
            request={"multipart/form-data": takes} if multipart else takes,
            parameters=[*([query] if query else []), *_headers(etag, if_match, repeatable), *_cursor(paged)],
            responses=_responses(method.__name__, answers, status, paged, etag, if_match),
            examples=[
                *_example(sends, request=True),
                *_example(_in_page(example, paged), request=False, status=status),
            ],
        )(method)
        described.allowed = allowed  # type: ignore[attr-defined]
        described.parameters = _parameters(query, paged)  # type: ignore[attr-defined]
        described.etag = etag  # type: ignore[attr-defined]
        return described

    return decorate


def _parameters(query: Any, paged: bool) -> tuple[str, ...]:
    """Names of the query parameters that the description has."""
    return (*(query().fields if query else ()), *(("cursor", "limit") if paged else ()))


def _described(description: str, allowed: Allowed) -> str:
    needs = " or ".join(f"`{what}`" for what in allowed.any_of)
    return f"{description}\n\nNeeds {needs}." if needs else description


def _responses(
    method: str, answers: Any, status: int, paged: bool, etag: bool, if_match: bool
) -> dict[Any, Any]:
    told: dict[Any, Any] = (
        answers if isinstance(answers, dict) else {status: _page(answers) if paged else answers}
    )
    if status == 204:
        told[204] = OpenApiResponse(description="Done.")
    if etag:
        told[304] = OpenApiResponse(description="Nothing has changed since the ETag that was sent.")
    never = (set() if if_match else {412}) | (OF_BODIES if method == "get" else set())
    wrong = {code: text for code, text in ERRORS.items() if code not in never}
    return {**told} | {code: OpenApiResponse(Error, description=text) for code, text in wrong.items()}


@cache
def _page(of: Any) -> Any:
    return inline_serializer(
        f"{of.__name__}Page",
        {
            "items": of(many=True),
            "next": serializers.CharField(
                allow_null=True, help_text="The `cursor` of the next page; null at the end."
            ),
        },
    )


def _in_page(example: Any, paged: bool) -> Any:
    return {"items": [example], "next": None} if paged and example is not None else example


def _headers(etag: bool, if_match: bool, repeatable: bool) -> list[OpenApiParameter]:
    told = (
        (etag, "If-None-Match", "The ETag of what you have: 304 when nothing has changed."),
        (if_match, "If-Match", "The ETag of what you read: 412 when it was changed since."),
        (repeatable, "Idempotency-Key", "The same request under the same key is done once, for 24 hours."),
    )
    return [
        OpenApiParameter(name, str, OpenApiParameter.HEADER, description=text)
        for wanted, name, text in told
        if wanted
    ]


def _cursor(paged: bool) -> list[OpenApiParameter]:
    if not paged:
        return []
    limit = {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}
    return [
        OpenApiParameter("cursor", str, description="`next` of the page before."),
        OpenApiParameter("limit", limit, description="Rows on a page."),
    ]


def _example(value: Any, *, request: bool, status: int = 200) -> list[OpenApiExample]:
    if value is None:
        return []
    kind: dict[str, Any] = (
        {"request_only": True} if request else {"response_only": True, "status_codes": [str(status)]}
    )
    return [OpenApiExample("Example", value=value, **kind)]
