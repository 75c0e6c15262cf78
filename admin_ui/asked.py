"""What an address asks for, made fit for a query: people and programs put anything into an address."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from uuid import UUID

TEXT_LIMIT = 200
MOST_TYPED = (
    10_000  # of what a form sends to be kept: whoever keeps it says what is too long, and cuts nothing
)
MOST_DIGITS = 9


def text_asked(query: Mapping[str, str], name: str, limit: int = TEXT_LIMIT) -> str:
    """A parameter's text in one line, without control characters (which Postgres refuses), at most `limit` long."""
    kept = "".join(" " if _is_control(character) else character for character in query.get(name, ""))
    return " ".join(kept.split())[:limit]


def choice_asked(query: Mapping[str, str], name: str, choices: Collection[str]) -> str:
    """A parameter that is one of `choices`; empty when it is anything else."""
    value = query.get(name, "")
    return value if value in choices else ""


def uuid_or_none(text: str) -> UUID | None:
    """The id that a text is; None for anything else."""
    try:
        return UUID(text)
    except ValueError:
        return None


def whole(query: Mapping[str, str], name: str) -> int | None:
    """A parameter that is a whole number and not negative; None for anything else."""
    return whole_or_none(query.get(name, ""))


def whole_or_none(text: str) -> int | None:
    """The whole number, not negative, that a text is; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs")
