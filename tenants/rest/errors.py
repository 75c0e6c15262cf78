"""What can be wrong with a request as such, whatever it asks for."""

from __future__ import annotations

from kernel.errors import DomainError


class Unauthenticated(DomainError):
    """Say who you are: send an API key as `Authorization: Bearer …`, or sign in."""

    code = "unauthenticated"
    http_status = 401


class NotPermitted(DomainError):
    """Your role, or the scope of your key, does not include this. It needs: {needs}."""

    code = "not_permitted"
    http_status = 403


class CrossSite(DomainError):
    """The request lacks the token that pages of this workspace send along (X-CSRFToken): {detail}"""

    code = "cross_site"
    http_status = 403


class Malformed(DomainError):
    """The request cannot be read: {detail}"""

    code = "malformed"


class BadFields(DomainError):
    """Some fields are not right. {detail}"""

    code = "invalid"


class UnknownParameter(DomainError):
    """There is no query parameter {parameter} here. {detail}"""

    code = "unknown_parameter"


class MethodNotAllowed(DomainError):
    """This address does not know the method {method}."""

    code = "method_not_allowed"
    http_status = 405


class UnsupportedMediaType(DomainError):
    """This address does not read {media_type}. Send {expected}."""

    code = "unsupported_media_type"
    http_status = 415


class BodyTooLarge(DomainError):
    """The request is too large: at most {limit} bytes are read here."""

    code = "body_too_large"
    http_status = 413


class ChangedMeanwhile(DomainError):
    """It was changed after you read it. Read it again, then change it under its new ETag ({etag})."""

    code = "changed_meanwhile"
    http_status = 412


class IdempotencyKeyInvalid(DomainError):
    """An Idempotency-Key has 1 to {limit} printable characters."""

    code = "idempotency_key_invalid"


class IdempotencyKeyReused(DomainError):
    """Another request was made under this Idempotency-Key. Use a new key for a new request."""

    code = "idempotency_key_reused"
    http_status = 422


class IdempotentRequestRunning(DomainError):
    """The first request under this Idempotency-Key is still being done. Ask again in a moment."""

    code = "idempotent_request_running"
    retryable = True
    http_status = 409


class CursorInvalid(DomainError):
    """This cursor is not of this list, narrowed as it is now. Begin without one."""

    code = "cursor_invalid"
