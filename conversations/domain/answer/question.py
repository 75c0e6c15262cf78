"""What a question asks for, read off its wording: an amount, a moment, a person, a list, two things side by side.

A sentence with an amount answers "how much" better than one without, and "compare A and B" is answered only
when both are. This reading never decides alone: it tips the balance between sentences that share the question's
words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from conversations.domain.answer.terms import content, stem, stems, words


class Wanted(StrEnum):
    """The kind of value that an answer must hold."""

    MONEY = "money"
    TIME = "time"
    NUMBER = "number"
    PERSON = "person"
    ANY = "any"


_ASKS = (
    (Wanted.PERSON, re.compile(r"^\W*(and |so )?who(m|se)?\b|\bwer\b|\bqui est\b|\bquién", re.I)),
    (
        Wanted.MONEY,
        re.compile(
            r"\bhow (much|expensive) (is|are|was|does|do|did|would|will|for|to|must|should|money)\b|\bhow much\W*$|"
            r"\b(price[sd]?|pricing|costs?|fees?|charges?|surcharge|wie teuer)\b|いくら",
            re.I,
        ),
    ),
    (
        Wanted.TIME,
        re.compile(
            r"\bhow (long|soon|fast|quick(ly)?|often|late|early|old)\b|^\W*((and|so|but|since|until|by|from) )?when\b|\bwhen\W*$|"
            r"\bwhat time\b|\bdeadline\b|\bopening hours\b|\b(which|what) (day|date|month|year|warranty|guarantee)\b|\b(period|duration)\b|\bwann\b|\bwie (lange|oft|schnell)\b|\bquand\b|\bcuándo\b|いつ|何[日時年]|متى",
            re.I,
        ),
    ),
    (
        Wanted.NUMBER,
        re.compile(
            r"\bhow (many|much|big|large|far|high)\b|\bper ?cent(age)?\b|\b(limit|maximum|minimum|quota|amount|number of)s?\b|"
            r"\bwie (viel|viele|hoch)\b|\bcombien\b|\bcuánt[oa]s?\b|كم",
            re.I,
        ),
    ),
)
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
CALENDAR = frozenset(map(stem, f"{_MONTHS} {_DAYS} christmas easter english".split()))
_NUMBER = re.compile(
    r"\d|[€$£¥%]|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty|sixty|ninety|hundred|"
    r"half|never|always|free|unlimited|none)\b",
    re.I,
)
_HOLDS = {
    Wanted.MONEY: re.compile(
        r"[€$£¥]\s?\d|\d\s?(€|%|euros?\b|pounds?\b|dollars?\b|francs?\b|cents?\b|p\b)|\b(EUR|CHF|NOK|SEK|DKK|PLN|USD|GBP)\s?\d|"
        r"\b(free|nothing|no (charge|fee|cost))\b",
        re.I,
    ),
    Wanted.TIME: re.compile(
        r"\b(\d+|an?|one|two|three|four|five|six|seven|eight|ten|half)[\s-]+(business |working |calendar )?"
        r"(second|minute|min|hour|h|day|night|week|month|year|ms|Tage?|Stunden?|Wochen?)s?\b|\d{1,2}:\d\d|\b(19|20)\d\d\b|\d\s?(日|時|年|分)|"
        rf"\b({'|'.join(_MONTHS.split() + _DAYS.split())})s?\b|"
        r"\b(daily|weekly|monthly|yearly|annually|hourly|immediately|at once|same day|next (working )?day|never|always|noon|midnight|while you wait)\b",
        re.I,
    ),
    Wanted.NUMBER: _NUMBER,
    Wanted.PERSON: re.compile(
        r"\b[A-ZÀ-Þ][\w'’-]+ (?:[a-z]{2,3} )?[A-ZÀ-Þ][\w'’-]+|(?<=[a-z,:] )[A-ZÀ-Þ][a-zà-ÿ]+"
    ),
}
# Words for the kind of value itself: an amount says "price" without the word.
_SAYS = {
    Wanted.MONEY: stems("price prices pricing cost costs fee fees charge charges pay paid expensive"),
    Wanted.TIME: stems(
        "period duration deadline time date day days hours fast soon quick often late early old"
    ),
    Wanted.PERSON: stems(
        "manage manages manager managed run runs lead leads led leader head heads boss director responsible charge"
    ),
}
# Words that ask and say nothing of what is asked about.
_ASKING = stems(
    "offer offers have exist exists available provide support choose choices list name names enumerate different various "
    "compare comparison difference differences differ versus vs possible"
)
# "Do you sell shoes?", "Is there a café?": whether there is such a thing.
_EXISTS = re.compile(
    r"^\W*(?:(?:and|so|but|also)\s+)?(?:(?:do|can|could|would|will)\s+(?:you|they|we)\s+(?:(?:still|also|even|ever|currently)\s+)?(?P<verb>sell|stock|carry|have|offer|make|provide|supply|do)"
    r"|(?:is|are)\s+there|(?:have|has)\s+(?:you|they)\s+got)\s+(?P<thing>(?:(?!\b(?:in|for|on|at|to|from|with|of|if|when|that|who)\b)[\w'’-]+\s*){1,4})\W*$",
    re.I,
)
# A number with the side on which it bounds: "above 15 %" is not "up to 15 %".
_BOUND = re.compile(
    r"\b(?:(?P<up>above|over|more than|exceed\w*|beyond|longer than|older than|at least|from)|"
    r"(?P<down>below|under|less than|fewer than|up to|at most|no more than|within))\s+[€$£¥]?(?P<number>\d[\d.,]*)",
    re.I,
)
_CLOSED = re.compile(
    r"^\W*(is|are|was|does|do|did|can|could|will|would|may|must|should|has|have)\b|"
    r"\b(and|,) (is|are|does|do|can) \w+[^,]*\?\W*$",
    re.I,
)
_YES_OR_NO = re.compile(r"^\W*(is|are|was|does|do|did|can|could|will|would|may|must|should|has|have)\b", re.I)
_NEGATED = re.compile(
    r"\b(not|no|never|neither|nor|none|nothing|except(ed|ion|ions)?|exclud\w+|only|cannot|\w+n['’]t|without)\b",
    re.I,
)
_LIST = re.compile(
    r"^\W*(?:please |can you |could you )?(?:(?:in |at |on |to |for )?(?:which|what)|list|name|enumerate|show( me)?|give( me)?|tell( me)?)"
    r"(?: (?:are|is|of|all|the|your|our|their|my|different|various|available|possible|kinds?|types?|sorts?|levels? of))*"
    r"(?P<phrase>(?: (?!do\b|does\b|is\b|are\b|can\b|has\b|have\b|of\b|in\b|about\b|if\b)[\w-]+){1,4})",
    re.I,
)
_PLURAL = re.compile(r"\w{2,}(?<![suia])s$", re.I)
_KINDS_OF = re.compile(r"\b(kind|type|sort|level)s of ((?!the\b)[\w-]+)", re.I)
_DOES = frozenset(
    "happens means counts applies includes needs costs makes comes gets works has does goes takes is was".split()
)
_WHAT_IS = re.compile(r"^\W*(what|which)( \w+)? (is|are|was|can|may|must) (not|never|always|also)\b", re.I)
_JOINS = re.compile(
    r"\s(?:and|or|versus|vs\.?|against|than|compared (?:to|with)|differs? from|different from|und|oder|et|ou|y|o)\s",
    re.I,
)
_TIME_LEFT = re.compile(
    r"\bhow (long|much time|many \w+) (do|have|will) (i|we|you|they|customers|people) (have|got|get)\b", re.I
)
_LEFT = re.compile(r"\b(you|we|customers?|members?|they|everyone|people) (then )?(have|has)\b", re.I)
_WHO_IS = re.compile(r"^\W*(?i:who(?:'s|’s| is| was| are)) [A-ZÀ-Þ]")
_ATTRIBUTE = re.compile(
    r"^\W*(?:what|which)(?:['’]s| is| are| was| were)? (?:the |your |our |their )?(?:[\w-]+ ){0,2}?(?P<noun>[\w-]+) (?:of|for) ",
    re.I,
)
_WHO_DID = re.compile(r"^\W*who (?:is |was |are |were )?(?:the |our |your )?(?P<noun>[\w-]+)", re.I)
_STEPS = re.compile(r"^\W*how (do|can|could|should|must|would|to)\b", re.I)
_MAY = re.compile(
    r"^\W*(and |so )?who\w* (else )?(can|may|must|should|could|needs?|has|have|gets?|is allowed)\b", re.I
)
_FOREIGN = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_LISTED_WORDS = 3
_PRECISE = re.compile(
    r"^\W*(who|when|where|is|are|does|do|did|can|could|will|may|must|which|has|have)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Question:
    """`listed` are stems of the plural that is asked for ("which tiers": tier), empty when no list is.

    `sides` are the things that are joined or compared, each as the stems that the others do not share.
    """

    wanted: Wanted = Wanted.ANY
    closed: bool = False
    listed: frozenset[str] = frozenset()
    sides: tuple[frozenset[str], ...] = ()
    precise: bool = False
    sweeping: bool = False
    """Asks for everything that is so, without a noun: "what is not covered?"."""
    bounds: frozenset[tuple[str, bool]] = frozenset()
    """Numbers of the question with whether it asks for what is above them."""
    attribute: str = ""
    """The stem of what is asked of something: "margin" in "what is the margin of a partner?", "teach" in "who teaches?"."""
    terms: frozenset[str] = frozenset()
    left: bool = False
    """Asks how much time somebody has."""
    steps: bool = False
    """Asks how something is done."""
    exists: str = ""
    """The stem of the verb of "do you sell shoes?": what is asked is whether there are such things, "" where it is not."""
    named: bool = False
    """Asks for one person by what they are or did, so that no answer without a name will do."""

    @classmethod
    def of(cls, query: str, message: str) -> Question:
        both = f"{query} {message}"
        steps = bool(_STEPS.search(query))
        free = _YES_OR_NO.match(query) or _WHO_IS.match(query)
        wanted = Wanted.ANY if free else _wanted(both, steps)
        listed = _listed(query)
        return cls(
            wanted=wanted,
            closed=bool(_CLOSED.search(query)),
            listed=listed,
            sides=_sides(query),
            precise=wanted is not Wanted.ANY or bool(_PRECISE.search(query)),
            sweeping=bool(_WHAT_IS.search(query)),
            bounds=_bounds(both),
            attribute=_attribute(query),
            terms=stems(both),
            left=bool(_TIME_LEFT.search(query)),
            exists=_exists(query),
            steps=steps and wanted is Wanted.ANY,
            named=wanted is Wanted.PERSON and not _MAY.search(query),
        )

    @property
    def lists(self) -> bool:
        return bool(self.listed) or self.sweeping

    def fits(self, text: str) -> float:
        """What the kind of value adds to the score of a text (-0.45..0.5)."""
        value = 0.1 if self.closed and _NEGATED.search(text) else 0.0
        value += self._bounded(text) + (0.15 if self.told(text) else 0.0)
        if self.wanted is Wanted.ANY:
            return value
        return value + (0.15 if self.held(text) else -0.3)

    def told(self, text: str) -> bool:
        """Whether the text says how much time somebody has, where that is asked."""
        return self.left and self.held(text) and bool(_LEFT.search(text))

    def _bounded(self, text: str) -> float:
        """Whether the text bounds the numbers of the question from the same side, or from the other one."""
        there = _bounds(text) if self.bounds else frozenset()
        other = any((number, not up) in there for number, up in self.bounds)
        return 0.15 if self.bounds & there else -0.15 if other else 0.0

    def held(self, text: str) -> bool:
        """Whether the text holds a value of the wanted kind; of persons one that the question does not name itself."""
        pattern = _HOLDS.get(self.wanted)
        if self.wanted is Wanted.PERSON and pattern:
            return any(not stems(match[0]) & self.terms for match in pattern.finditer(text))
        return pattern is None or bool(pattern.search(text))

    def said(self, term: str) -> bool:
        """Whether the term only names the kind of value, as "price" does for an amount."""
        return term in _SAYS.get(self.wanted, ())

    def asks(self, term: str) -> bool:
        """Whether the term only asks for a list, a comparison or whether there is one, as "offer" in "which do you offer?"."""
        return (bool(self.exists) and term == self.exists) or (
            (self.lists or bool(self.sides)) and term in _ASKING
        )

    def kin(self, term: str, others: frozenset[str]) -> bool:
        """Words for one thing: whoever leads, runs or heads something."""
        return self.wanted is Wanted.PERSON and self.said(term) and bool(others & _SAYS[Wanted.PERSON])


def _wanted(text: str, steps: bool) -> Wanted:
    """How something is done is never answered by a mere number: "how do I raise my limit?"."""
    asks = (ask for ask in _ASKS if not (steps and ask[0] is Wanted.NUMBER))
    return next((kind for kind, pattern in asks if pattern.search(text)), Wanted.ANY)


def _listed(text: str) -> frozenset[str]:
    match = _LIST.match(text)
    if match and (kinds := _KINDS_OF.search(match[0])):
        return frozenset({stem(kinds[2])})
    phrase = (match["phrase"] or "").split() if match else []
    for at, word in enumerate(phrase):
        if (_PLURAL.match(word) and word.casefold() not in _DOES) or (
            at == 0 and word in {"people", "children"}
        ):
            return frozenset({stem(word)})
    return frozenset()


def _attribute(query: str) -> str:
    match = _ATTRIBUTE.match(query) or _WHO_DID.match(query)
    return stem(match["noun"]) if match and content(match["noun"]) else ""


def _exists(query: str) -> str:
    match = _EXISTS.match(query)
    return stem(match["verb"] or "is") if match else ""


def _bounds(text: str) -> frozenset[tuple[str, bool]]:
    return frozenset((stem(m["number"].rstrip(".,")), bool(m["up"])) for m in _BOUND.finditer(text))


def _sides(query: str) -> tuple[frozenset[str], ...]:
    """What stands on both sides of each "and", "or", "versus": the nearest word that the other side does not share."""
    found: list[frozenset[str]] = []
    for match in _JOINS.finditer(query):
        found += _listed_before(query[: match.start()])
        left = _near(words(query[: match.start()])[::-1])
        right = _near(words(query[match.end() :]))
        found += _own(left, right) + _own(right, left)
    distinct = tuple(dict.fromkeys(found))
    return distinct if len(distinct) > 1 else ()


def _listed_before(text: str) -> list[frozenset[str]]:
    """The things before the last comma of an enumeration: Norway in "to Norway, Japan and Germany"."""
    *earlier, last = text.split(",")
    if not earlier or len(last.split()) > _LISTED_WORDS:
        return []
    whole = [part for part in earlier[1:] if len(part.split()) <= _LISTED_WORDS]
    first = [word for word in words(earlier[0]) if content(word)][-1:]
    return [stems(item) for item in (*first, *whole) if stems(item)]


def _near(typed: list[str]) -> list[frozenset[str]]:
    """The stems of the two content words nearest to the joint."""
    return [stems(word) for word in typed if content(word)][:2]


def _own(near: list[frozenset[str]], other: list[frozenset[str]]) -> list[frozenset[str]]:
    shared = frozenset().union(*other)
    return [side for side in near if not side & shared][:1]


def in_foreign_script(text: str) -> bool:
    """Whether most letters are not Latin ones."""
    letters = sum(c.isalpha() for c in text)
    return 2 * len(_FOREIGN.findall(text)) > letters
