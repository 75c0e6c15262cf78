"""Calls of the language model as figures: what for, how they ended and how many tokens, never what was said."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import contextmanager

from kernel.errors import DomainError
from kernel.observed import Counted, count


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


def tokens_observed(prompt: int, completion: int) -> None:
    """Tokens that the provider charged, or estimates."""
    count(Counted.MODEL_TOKENS, prompt, direction="prompt")
    count(Counted.MODEL_TOKENS, completion, direction="completion")
