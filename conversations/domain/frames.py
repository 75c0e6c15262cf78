"""Recognises a message that only asks the last question of another thing: "and for Dublin?", "does it go for lamps too?".

Such a message is an ellipsis, or a whole clause that is one in all but form; its only content is the new thing.
Nothing here says what the new thing takes the place of.
"""

from __future__ import annotations

import re

from conversations.domain.marks import Mark
from conversations.domain.reading import Reading
from conversations.domain.words import key_of

# "… with a car too", "… same conditions": what stays as it was, behind the new thing.
_LIKEWISE = (
    r"(?:,\s+(?:(?:for|with|in|on|by|at)\s+(?P<also>[\w\s'’-]{2,30}?)\s+(?:too|as\s+well|likewise)"
    r"|(?P<same>(?:at\s+|for\s+|on\s+|with\s+|under\s+)?(?:the\s+)?same\s+[\w-]+)))?"
)
_ELLIPTIC = re.compile(
    r"^(?:(?:and|but|or|so|ok(?:ay)?|now|then|also|no|sorry|oops|actually|hm+)[\s,]+)*(?:(?:i\s+mean(?:t)?|i\s+(?:should\s+have\s+)?(?:said|wrote|written|asked)(?:\s+about|\s+for)?|i\s+was\s+asking\s+(?:about|for)|i\s+need|i\s+want|make\s+(?:that|it)|wait)[\s,]+)*(?:(?:what|how)\s+(?:about|is\s+it)|(?:the\s+)?same\s+(?:(?!for\b|in\b|with\b|at\b|on\b|to\b|from\b|of\b)[\w-]+\s+)?(?=(?:for|in|with|at|on|to|from|of)\b)|(?:and\s+|what\s+)?if\s+it\s+(?:was|were|is|had\s+been)|what\s+if\s+(?:it'?s|it\s+is|i'?m|i\s+am|we'?re))?\s*"
    r"(?:(?P<prep>for|in|on|with|to|from|at|of|during|by|under)\s+)?(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>[^?!,;]{1,60}?)"
    + _LIKEWISE
    + r"(?:,?\s+(?:instead|then|too|though|likewise|please|pls|plz|as\s+well|of\s+course|i\s+mean(?:t)?))*(?:,?\s+(?:for|with)\s+the\s+same(?:\s+(?:kind|sort|type)\s+of)?\s+[\w\s-]{2,30}?)?\s*[?.!]*$",
    re.IGNORECASE,
)


# Whole clauses that only ask the last question of another thing: "what is it for X?", "does X work as well?".
_IT = r"(?:it|that|this|they|those|things)"
_SAME = r"(?:(?:the\s+)?same|so|also|too|any\s+different|different)"
_FRAMES = tuple(
    re.compile(
        r"^(?:(?:and|but|or|so|ok(?:ay)?|now|then|also|hm+|thanks|great|good|interesting|fine|right)[\s,.!]+)*"
        + frame
        + r"\s*[?.!]*$",
        re.IGNORECASE,
    )
    for frame in (
        rf"(?:what\s+)?if\s+(?:{_IT}\s*(?:['’]s|\s+is|\s+was|\s+were|\s+had\s+been)|i\s+(?:have|had|took|take|want|wanted|need|buy|bought))\s+(?:(?P<prep>for|in|on|with|at|to|from)\s+)?(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>.{{2,60}}?)(?:\s+instead)?",
        r"(?:how\s+(?:long|much|many|often|far|soon|early|late)|when|where|what|which|why|who)\s+(?P<prep>for|in|on|with|at|to|from)\s+(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>.{2,60}?)",
        r"(?:what|how(?:\s+(?:long|much|many|often))?)\s+(?:would|will|does|do|is|are)\s+(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>[^?]{2,60}?)\s+(?:be|do)(?P<prep>)",
        r"(?:is|are|was|were|would|will)\s+(?:(?:it|that|this)\s+)?(?:(?P<prep>for|in|on|with|at|to)\s+)?(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>[^?]{2,60}?)\s+(?:be\s+)?(?:any\s+different|different|the\s+same)(?:\s+then)?",
        rf"(?:what|how)(?:\s+about\s+{_IT}|\s*['’]s\s+{_IT}|\s+(?:is|are|was|does|do|would|will)\s+{_IT})(?:\s+(?:be|look|work|go|cost|take|like))*(?:\s+like)?\s+(?P<prep>for|in|on|with|at|to|from)\s+(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>.{{2,60}}?)",
        rf"(?:is|are|was|does|do|would|will|can)\s+{_IT}\s+(?:(?:be|apply|work|go|hold|count|{_SAME})\s+)+(?P<prep>for|in|on|with|at|to|from)\s+(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>.{{2,60}}?)(?:\s+(?:too|as\s+well))?",
        r"(?:is|are|do|does|can|will|would)\s+(?:it|there|that|you|they|we|i)\s+(?:\w+\s+)?the\s+same(?:\s+\w+)?\s+(?P<prep>for|in|on|with|at|to|from)\s+(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>.{2,60}?)",
        r"(?:does|do|would|will|is|are|can)\s+(?:(?P<prep>for|in|on|with|at|to)\s+)?(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>[^?]{2,60}?)\s+(?:(?:work|do|be|apply|go|have\s+(?:it|that|them|one)|get\s+(?:it|that|them|one)|possible|okay|fine|the\s+same)\s*)*(?:too|as\s+well|also|the\s+same|have\s+(?:it|that|them|one)|get\s+(?:it|that|them|one))",
    )
)


# What is wanted to know, by the words that ask for it in frames and in whole questions.
_WANTED = {
    "price": r"how\s+much|how\s+expensive|costs?|prices?|priced|fees?|charges?|charged|rates?|tariffs?|surcharges?",
    "time": r"when|how\s+(?:long|soon|early|late|fast|quickly)|takes?|until|deadlines?|duration|period|days|hours|weeks|months",
    "place": r"where|how\s+far",
    "number": r"how\s+many",
    "frequency": r"how\s+often",
    "reason": r"why",
    "person": r"who",
}
_CIRCUMSTANCES = frozenset({"place", "date", "person"})
# So many words of a thing also tell what happens to it.
SAYS_ALL = 3
_ASKS_FOR = {kind: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for kind, pattern in _WANTED.items()}
_OPENS = re.compile(
    r"^(?:(?:and|but|or|so|ok(?:ay)?|now|then|also|hm+)[\s,.!]+)*(?P<asks>how\s+(?:much|many|often|far|long|soon|early|late)|when|where|why|who)\b",
    re.IGNORECASE,
)


def wanted(reading: Reading) -> str:
    """What a frame with a question word of its own wants to know: "price" for "how much for a lamp?"; empty without any."""
    match = _OPENS.match(reading.core.strip()) if is_frame(reading) else None
    asks = match.group("asks") if match else ""
    return next((kind for kind, pattern in _ASKS_FOR.items() if asks and pattern.fullmatch(asks)), "")


def asks_otherwise(reading: Reading, query: str) -> bool:
    """Whether a frame wants to know something else than an earlier question did: "how long for Ireland?" after its price."""
    kind = wanted(reading)
    return bool(kind) and not _ASKS_FOR[kind].search(query)


def is_own_question(reading: Reading) -> bool:
    """ "How much for a chair leg?", "how long for a support ticket reply?": says what is wanted of what, unless the last
    question wanted that of its like. A price is that of any thing but a place, a day or a person; a time is that of what
    happens to a thing."""
    kind = wanted(reading)
    if reading.has(Mark.UNFINISHED) or any(term.type in _CIRCUMSTANCES for term in reading.terms):
        return False
    return kind == "price" or (
        bool(kind) and any(len(term.key.split()) >= SAYS_ALL for term in reading.terms)
    )


def framed(reading: Reading) -> re.Match[str] | None:
    """The message as an ellipsis or as a clause that is one in all but form."""
    text = reading.core.strip()
    return next(filter(None, (frame.match(text) for frame in (*_FRAMES, _ELLIPTIC))), None)


def is_frame(reading: Reading) -> bool:
    """Whether the message is a clause that only asks the last question of another thing."""
    text, own = reading.core.strip(), {term.key for term in reading.terms}
    return any(
        key_of(match.group("rest")) in own for match in filter(None, (frame.match(text) for frame in _FRAMES))
    )


# "What about scarves, how long is it there?", "and for a kayak, how much is that?"
_ASKED_OF_IT = re.compile(
    r"^(?:(?:and|but|or|so|ok(?:ay)?|now|then|well)[\s,]+)*(?:(?:what|how)\s+about|and\s+for|same\s+for)\s+(?:(?:the|a|an|my|our|your)\s+)?"
    r"(?P<rest>[^?!.,;:]{2,60})\s*[,?.:;–—-]\s*(?:(?:and|so)\s+)?(?:what|which|how|when|where|who|why|is|are|do|does|can|will)\b[^?]*\b(?:it|that|they|them|those|there)\b[^?]*\?*$",
    re.IGNORECASE,
)
# "If it had been ink?", "what if it was linen?"
_SUPPOSED = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?)[\s,]+)*(?:what\s+)?if\s+(?:it|that|this)\s*(?:['’]s|\s+is|\s+was|\s+were|\s+had\s+been)\s+(?P<rest>[\w'’-]+)\s*[?.!]*$",
    re.IGNORECASE,
)


def asked_of_it(reading: Reading) -> bool:
    """Whether the message names one thing and asks its question of that: "what about scarves, how long is it there?"."""
    match = _ASKED_OF_IT.match(reading.core.strip())
    return match is not None and [term.key for term in reading.terms] == [key_of(match.group("rest"))]


def supposed(reading: Reading) -> str:
    """The ink of "if it had been ink?", where grammar sees no noun in it; empty without any, and for "damaged"."""
    match = None if reading.terms else _SUPPOSED.match(reading.core.strip())
    happened = any(t.tag in {"VBN", "VBD", "VBG", "JJR"} and t.pos != "AUX" for t in reading.analysis.tokens)
    return match.group("rest") if match and not happened else ""


def likewise(reading: Reading) -> tuple[str, str]:
    """What "and a chair, same price?" asks the same of, and what "and York, for nurses too?" says of it besides."""
    match = _ELLIPTIC.match(reading.core.strip())
    if match is None or not (match["also"] or match["same"]):
        return "", ""
    return match["rest"].strip(" ."), (match["also"] or "").strip()


_DOING = re.compile(
    r"(?:\w+-)?[a-z]{3,}ing\s+(?P<article>(?:the|an?|my|our|your)\s+)?(?P<object>[\w'’ -]+)", re.IGNORECASE
)


def does_another(reading: Reading) -> bool:
    """ "Same conditions for re-gluing a chair?": the same is asked of something else that is done, to something else."""
    match = _ELLIPTIC.match(reading.core.strip())
    same = match is not None and (match["same"] or _SAME_FOR.match(reading.core))
    doing = _DOING.fullmatch(match["rest"].strip(" .")) if match and same else None
    if doing is None or reading.strong:
        return False
    keys = {term.key for term in reading.terms}
    bare = key_of(doing["object"]) in keys and key_of(doing.group()) not in keys
    return bool(doing["article"]) or bare


_SAME_FOR = re.compile(r"(?:(?:and|or|but|so)\s+)?(?:the\s+)?same\b", re.IGNORECASE)


def brings_another(reading: Reading) -> bool:
    """Whether the message asks the last question of a thing of its own, so that the old answer has no part in it."""
    if supposed(reading) or asked_of_it(reading) or does_another(reading):
        return True
    if not reading.terms:
        return False
    return is_frame(reading) or (reading.has(Mark.ELLIPSIS, Mark.CONTINUES) and reading.has(Mark.VERBLESS))
