"""Finds what a user claims was said in this conversation: "you said returns are free", "as you told me, it is 90 days".

What was said on the telephone, on a page or on another day is no claim about this conversation.
"Did you say that it is free?" claims it as much as "you said it is free" does; "what did you say?" claims nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from conversations.domain.answer.terms import stems
from conversations.domain.measures import Measure, measures
from conversations.domain.words import key_of

_YOU = r"(?:you|u|ya|(?:the|this)\s+(?:bot|chat\s?bot|assistant|chat))"
_OFTEN = r"(?:(?:just|already|previously|earlier|also|have|had|once|clearly|even|before|literally|actually)\s+|'ve\s+|’ve\s+|'d\s+|’d\s+){0,3}"
_SAID = r"(?:said|mentioned|told\s+(?:me|us)|stated|promised(?:\s+(?:me|us))?|confirmed|claimed|wrote|assured\s+(?:me|us)|guaranteed(?:\s+(?:me|us))?|recommended|suggested|described|offered(?:\s+(?:me|us))?|brought\s+up|agreed|talked\s+about|spoke\s+(?:of|about)|walked\s+(?:me|us)\s+through)"
_SAY = r"(?:say|mention|tell\s+(?:me|us)|state|promise(?:\s+(?:me|us))?|confirm|claim|write|guarantee)"
_SAYING = r"(?:saying|mentioning|telling\s+(?:me|us)|promising(?:\s+(?:me|us))?|confirming|claiming)"
_AGREED = r"(?:agreed|settled|established|discussed|talked\s+about|spoke\s+(?:of|about))"
_WHEN = r"(?:\s+(?:to\s+(?:me|us)|earlier|before|above|previously|just\s+now|a\s+(?:minute|moment)\s+ago|at\s+the\s+start)){0,2}+"
_LEAD = (
    r"(?:^|[.!?,;:–—]\s*|\b(?:but|and|so|since|because|as|like|though|although|while|thought|think|remember|believe|sure|that|"
    r"hey|hi|well|ok|okay|no|yes|wait|hm+|earlier(?:\s+on)?|previously|before|actually|however)\s+)"
)
_END = (
    r"(?=\s*(?:(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)[.?!;:]+(?:\s|$)|\s[-–—]\s|,\s*(?:so|and|but|what|how|when|where|who|which|why|is|are|does|do|can|could|please|tell|"
    r"right|correct|yes|no|isn['’]t|wasn['’]t|didn['’]t|aren['’]t|true|or)\b|$))"
)
_CLAIM = rf",?\s+(?:(?:that|on)\s+|about\s+(?![\d€$£]))?(?P<claim>(?:[^?!;:]|(?<=\d):(?=\d))+?){_END}"
_STATED = (
    re.compile(rf"{_LEAD}(?P<who>{_YOU})(?:\s+|(?=['’])){_OFTEN}{_SAID}{_WHEN}{_CLAIM}", re.I),
    re.compile(rf"{_LEAD}(?P<who>we)(?:\s+|(?=['’])){_OFTEN}{_AGREED}{_WHEN}{_CLAIM}", re.I),
    re.compile(rf"\bi\s+(?:thought|remember)\s+(?P<who>you)\s+{_SAYING}{_WHEN}{_CLAIM}", re.I),
    re.compile(
        rf"\b(?:weren['’]t|were|wasn['’]t|aren['’]t)\s+(?P<who>you)\s+(?:not\s+)?{_SAYING}{_WHEN}{_CLAIM}", re.I
    ),
    re.compile(rf"(?:^|[.!?,;:–—]\s*|\b(?:but|and|so)\s+)according\s+to\s+(?P<who>you),?\s+(?P<claim>(?:[^?!;:]|(?<=\d):(?=\d))+?){_END}", re.I),
    re.compile(
        rf"(?:^|[.!?]\s+)(?P<claim>(?:[^.?!;:]|(?<=\d)[.:](?=\d)){{3,160}}?)\s*[,–—-]\s*(?:as|like|or\s+so|at\s+least|so)?\s*(?P<who>{_YOU})\s+"
        rf"{_OFTEN}{_SAID}{_WHEN}\s*(?=[.?!,]|$)",
        re.I,
    ),
)  # fmt: skip
_QUESTIONED = re.compile(
    rf"(?:^|[.!?,;:–—]\s*|\b(?:but|and|so|wait)\s+)(?:did|didn['’]t|have|haven['’]t|hadn['’]t)\s+(?P<who>you|u)\s+(?:not\s+)?{_OFTEN}(?:{_SAY}|{_SAID}){_WHEN}{_CLAIM}",
    re.I,
)
_TAG = re.compile(
    r",?\s*(?:right|correct|yes|no|true|or\s+(?:not|did\s+you\s+not)|isn['’]t\s+it|wasn['’]t\s+it|didn['’]t\s+you|is\s+that\s+(?:right|correct|so|true))\W*$",
    re.I,
)
# What was said elsewhere or on another day cannot be judged by this conversation.
_ELSEWHERE = re.compile(
    r"\b(?:(?:on|over|by|in|at|via|through|from)\s+(?:(?:the|your|our|my|an?|that|this)\s+)?(?:\w+\s+)?(?:phone|telephone|call|e-?mails?|"
    r"letter|web\s?site|site|page|brochure|store|shop|branch|advert\w*|newsletter|counter|desk)|yesterday|today|tonight|"
    rf"{_SAID}\s+on\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day|last\s+(?:time|week|month|year|night)|other\s+day|(?:last|previous|earlier|other|another|different)\s+(?:chat|conversation|session|"
    r"message)s?|days?\s+ago|weeks?\s+ago|months?\s+ago|colleague|agent|rep|support\s+team)\b",
    re.I,
)
# "You said you could not find it": said by the platform about itself, which no record of answers holds.
_OF_ITSELF = re.compile(
    r"^(?:that\s+)?(?:you|u|i)\b.*\b(?:find|found|know|knew|sure|help|look|check|answer|bot|human|person|assistant|ai|see|access)\b",
    re.I,
)
VAGUE = re.compile(
    r"\b(?:about|around|roughly|approximately|approx|almost|nearly|circa|more\s+than|less\s+than|in\s+total|total|altogether|in\s+all|or\s+so|\w+ish)\b",
    re.I,
)
FREE = re.compile(
    r"\bfree(?!\s+to\b)\b|\b(?:no|without)\s+(?:\w+\s+)?(?:charges?|fees?|costs?|paying)\b|\b(?:costs?|pays?|for)\s+nothing\b|\bcomplimentary\b",
    re.I,
)
NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|none|nothing|cannot|without)\b|n['’]t\b", re.I)
_NAME = re.compile(r"(?:^|(?<=[\w,] ))[A-Z][\w-]*[a-z0-9][\w-]*")
_OPENS_A_SENTENCE = re.compile(r"(?:^|[.!?:])\W*$")
_SAYS_NOTHING = stems(
    "so it this that something anything thing things answer word earlier before previously already again twice clearly well right wrong correct true yourself opposite contrary otherwise different "
    "differently enough same yes no lot much more less hello"
)
# "Did you say when it opens?" asks, "did you say 14 or 40 days?" claims neither.
_ASKS = re.compile(r"^(?:whether|if|when|how|what|which|who|why|where)\b", re.I)
_EITHER = re.compile(r"\bor\b", re.I)
_OWN = re.compile(r"^(?:we|i)\b", re.I)
_EARLIER = re.compile(r"[\s,]+(?:earlier|before|above|previously|already|just\s+now)$", re.I)


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed to have been said. `by` is "you" or "we"; `asked`: whether it was said is what is asked."""

    text: str
    by: str
    asked: bool

    @property
    def amounts(self) -> tuple[Measure, ...]:
        return measures(self.text)

    @property
    def free(self) -> bool:
        """Whether it says that something costs nothing."""
        return bool(FREE.search(self.text))

    @property
    def negated(self) -> bool:
        return bool(NEGATED.search(FREE.sub(" ", self.text)))

    @property
    def names(self) -> tuple[frozenset[str], ...]:
        """The words of each name in it."""
        return tuple(frozenset(key_of(name).split()) for name in _NAME.findall(self.text))

    @property
    def subject(self) -> frozenset[str]:
        """The stems of what it is about, amounts left out."""
        told = frozenset(part for amount in self.amounts for part in stems(amount.key))
        return stems(self.text) - told - stems("free charge cost fee") - _SAYS_NOTHING


def claim_in(message: str) -> Claim | None:
    """What an English message claims was said in this conversation, None where it claims nothing that can be judged."""
    if _ELSEWHERE.search(message):
        return None
    claims = (_claim(match, message) for match in _matches(message))
    return next((claim for claim in claims if claim is not None), None)


def _matches(message: str) -> Iterator[re.Match[str]]:
    for pattern in (_QUESTIONED, *_STATED):
        if match := pattern.search(message):
            yield match


def _claim(match: re.Match[str], message: str) -> Claim | None:
    text = _EARLIER.sub("", _TAG.sub("", match["claim"]).strip(" ,."))
    if _OPENS_A_SENTENCE.search(message[: match.start("claim")]) and text[1:2].islower():
        text = text[0].lower() + text[1:]  # a capital that opens a sentence makes no name
    by, questioned = "we" if match["who"].lower() == "we" else "you", match.re is _QUESTIONED
    if _OF_ITSELF.search(text) or _ASKS.search(text) or (questioned and _EITHER.search(text)):
        return None
    if not (stems(text) - _SAYS_NOTHING or measures(text)) or (by == "we" and _OWN.search(text)):
        return None
    rest = f"{message[: match.start()]} {message[match.end() :]}".strip()
    tagged = bool(_TAG.search(message)) or not stems(_TAG.sub("", rest))
    return Claim(text, by, questioned or tagged)
