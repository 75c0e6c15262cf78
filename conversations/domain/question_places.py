"""Recognises a message that points at one of the person's own questions by its place: "my second question", "question 2 again".

The pointing words are split from what is asked now, or are the whole message, which then asks that question once more.
Nothing here knows the conversation; `asked_before` says which turn is meant.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from conversations.domain.vocabulary import words
from conversations.domain.words import NUMBERS, ORDINALS

PREVIOUS, BEFORE_LAST = -1, -2


@dataclass(frozen=True, slots=True)
class Place:
    """Which of the person's questions is meant: 1 for the first, -1 for the latest, -2 for the one before that.

    `topic`: what was spoken of then, with all that was asked of it. `bare`: the message asks nothing else.
    `of_that`: "the one before that", "the second one", which mean questions only after another one was pointed at.
    `announces`: the wording may as well announce a new question, as in "my second question: …".
    """

    number: int
    topic: bool = False
    bare: bool = False
    announces: bool = False
    of_that: bool = False

    @property
    def only(self) -> bool:
        """Whether the message can mean nothing else than an earlier question."""
        return self.bare and not self.of_that


_EARLY = {
    "initial": 1,
    "original": 1,
    "opening": 1,
    "previous": PREVIOUS,
    "prior": PREVIOUS,
    "latest": PREVIOUS,
}
_PLACES = {**ORDINALS, **_EARLY}
_NTH = "|".join(word for word in _PLACES if word not in {"latter", "former"})
_COUNTED = "|".join(NUMBERS)
_I_ASKED = (
    r"(?:that\s+)?(?:i|we)(?:\s+(?:had|have|just)|['’]ve)?\s+(?:asked|wanted\s+to\s+know|inquired|brought\s+up|raised|wondered|discussed|talked\s+about|spoke\s+about)"
    r"(?:\s+(?:you|about|for))*"
)
_POINTS = re.compile(
    rf"(?<![\w'’-])(?:"
    rf"(?:my|our)\s+(?:very\s+)?(?P<a>{_NTH})\s+(?P<noun_a>question|query|inquiry|topic|subject|point|issue|thing|concern)(?:\s+{_I_ASKED})?"
    rf"|(?P<the>the\s+|that\s+)?(?:very\s+)?(?P<b>{_NTH})\s+(?P<noun_b>question|topic|subject)(?:\s+{_I_ASKED})?"
    rf"|(?:the)\s+(?:very\s+)?(?P<c>{_NTH})\s+(?:thing|one|item|point|issue|matter|query|request)\s+{_I_ASKED}"
    rf"|(?:what|the\s+(?:thing|one|question|topic|subject|bit|part))\s+{_I_ASKED}\s+(?:at\s+)?(?P<d>{_NTH})"
    rf"|(?:as|what|the\s+(?:thing|one|question|topic|subject|bit|part))\s+{_I_ASKED}\s+(?:at|in)\s+the\s+(?:very\s+)?(?P<start>beginning|start|outset)"
    rf"|(?:my\s+)?(?P<noun_e>question|topic)\s+(?:(?:number|no\.?|nr\.?)\s+|\#\s?)?(?P<e>[1-9]\d?|{_COUNTED})"
    rf"|(?P<two>(?:the|my)\s+(?:question\s+(?:right\s+)?before\s+(?:that|last|the\s+last(?:\s+(?:one|question))?|the\s+previous(?:\s+one)?)"
    rf"|(?:last\s+question\s+but\s+one|(?:second|next)[\s-]+to[\s-]+last\s+question|penultimate\s+question)))"
    rf"|(?P<one>(?:the|my)\s+question\s+(?:right\s+)?before(?:\s+this(?:\s+one)?)?(?=\s*(?:$|[,;:.!?])))"
    rf")(?![\w'’])(?!\s+(?:of|in|on|at|to|for|with|is|are|was|were|who|which|whether)\b(?!\s+(?:mine|ours|this\s+(?:chat|conversation)|my\s+list)\b))",
    re.IGNORECASE,
)
# "The one before that", "and the second?": a question only after another one was pointed at.
_ONE_OF_THEM = re.compile(
    rf"^(?:(?:and|ok(?:ay)?|no|so|now|then)[\s,]+)*(?:what\s+about\s+)?(?:the|my)\s+(?:one\s+(?:right\s+)?before(?:\s+(?:that|it))?|(?P<nth>{_NTH})(?:\s+one)?)\W*$",
    re.IGNORECASE,
)
_AFTERWARDS = r"(?:\s+(?:again|once\s+more|please|now|then|of\s+mine|from\s+(?:before|earlier)|above|in\s+this\s+(?:chat|conversation)))*"
_ENDS = re.compile(
    rf"^{_AFTERWARDS}\s*(?:[,;:.!?…]+(?=\s|$)|\s[-–—]+(?=\s)|[–—]|\.{{2,}})\s*(?:and\s+|but\s+)?",
    re.IGNORECASE,
)
_RUNS_ON = re.compile(
    rf"^{_AFTERWARDS}\s+(?=(?:what|which|who|when|where|why|how|is|are|do|does|did|can|could|will|would|should|may|has|have)\b)",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\b(?:back|again|return\w*|revisit\w*|once\s+more|repeat\w*)\b", re.IGNORECASE)
_CONCERNS = re.compile(
    r"\b(?:about|regarding|concerning|re|on|for|to|with\s+regard|with\s+respect)\W*$", re.IGNORECASE
)
# "What was my first question?" wants to be told it, and "one last question" announces another.
_NOT_AN_EARLIER_ONE = re.compile(
    r"\bwhat(?:['’]s|\s+(?:was|were|is|are))\W*$|\b(?:a|an|one|another|this)\W*$", re.IGNORECASE
)
_ASKS = re.compile(
    r"(?!(?:can|could|would|will)\s+you\b)(?:what|which|who|when|where|why|how|is|are|do|does|did|can|could|will|would|should|may|has|have)\b",
    re.IGNORECASE,
)
# Words about asking and answering that a message which only points may hold beside the words about talking.
_ABOUT_ASKING = words(
    """
    repeat answer answers answered reply response respond unanswered open still again please how no not didn't
    haven't hasn't isn't wasn't didnt havent yet never ever redo once more time told meant retry show redisplay reask about address addressed
    """
)
LONGEST_LEAD = 8
LONGEST_POINTER = 14
FEWEST_WORDS = 2
# Characters behind the place in which "again" still belongs to it.
_NEAR = 12


def place_in(text: str, about_talking: Set[str]) -> tuple[Place, int] | None:
    """The place that a message points at and where what it asks beside it begins, the text's length when nothing.

    `about_talking` are the words that say nothing of any subject. None where no question is pointed at.
    """
    one = _ONE_OF_THEM.match(text)
    if one:
        number = _number(one.group("nth")) if one.group("nth") else BEFORE_LAST
        return Place(number, bare=True, of_that=True), len(text)
    match = _POINTS.search(text[:400])
    if match is None:
        return None
    known, lead = about_talking | _ABOUT_ASKING, text[: match.start()]
    if not _all_known(lead, known, LONGEST_LEAD) or _NOT_AN_EARLIER_ONE.search(lead):
        return None
    place = _place(match, text)
    end = _end(text, match, place)
    if end is None:
        whole = _all_known(f"{lead} {text[match.end() :]}", known, LONGEST_POINTER)
        return (Place(place.number, place.topic, bare=True), len(text)) if whole else None
    if _all_known(text[end:], known, LONGEST_POINTER) and not _ASKS.match(text[end:]):
        return Place(place.number, place.topic, bare=True), len(text)
    return (place, end) if len(text[end:].split()) >= FEWEST_WORDS else None


def _place(match: re.Match[str], text: str) -> Place:
    said = next((match.group(name) for name in "abcde" if match.group(name)), "")
    said = "first" if match.group("start") else said
    number = BEFORE_LAST if match.group("two") else PREVIOUS if match.group("one") else _number(said)
    noun = next((match.group(name) for name in ("noun_a", "noun_b", "noun_e") if match.group(name)), "")
    told = any(match.group(name) for name in ("c", "d", "the", "start"))
    topic = bool(match.group("d") or match.group("start")) or noun.lower() in {"topic", "subject"}
    gone_back = _AGAIN.search(text[: match.end() + _NEAR]) or _CONCERNS.search(text[: match.start()])
    return Place(number, topic, announces=not (told or gone_back))


def _number(said: str) -> int:
    word = said.lower()
    number = _PLACES.get(word) or NUMBERS.get(word) or (int(word) if word.isdigit() else 0)
    return number or PREVIOUS


def _end(text: str, match: re.Match[str], place: Place) -> int | None:
    """Where what is asked now begins; None where nothing of the kind follows.

    A question that was just asked is gone back to by its subject, which others than its turn may share.
    """
    rest = text[match.end() :]
    ends = _ENDS.match(rest) or (_RUNS_ON.match(rest) if text[: match.start()].strip() else None)
    if ends is None or (place.number < 0 and _AGAIN.search(text[: match.start()])):
        return None
    return match.end() + ends.end()


def _all_known(text: str, known: Set[str], longest: int) -> bool:
    said = re.findall(r"[\w'’-]+", text.lower().replace("’", "'"))
    return len(said) <= longest and all(word in known for word in said)
