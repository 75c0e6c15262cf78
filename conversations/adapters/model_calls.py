"""Calls of the language model as figures: what for, how they ended and how many tokens, never what was said."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from kernel.errors import DomainError
from kernel.observed import Counted, count


class Used(Protocol):
    """Tokens that the provider charged, or estimates."""

    @property
    def prompt_tokens(self) -> int: ...

    @property
    def completion_tokens(self) -> int: ...


@contextmanager
def call_observed(purpose: str) -> Iterator[None]:
    """Counts the call inside. Outcomes are `ok`, `stopped` when nobody wanted more of it, the error's code, `broken`."""
    outcome = "broken"
    try:
        yield
        outcome = "ok"
    except DomainError as error:
        outcome = error.code
        raise
    except (CancelledError, GeneratorExit):
        outcome = "stopped"
        raise
    finally:
        count(Counted.MODEL_CALLS, purpose=purpose, outcome=outcome)


def tokens_observed(used: Used) -> None:
    count(Counted.MODEL_TOKENS, used.prompt_tokens, direction="prompt")
    count(Counted.MODEL_TOKENS, used.completion_tokens, direction="completion")
