"""Checks what a user claims was said: "you mentioned earlier that …" with nothing of the kind in the session.

A false memory brings nothing into the search; what the message itself asks about stays.
Whether something was said is decided by the session's own words alone.
"""

from __future__ import annotations

import re

from conversations.domain.reading import Reading
from conversations.domain.state import ConversationState
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, key_of

_CLAIM = re.compile(
    r"(?:\b(?:since|as|because|but|and|so|like|remember(?:\s+(?:when|that|how))?|given\s+that)\s+)?\b(?:you|we|the\s+(?:bot|assistant|agent))\s+(?:(?:just|already|previously|earlier|also|have|had|were|was|once|clearly|'ve)\s+){0,2}"
    r"(?:said|mentioned|told\s+me|stated|explained|promised|confirmed|noted|claimed|discussed|talked\s+about|spoke\s+(?:of|about)|agreed|wrote)"
    r"(?:\s+(?:(?:to\s+me\s+)?(?:earlier|before|previously|yesterday|last\s+(?:time|week)|just\s+now|at\s+the\s+start)))?,?(?:\s+(?:that|about|on))?,?\s+(?P<claim>[^.?!;]+?)(?=\s*(?:[.?!;]|,\s*(?:what|how|when|where|who|which|why|is|are|does|do|can|could|so|and|but|please|tell)\b|$))[.;,!]?\s*(?:(?:so|and|but)\s+(?=\w))?",
    re.IGNORECASE,
)
# A question that points back into the claim needs it: then the message's own words stand.
_POINTS_BACK = re.compile(
    r"\b(?:it|its|one|ones|that|this|those|these|they|them|their|he|she|his|her|there)\b", re.IGNORECASE
)
_ASKED = re.compile(
    r"\b(?:what|which|did|have|has|when|where|how|why|everything|things?|whatever|part|one|do)\s*(?:(?:it|that)\s+)?$",
    re.IGNORECASE,
)


def without_false_memory(query: str, reading: Reading, state: ConversationState) -> str | None:
    """The query without a claim that the session does not bear out, or None when there is nothing to take out."""
    match = _CLAIM.search(query)
    if (
        match is None
        or _ASKED.search(query[: match.start()].rstrip())
        or _was_said(match.group("claim"), state)
    ):
        return None
    rest = f"{query[: match.start()]} {query[match.end() :]}".strip(" ,;:-.")
    if not _asks_something(rest, match.group("claim")) or _POINTS_BACK.search(rest):
        return None
    return rest[:1].upper() + rest[1:]


def _was_said(claim: str, state: ConversationState) -> bool:
    words = _content(claim)
    if not words:
        return True
    said = set(key_of(" ".join(f"{e.message} {e.query} {e.answer}" for e in state.exchanges)).split())
    said |= {part for slot in state.slots for part in key_of(slot.name).split()}
    numbers = {word for word in words if word[0].isdigit()}
    return numbers <= said and len(words & said) >= 0.6 * len(words)


def _asks_something(rest: str, claim: str) -> bool:
    """Whether a question of its own remains that does not itself name what was claimed."""
    own = _content(rest)
    return bool(own) and not own & _content(claim)


def _content(text: str) -> set[str]:
    return {key for key in key_of(text).split() if key not in STOP_KEYS and key not in GENERIC_KEYS}
