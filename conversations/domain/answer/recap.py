"""Tells what a conversation was about so far, from its own turns, when that is what somebody asks.

Nothing is looked up: the questions are the person's own, and of each answer the first sentence is repeated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from conversations.domain.answer.units import sentences
from conversations.domain.state import ConversationState, Exchange, Topic

_ASKS = re.compile(
    r"\b(?:summari[sz]e|summary\s+of|recap|sum\s+up|wrap\s+up|go\s+over)\b.{0,40}?\b(?:we(?:'ve|\s+have)?\s+(?:\w+\s+)?"
    r"(?:discussed|talked|said|covered|spoken|went)|(?:this|our|the)\s+(?:conversation|chat|discussion)|so\s+far)\b"
    r"|^\W*(?:and\s+|so\s+)?what\s+(?:did|have|had)\s+(?:we|i)\s+(?:\w+\s+){0,2}?(?:ask(?:ed)?|discuss(?:ed)?|talk(?:ed)?\s+about)"
    r"(?:\s+(?:you|about|first|before|earlier|so\s+far|until\s+now|at\s+the\s+(?:very\s+)?(?:start|beginning)))*\W*$"
    r"|^\W*what\s+was\s+(?:my\s+(?:first|last|previous|\w+)\s+question|the\s+\w+\s+thing\s+i\s+asked(?:\s+you)?)\W*$",
    re.IGNORECASE,
)
_LONGEST = 160


def asks_for_recap(message: str) -> bool:
    """Whether a message asks what this conversation was about, not what some document says."""
    return bool(_ASKS.search(message))


def recap_asked(message: str, state: ConversationState) -> str:
    """What the conversation was about, where a message asks for that; else empty."""
    return recap(state.exchanges, state.topics) if asks_for_recap(message) else ""


def recap(exchanges: Sequence[Exchange], topics: Sequence[Topic] = ()) -> str:
    """Markdown: every question of the exchanges with the gist of its answer, and the topics that lie further back."""
    asked = [exchange for exchange in exchanges if exchange.kind != "small_talk"]
    if not asked:
        return ""
    before = [topic for topic in topics if topic.last_turn < asked[0].turn and topic.terms]
    lines = [f"{place}. {_line(exchange)}" for place, exchange in enumerate(asked, 1)]
    names = dict.fromkeys(term for topic in before for term in topic.terms[:2])
    earlier = f"Before that it was about {', '.join(names)}.\n\n" if names else ""
    return f"{earlier}This is what you asked in this conversation:\n\n" + "\n".join(lines)


def _line(exchange: Exchange) -> str:
    said = next(iter(sentences(" ".join(exchange.answer.split()))), "")
    question = _cut(" ".join(exchange.message.split()))
    return f"{question} – {_cut(said)}" if said else f"{question} – I found no answer."


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"
