"""What can go wrong with a model, in words a person understands.

Every failure says whether trying again can help, and carries the text that had already arrived.
None of them names a key, and the endpoint is named by its host only.
"""

from __future__ import annotations

from typing import Any, ClassVar

from kernel.errors import DomainError


class ModelError(DomainError):
    """The language model failed."""

    code: ClassVar[str] = "model_failed"
    retryable: ClassVar[bool] = True
    http_status: ClassVar[int] = 502

    def __init__(self, *, text: str = "", **extra: Any) -> None:
        self.text = text
        super().__init__(**extra)


class ModelTimeout(ModelError):
    """The language model did not answer in time."""

    code = "model_timeout"
    http_status = 504


class ModelRateLimited(ModelError):
    """The language model is over its quota or too busy."""

    code = "model_rate_limited"
    http_status = 503


class ModelUnavailable(ModelError):
    """The language model cannot be reached."""

    code = "model_unavailable"
    http_status = 503


class ModelMalformed(ModelError):
    """The language model sent something that cannot be read."""

    code = "model_malformed"


class ModelInterrupted(ModelError):
    """The language model stopped in the middle of its answer."""

    code = "model_interrupted"


class ModelRefused(ModelError):
    """The language model does not accept this platform's requests: its address, model name or key needs attention."""

    code = "model_refused"
    retryable = False
