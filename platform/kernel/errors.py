"""One error shape for the whole product: a code for programs, a message for people, data for both."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar


class DomainError(Exception):
    """Something went wrong that the caller should know about.

    A subclass's docstring is its message to people, and may name fields of `extra` in braces.
    `code` is a stable string of the public interface. `retryable` says whether the same call can
    succeed later without a change. `http_status` is what the REST door answers.
    """

    code: ClassVar[str] = "error"
    retryable: ClassVar[bool] = False
    http_status: ClassVar[int] = 400

    def __init__(self, **extra: Any) -> None:
        self.extra: Mapping[str, Any] = extra
        super().__init__(self.message)

    @property
    def message(self) -> str:
        template = inspect.getdoc(type(self)) or self.code
        return " ".join(template.format_map(_Named(self.extra)).split())

    def as_dict(self) -> dict[str, Any]:
        """The public shape, the same in REST, socket and console."""
        return {
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
            "extra": dict(self.extra),
        }


class _Named(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return f"({key})"


class NotFound(DomainError):
    """There is no such {what} here, or you may not see it."""

    code = "not_found"
    http_status = 404


class Forbidden(DomainError):
    """You may not do this."""

    code = "forbidden"
    http_status = 403


class Invalid(DomainError):
    """{reason}"""

    code = "invalid"
    http_status = 400
