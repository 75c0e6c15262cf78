"""What an address asks for, made fit for a query: people and programs put anything into an address."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping

TEXT_LIMIT = 200


def text_asked(query: Mapping[str, str], name: str) -> str:
    """A parameter's text in one line, without control characters (which Postgres refuses), at most 200 long."""
    kept = "".join(" " if _is_control(character) else character for character in query.get(name, ""))
    return " ".join(kept.split())[:TEXT_LIMIT]


def choice_asked(query: Mapping[str, str], name: str, choices: Collection[str]) -> str:
    """A parameter that is one of `choices`; empty when it is anything else."""
    value = query.get(name, "")
    return value if value in choices else ""


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs")
