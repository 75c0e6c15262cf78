"""Understands a question that compares what was named before: "which is better?", "what's the difference?", "are both free?".

All sides are meant, though one of them was put in the place of another, so that none of them gives way.
It is shown with its sides named, as a person would ask it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from conversations.domain.aspects import ATTRIBUTES
from conversations.domain.reading import Reading
from conversations.domain.sides import Comparison, asked_in_turn, joined_in, sides_of, things_of
from conversations.domain.state import Exchange, Term
from conversations.domain.vocabulary import words
from conversations.domain.words import GENERIC_KEYS, content_of, key_of

# So many exchanges back a pair may lie behind the question that compares it, other comparisons not counted.
REMEMBERED = 3
# Words of mere degree, which say nothing of what is compared.
DEGREES = words(
    """
    low lower lowest high higher highest long longer longest short shorter shortest big bigger biggest small smaller smallest
    large larger largest great greater greatest less least few fewer best better worst worse early earlier earliest late
    later latest wide wider widest compare compared comparison differ different difference same both either neither
    """
)
# In a message of more words "both" means two things of its own.
LONGEST = 14
_LEAD = r"^(?:(?:and|but|or|so|ok(?:ay)?|now|then|well|hm+|thanks|great|right|sure|yes|no)[\s,.!:–—-]+)*"
_THEM = r"(?:all\s+(?:of\s+them|three|four)|them|these|those|they|both|all|the\s+(?:two|three)|each)"
_MODAL = r"(?:should|would|do|does|can|could|will|shall|did|may|must)"
_DEGREE = r"(?:(?:much|far|a\s+lot|even|actually|really|usually|overall|generally|the)\s+)*?"
_WHICH = re.compile(
    rf"{_LEAD}which(?:\s*[?.!]*$|\s+(?:then|though|now)\s*[?.!]*$|\s+ones?\b|\s+of\s+(?:{_THEM}|my|our)\b|\s+{_MODAL}\s+(?:i|we|you|one)\b|\s+(?:has|have|had|gives?|offers?|comes?|gets?|takes?|lasts?|costs?|includes?|needs?|works?|suits?|holds?)\b"
    rf"|\s+(?:is|are|was|were|would\s+be|will\s+be)\s+(?!(?:the|an?|my|our|your|its?|this|that|these|those|there|they|he|she|you)\b)\w"
    rf"|\s+(?:is|are|was|were|would\s+be|will\s+be)\s+the\s+(?:best|worst|(?:most|least)\s+\w+|\w{{3,}}est|right|better|\w{{3,}}er)\b(?:\s+(?:one|option|choice|value|deal|for|in|at|to|with|on|if|of|when|overall|and|by|than|per)\b|\s*[?.!,]|\s*$))",
    re.IGNORECASE,
)
# "What's cheaper?", "so who gets more?": where the word behind it is a comparative.
_WHAT = re.compile(
    rf"{_LEAD}(?:what|who)(?:['’]?s|\s+(?:is|are|was|would\s+be|gets?|has|lasts?|costs?|takes?|pays?|works?|comes?|goes))\s+{_DEGREE}(?P<degree>\w+)(?:\s+(?:for|in|at|to|with|on|if|when|overall|then|though)\b.*)?\s*[?.!]*$",
    re.IGNORECASE,
)
_DEGREE_ALONE = re.compile(rf"{_LEAD}{_DEGREE}(?P<degree>\w+)\s*\?+$", re.IGNORECASE)
_DIFFERENCE = re.compile(
    rf"{_LEAD}(?:(?:what(?:['’]?s|\s+is|\s+are|\s+were)?|why(?:['’]?s|\s+is)?(?:\s+there)?|how\s+come(?:\s+there\s+is)?|is\s+there|are\s+there|tell\s+me|explain|show\s+me|any)\s+)?(?:(?:a|an|any|the|some|much\s+of\s+a|really\s+a)\s+)?(?:\w+\s+)?differences?\b(?P<rest>.*)$"
    rf"|{_LEAD}(?:how|where|why|in\s+what\s+way)\s+(?:do|are|would|is)\s+{_THEM}\s+(?:\w+\s+)?(?:differ|different|compare|alike|similar)\b"
    rf"|{_LEAD}how\s+(?:does|do)\s+(?:that|it|they)\s+compare\s*[?.!]*$"
    rf"|{_LEAD}what(?:['’]?s|\s+is)\s+different\s*[?.!]*$|{_LEAD}(?:are|is|do|does)\s+{_THEM}\s+(?:\w+\s+)?(?:the\s+same|identical|equal|alike|different)\b"
    rf"|{_LEAD}(?:(?:can|could|would)\s+you\s+)?(?:please\s+)?(?:compare|contrast|a?\s*comparison\s+of)\s+{_THEM}\b|^(?:pros\s+and\s+cons|advantages\s+and\s+disadvantages)\s+of\s+{_THEM}\b|^compare\s*[.!?]*$",
    re.IGNORECASE | re.DOTALL,
)
_OF_THEM = re.compile(rf"^\s*(?:between|of|among(?:st)?|with)\s+{_THEM}\b", re.IGNORECASE)
_OF_OTHERS = re.compile(r"^\s*(?:between|from|to|with|of)\s+\w", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:both(?!\s+of\s+(?:my|our|your)\b)|either(?!\s*[?.!]*$)|neither|the\s+two|each\s+of\s+(?:them|these|those|the\s+two)|all\s+(?:three|of\s+them))\b",
    re.I,
)
_TWO = re.compile(r"\b(?:both|either|neither|the\s+two)\b", re.IGNORECASE)
_CHOICES_OF_ITS_OWN = re.compile(r"\b(?:or|versus|vs\.?|than)\b", re.IGNORECASE)


def compares(reading: Reading) -> bool:
    """Whether the message sets things side by side that it does not name itself."""
    text = reading.core[:400].strip()
    return (_compares(text) or _asks_what(text, reading)) and not _names_sides(reading)


def _asks_what(text: str, reading: Reading) -> bool:
    """ "What's cheaper?", "who gets more?"."""
    match = _WHAT.match(text) or _DEGREE_ALONE.match(text)
    degree = match["degree"].lower() if match else ""
    return any(t.lower == degree and t.tag in {"JJR", "RBR"} for t in reading.analysis.tokens)


def _compares(text: str) -> bool:
    found = _DIFFERENCE.search(text)
    if found is not None:
        rest = found.group("rest") or ""
        return not _OF_OTHERS.match(rest) or bool(_OF_THEM.match(rest))
    return bool(_WHICH.search(text) or (len(text.split()) <= LONGEST and _ALL.search(text)))


def _names_sides(reading: Reading) -> bool:
    """ "Which is better, Vienna or Prague?", "can I combine both, a voucher and a coupon?"."""
    if reading.cue.named or reading.ordinals:
        return True
    joined = [t for t in reading.analysis.tokens if t.dep == "conj" and t.pos in {"NOUN", "PROPN"}]
    chosen = _CHOICES_OF_ITS_OWN.search(reading.core)
    return bool(joined) or (chosen is not None and any(t.name for t in reading.terms))


def comparison(reading: Reading, exchanges: Sequence[Exchange]) -> Comparison | None:
    """What the message compares. `exchanges` are those it may refer to in reading order; None where nothing was paired."""
    if not exchanges or not compares(reading):
        return None
    walked = [
        e
        for e in exchanges
        if e.kind != "small_talk" and (not _compares(e.message) or joined_in(e) is not None)
    ]
    for at in range(len(walked) - 1, max(len(walked) - 1 - REMEMBERED, -1), -1):
        exchange = walked[at]
        found = sides_of(exchange) or joined_in(exchange) or asked_in_turn(walked[: at + 1])
        if found is not None:
            return _last_two(reading, found) if _fits(reading, found.sides) else None
        if len(exchange.items) > 1 or things_of(exchange, exchange.terms):
            return None
    return None


def _last_two(reading: Reading, found: Comparison) -> Comparison:
    """ "Both" and "the two" after three are the two that were named last."""
    return replace(found, sides=found.sides[-2:]) if _TWO.search(reading.core) else found


def _fits(reading: Reading, sides: tuple[Term, ...]) -> bool:
    """ "Which plan is cheaper?" is asked of plans: what the message calls its choices by must be what they are."""
    asked = re.match(
        rf"{_LEAD}(?:which|both|either|neither)\s+(?:of\s+the\s+)?(?P<kind>[\w'’-]+)", reading.core, re.I
    )
    kind = key_of(asked.group("kind")) if asked else ""
    if (
        kind not in {key_of(t.text) for t in reading.analysis.tokens if t.pos == "NOUN"}
        or kind in GENERIC_KEYS
    ):
        return True
    return any(kind in side.key.split() or kind in key_of(side.text).split() for side in sides)


def shared_by(reading: Reading, found: Comparison) -> tuple[Term, ...]:
    """What was asked of every side and still is: "which is heavier?" no longer asks for the size, "which is lower?" does."""
    if not content_of(reading.core) - DEGREES:
        return found.shared
    return tuple(term for term in found.shared if term.key.split()[-1] not in ATTRIBUTES)


def shown_sides(core: str, found: Comparison, shared: Sequence[Term]) -> str:
    """ "What's the difference between Norway and Ireland? (delivery)": the comparison as people see it."""
    text, sign = core.rstrip(" ?.!"), "?" if core.rstrip().endswith("?") else ""
    names = [side.text for side in found.sides]
    listed = f"{', '.join(names[:-1])} {{}} {names[-1]}"
    about = f" ({', '.join(term.text for term in shared)})" if shared else ""
    if re.search(r"\bdifferences?$", text, re.IGNORECASE):
        return f"{text} between {listed.format('and')}{sign}{about}"
    if re.match(rf"{_LEAD}which\b", text, re.IGNORECASE):
        return f"{text}: {listed.format('or')}{sign}{about}"
    them = re.search(rf"\b(?:between|compare|of|do|are)\s+({_THEM})\b", text, re.IGNORECASE)
    if them:
        return f"{text[: them.start(1)]}{listed.format('and')}{text[them.end(1) :]}{sign}{about}"
    return f"{core} ({', '.join([*names, *(term.text for term in shared)])})"
