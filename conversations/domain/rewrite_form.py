"""Judges the form of a rewrite without regard to its names: whether it is a question at all, and this message's own.

An answer, an essay, a list or the question before is no rewrite, however clean its words are.
What leaves the message's reference standing has not resolved it, whatever it puts beside it.
"""

from __future__ import annotations

import re

from conversations.domain.language import Analysis
from conversations.domain.marks import Mark
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange
from conversations.domain.words import GENERIC_KEYS, QUESTION, content_of, key_of

# A question of this many words more than the message is an answer or an essay.
LONGEST_GROWTH = 45
# Letters by which "turn" and "turned" are the same word.
STEM = 4
_ANSWER = re.compile(
    r"^(?:sure|certainly|of course|yes|no|i'm sorry|i am sorry|as an ai|here (?:is|are)|the answer|based on|according to|i (?:can|cannot|can't|don't|do not))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?\s*$|^(?:what|which|who|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|will|would|may|must|should|has|have)\b",
    re.IGNORECASE,
)
_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl"})
_REFERRING = (Mark.PRONOUN, Mark.DEMONSTRATIVE, Mark.ONES, Mark.PLACE)


def malformed(query: str, core: str, longest: int) -> str:
    """Why a text cannot be a rewrite of the message `core`, empty when it can. `longest` is in characters."""
    text = query.strip()
    for wrong, reason in (
        (not text, "empty"),
        ("\n" in text and "\n" not in core, "several lines"),
        (len(text) > max(longest, len(core) + 300), "too long"),
        (len(text.split()) - len(core.split()) > LONGEST_GROWTH, "an answer instead of a question"),
        (bool(_ANSWER.match(text)) and not _ANSWER.match(core), "an answer instead of a question"),
        (text[:1] in "{[`" and core[:1] not in "{[`", "not a plain question"),
    ):
        if wrong:
            return reason
    return ""


def states(query: Analysis, core: str) -> bool:
    """Whether a question was answered with a statement: "The ticket is valid for a day" for "how long is it valid?"."""
    if not _ASKS.search(core) or "?" in query.text or _ASKS.search(query.text):
        return False
    tokens = query.tokens
    for index, root in enumerate(tokens):
        if root.dep != "ROOT":
            continue
        below = [(at, token) for at, token in enumerate(tokens) if token.head == index and at != index]
        finite = root.tag in _FINITE or any(
            t.tag in _FINITE and t.dep in {"aux", "auxpass"} for _, t in below
        )
        subject = next((at for at, token in below if token.dep in _SUBJECTS), len(tokens))
        if finite and subject < index and tokens[subject].lower not in {"i", "we"}:
            return True
    return False


def repeats(query: str, reading: Reading, earlier: tuple[Exchange, ...]) -> bool:
    """Whether a rewrite is an earlier question once more, with nothing in it of what the message says itself."""
    own = reading.keys - GENERIC_KEYS
    if not own or reading.ordinals or reading.has(Mark.COMMENT) or keeps_a_word(query, reading):
        return False
    content = content_of(query)
    asked = (text for exchange in earlier for text in (exchange.message, exchange.query))
    return bool(content) and any(content <= content_of(text) for text in asked)


def keeps_a_word(query: str, reading: Reading) -> bool:
    """Whether a rewrite has any word of content of the message, in whatever form."""
    stems = {key[:STEM] for key in key_of(query).split()}
    return any(key[:STEM] in stems for key in reading.keys)


def only_appends(query: Analysis, reading: Reading) -> bool:
    """Whether a rewrite leaves the message as it stands, references and all, and puts words before or behind it.

    A message without a verb is resolved by being given one.
    """
    said, written = key_of(reading.core).split(), key_of(query.text).split()
    at = next((i for i in range(len(written)) if written[i : i + len(said)] == said), None)
    if not said or at is None:
        return False
    return reading.strong or not _predicates(query, reading)


def leaves_open(query: Analysis, reading: Reading) -> bool:
    """Whether a message that leans on something was passed on with all its words and nothing done about its reference."""
    if not (reading.strong or reading.leaning) or not reading.keys <= set(key_of(query.text).split()):
        return False
    referring = {word.lower() for mark, word in reading.marks if mark in _REFERRING}
    if referring:
        return referring <= {token.lower for token in query.tokens} | {query.text.lower()}
    return not _predicates(query, reading)


def _predicates(query: Analysis, reading: Reading) -> list[str]:
    """The verbs and question words of a rewrite that the message has not."""
    own = {token.lower for token in reading.analysis.tokens}
    return [
        token.lower
        for token in query.tokens
        if (token.pos in {"VERB", "AUX"} or token.lower in QUESTION) and token.lower not in own
    ]
