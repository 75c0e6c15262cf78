"""Canaries: words that mean nothing and stand in one place only. Where one turns up elsewhere, something has leaked.

A canary is random, so nobody says it by chance, and has a shape of its own, so any text can be scanned for canaries
without knowing whose they are: whether one belongs is then asked of the tenant's own list.
"""

from __future__ import annotations

import re
from base64 import b32encode
from collections.abc import Iterable
from secrets import token_bytes

BEGINNING = "cnry"
SHAPE = f"{BEGINNING}[a-z2-7]{{20}}"  # as the database may look for it too
CANARY = re.compile(rf"\b{SHAPE}\b")


def canary_new() -> str:
    """A canary of 100 random bits, one word for every tokenizer: lower-case letters and digits."""
    return BEGINNING + b32encode(token_bytes(13)).decode().lower().rstrip("=")[:20]


def canaries_in(texts: Iterable[str]) -> frozenset[str]:
    """The canaries that stand anywhere in these texts, in any case."""
    lowered = (text.lower() for text in texts)
    return frozenset(found for text in lowered if BEGINNING in text for found in CANARY.findall(text))
