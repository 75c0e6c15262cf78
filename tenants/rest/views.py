"""What every REST door does before and after its own few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar, cast

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponseBase
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from kernel.errors import DomainError
from tenants.acting import acting_as
from tenants.models import IdempotentRequest
from tenants.rest.authentication import ByCookie, ByKey, BySessionToken, check_somebody
from tenants.rest.callers import Caller, caller_of
from tenants.rest.errors import BodyTooLarge, Malformed, NotPermitted, UnknownParameter
from tenants.rest.etags import etag_of, is_known
from tenants.rest.idempotency import Answer, request_begin, request_end, request_forget
from tenants.rest.operations import Allowed
from tenants.rest.pagination import Key, page_of, page_of_rows
from tenants.services.quotas import key_request_check

M = TypeVar("M", bound=Model)
T = TypeVar("T")
MEGABYTE = 1024 * 1024
_SPARE = 64 * 1024


class JsonAlways(BaseContentNegotiation):
    """Answers are JSON whatever is accepted: a program that asks for something else reads an error it understands."""

    def select_parser(self, request: Request, parsers: Iterable[Any]) -> Any:
        given = (request.content_type or "").split(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == given), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        first = next(iter(renderers))
        return first, first.media_type


class JsonBody(JSONParser):
    """JSON; what nests without end is refused like anything else that cannot be read."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError as error:
            raise Malformed(detail="it nests too deeply") from error


class ApiView(APIView):
    """A door of the REST API. Each method is made with `@operation`; one without is closed to everybody."""

    authentication_classes: Any = (BySessionToken, ByKey, ByCookie)
    permission_classes: Any = ()
    parser_classes: Any = (JsonBody,)
    renderer_classes: Any = (JSONRenderer,)
    content_negotiation_class = JsonAlways
    metadata_class = None
    most_bytes = MEGABYTE
    strict_query = True
    """Whether a query parameter that is not described is refused, so that a typing error is not lost."""

    @property
    def caller(self) -> Caller:
        return caller_of(self.request)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        self._begun: IdempotentRequest | None = None
        _measure(request)
        with ExitStack() as self._inside:
            try:
                return super().dispatch(request, *args, **kwargs)
            except BaseException:
                self._forget_begun()
                raise

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        _check_size(request, self.most_bytes)
        super().initial(request, *args, **kwargs)
        method = getattr(self, (request.method or "").lower(), None)
        if method is None:
            return
        check_somebody(request)
        check_permitted(self.caller, getattr(method, "allowed", None))
        if self.strict_query:
            check_parameters(request.query_params, getattr(method, "parameters", ()))
        self._inside.enter_context(acting_as(self.caller.actor))
        if self.caller.key is not None:
            key_request_check(key=self.caller.key)
        key = request.headers.get("Idempotency-Key")
        if request.method == "POST" and key is not None:
            self._begin(request, key)

    def _begin(self, request: Request, key: str) -> None:
        """From here on the handler is this request's first, or the answer of the first is given again."""
        begun = request_begin(request, key)
        if isinstance(begun, Answer):
            told = Response(begun.body, status=begun.status, headers={"Idempotent-Replayed": "true"})
            self.__dict__["post"] = lambda *args, **kwargs: told
        else:
            self._begun = begun

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        self._end_begun(response)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        method = getattr(self, (request.method or "").lower(), None)
        if getattr(method, "etag", False) and response.status_code == 200 and isinstance(response, Response):
            return self._versioned(request, response)
        return response

    def _versioned(self, request: Request, response: Response) -> HttpResponseBase:
        response.headers["ETag"] = etag_of(response.data)
        if is_known(request, response.headers["ETag"]):
            response.data, response.status_code = None, 304
        return response

    def _end_begun(self, response: HttpResponseBase) -> None:
        """What may go better the next time, and what was streamed, is not kept."""
        if self._begun is None:
            return
        if (
            isinstance(response, Response)
            and response.status_code < 500
            and response.status_code not in (409, 429)
        ):
            request_end(self._begun, response.status_code, response.data)
        else:
            request_forget(self._begun)
        self._begun = None

    def _forget_begun(self) -> None:
        if self._begun is not None:
            request_forget(self._begun)

    # What handlers are written with

    def read(self, serializer: type[Serializer[Any]]) -> dict[str, Any]:
        """The body, checked."""
        asked = serializer(data=self.request.data)
        asked.is_valid(raise_exception=True)
        return dict(asked.validated_data)

    def asked(self, serializer: type[Serializer[Any]]) -> dict[str, Any]:
        """The query, checked."""
        asked = serializer(data=self.request.query_params)
        asked.is_valid(raise_exception=True)
        return dict(asked.validated_data)

    def page(self, rows: QuerySet[M], show: Callable[[M], Any], *, by: Sequence[str]) -> Response:
        """A page of rows, each shown by `show`, sorted by fields of which the last is unique."""
        found, following = page_of(rows, self.request.query_params, by=by)
        return Response({"items": [show(row) for row in found], "next": following})

    def page_of_rows(
        self, rows: Sequence[T], show: Callable[[list[T]], list[Any]], *, label: str, key: Callable[[T], Key]
    ) -> Response:
        """A page of rows that are no table's, sorted by `key`; `show` is given the rows of the page together."""
        found, following = page_of_rows(rows, self.request.query_params, label=label, key=key)
        return Response({"items": show(found), "next": following})


class UploadView(ApiView):
    """A door that takes files."""

    parser_classes: Any = (MultiPartParser,)
    most_bytes = settings.MAX_UPLOAD_BYTES + _SPARE


def check_permitted(caller: Caller, allowed: Allowed | None) -> None:
    """Raises `NotPermitted` unless the caller may do any of what is enough. A method without an entry is closed."""
    if allowed is None:
        raise NotPermitted(needs="nothing that anybody has")
    if allowed.any_of and not caller.may_any(allowed.any_of):
        raise NotPermitted(needs=" or ".join(allowed.any_of))


def check_parameters(query: Iterable[str], known: Sequence[str]) -> None:
    """Raises `UnknownParameter` for the first that is not among `known`."""
    unknown = next((name for name in query if name not in known), None)
    if unknown is not None:
        detail = f"It takes {', '.join(known)}." if known else "It takes none."
        raise UnknownParameter(parameter=unknown[:80], known=list(known), detail=detail)


def _check_size(request: Request, limit: int) -> None:
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError as error:
        raise Malformed(detail="its Content-Length is no number") from error
    if length > limit:
        raise BodyTooLarge(limit=limit)


def _measure(request: HttpRequest) -> None:
    """A body that came in pieces says no length, and would be taken for none. The server has read all of it by now."""
    if "CONTENT_LENGTH" in request.META or not isinstance(request, ASGIRequest):
        return
    stream: Any = request._stream
    request.META["CONTENT_LENGTH"] = str(stream.seek(0, 2))
    stream.seek(0)


def refusals(error: DomainError) -> dict[str, str]:
    """Headers that go with an error."""
    after = error.extra.get("retry_after")
    return {"Retry-After": str(cast(int, after))} if after is not None else {}
