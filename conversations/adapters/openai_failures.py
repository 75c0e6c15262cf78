"""Says what the openai client's exceptions mean, in the product's own errors.

Each becomes one ModelError, and for the retry loop: whether to try again, after how long at least, and
whether the provider is alive at all. Keys are taken out of the messages of the exceptions that are chained.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx2
import openai

from conversations.adapters.event_stream import BadEvent, ProviderEvent
from conversations.domain.answer.failures import (
    ModelError,
    ModelMalformed,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)

_LONGEST_WAIT = 5.0
_NEVER_CONNECTED = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


@dataclass(frozen=True, slots=True)
class Trouble:
    """`wait` is the provider's own Retry-After in seconds, if any; `alive` that it answered, if only to say no."""

    error: ModelError
    again: bool
    alive: bool
    wait: float = 0.0


def trouble_of(err: Exception, host: str) -> Trouble:
    """What an exception of a call means before the first token."""
    if isinstance(err, openai.APIStatusError):
        return _status(err, host)
    if isinstance(err, TimeoutError):
        return Trouble(ModelTimeout(endpoint=host), again=False, alive=False)
    if isinstance(err, BadEvent):
        return Trouble(ModelMalformed(endpoint=host, reason=str(err)), again=False, alive=False)
    if isinstance(err, ProviderEvent):
        return Trouble(ModelUnavailable(endpoint=host, reason="reported_in_stream"), again=True, alive=False)
    cause = err.__cause__ if isinstance(err, openai.APIConnectionError) else err
    if isinstance(cause, httpx2.TimeoutException) and not isinstance(cause, _NEVER_CONNECTED):
        return Trouble(ModelTimeout(endpoint=host), again=False, alive=False)
    if isinstance(cause, httpx2.DecodingError):
        return Trouble(
            ModelMalformed(endpoint=host, reason="the body cannot be decoded"), again=False, alive=False
        )
    if isinstance(cause, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError):
        return Trouble(ModelRefused(endpoint=host, reason="bad_address_or_key"), again=False, alive=True)
    reason = "not_connected" if isinstance(cause, _NEVER_CONNECTED) else "disconnected"
    return Trouble(ModelUnavailable(endpoint=host, reason=reason), again=True, alive=False)


def scrubbed(err: Exception, secret: str) -> Exception:
    """The same exception, the key taken out of it and of what it came from, since tracebacks end up in logs."""
    link: BaseException | None = err
    while link is not None and len(secret) >= 8:
        link.args = tuple(str(a).replace(secret, "[key]") if secret in str(a) else a for a in link.args)
        if isinstance(link, openai.APIError):
            link.message, link.body = link.message.replace(secret, "[key]"), None
        link = link.__cause__ or link.__context__
    return err


def _status(err: openai.APIStatusError, host: str) -> Trouble:
    status = err.status_code
    wait = _retry_after(err.response.headers)
    if status == 429:
        quota = err.code == "insufficient_quota"
        error = ModelRateLimited(endpoint=host, status=status, retry_after=round(wait, 1))
        return Trouble(error, again=not quota and wait <= _LONGEST_WAIT, alive=True, wait=wait)
    if status in (408, 409) or status >= 500:
        kind = ModelTimeout if status in (408, 504) else ModelUnavailable
        again = wait <= _LONGEST_WAIT
        return Trouble(kind(endpoint=host, status=status), again=again, alive=status == 409, wait=wait)
    return Trouble(ModelRefused(endpoint=host, status=status), again=False, alive=True)


def _retry_after(headers: httpx2.Headers) -> float:
    """Seconds of `retry-after-ms` or `Retry-After` (a number or a date); 0 without."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            return max(0.0, float(value) / scale)
        except ValueError:
            pass
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0
