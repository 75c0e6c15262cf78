"""Calls of the language model as figures: what for, how they ended and how many tokens, never what was said."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import contextmanager

from kernel.errors import DomainError
from kernel.observed import Counted, count
from kernel.traced import Kind, Span, span


@contextmanager
def call_observed(purpose: str, model: str = "", host: str = "") -> Iterator[Span]:
    """Counts the call inside. Outcomes are `ok`, `stopped` when nobody wanted more of it, the error's code, `broken`.

    Gives its span, named as OpenTelemetry's conventions for generative AI have it.
    """
    outcome = "broken"
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": model,
        "server.address": host,
        "antecedent.purpose": purpose,
    }
    try:
        with span(f"chat {model}", Kind.CALLED, attributes) as called:
            yield called
        outcome = "ok"
    except DomainError as error:
        outcome = error.code
        raise
    except (CancelledError, GeneratorExit):
        outcome = "stopped"
        raise
    finally:
        count(Counted.MODEL_CALLS, purpose=purpose, outcome=outcome)


def tokens_observed(prompt: int, completion: int, called: Span) -> None:
    """Tokens that the provider charged, or estimates, for one call."""
    called.note({"gen_ai.usage.input_tokens": prompt, "gen_ai.usage.output_tokens": completion})
    count(Counted.MODEL_TOKENS, prompt, direction="prompt")
    count(Counted.MODEL_TOKENS, completion, direction="completion")
