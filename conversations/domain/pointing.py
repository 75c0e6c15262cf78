"""Whether a wording says by itself which exchange it means: "my first question", "what we started with".

What is said that plainly outweighs any likeness of meaning.
"""

from __future__ import annotations

import re

from conversations.domain.reading import Reading
from conversations.domain.state import Exchange

FIRST = re.compile(
    r"\b(?:(?:my|our|your|the|that)\s+(?:very\s+)?(?:first|initial|original|opening)\s+"
    r"(?:question|topic|point|thing|subject|issue|query|problem|matter|one)"
    r"|(?:i|we)(?:'d|\s+had)?\s+(?:first\s+)?(?:started|began|begun|opened)\s+(?:out\s+|off\s+)?(?:with|from|on|by)"
    r"|(?:i|we)\s+(?:\w+\s+)?(?:asked|talked|spoke|discussed|said|wanted)\s+(?:\w+\s+){0,2}(?:first|at\s+first)\b"
    r"|(?:at|from|in)\s+the\s+(?:very\s+)?(?:start|beginning|outset)\b(?!\s+of\s+(?!this|our)))",
    re.IGNORECASE,
)


def points_at_first(reading: Reading) -> bool:
    """Whether the message speaks of what the conversation began with."""
    return bool(FIRST.search(reading.text))


def began_with(reading: Reading, exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    """The exchanges of what the conversation began with, when the message speaks of that; else none."""
    if not exchanges or not points_at_first(reading):
        return ()
    return tuple(exchange for exchange in exchanges if exchange.thread == exchanges[0].thread)
