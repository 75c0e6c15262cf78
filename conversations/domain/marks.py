"""The signs in a wording that lean on an earlier turn: references, ellipsis, additions, comments, corrections.

Strong signs are references and make a message dependent; weak ones only lower the nearness that is asked for.
They are patterns over general English and are tested with paraphrases that no data set holds.
"""

from __future__ import annotations

import re
from enum import StrEnum

from conversations.domain.corrections import is_correction
from conversations.domain.cues import Cue, CueKind
from conversations.domain.entities import content_keys
from conversations.domain.language import Analysis
from conversations.domain.unfinished import is_circumstance, is_condition, is_for_somebody
from conversations.domain.words import NUMBERS, ORDINALS


class Mark(StrEnum):
    """A sign in the wording. Strong ones are references; weak ones only hint at an earlier turn."""

    PRONOUN = "pronoun"
    DEMONSTRATIVE = "demonstrative"
    ONES = "ones"
    ORDINAL = "ordinal"
    PLACE = "there"
    CHOICE = "choice"
    ELLIPSIS = "ellipsis"
    UNFINISHED = "unfinished"
    CONTINUES = "continues"
    ADDITIVE = "additive"
    OTHER = "other"
    RECALLS = "recalls"
    DEFINITE = "definite"
    SHORT = "short"
    VERBLESS = "verbless"
    CORRECTION = "correction"
    COMMENT = "comment"


LEANING = (
    Mark.ELLIPSIS,
    Mark.UNFINISHED,
    Mark.COMMENT,
    Mark.CONTINUES,
    Mark.VERBLESS,
    Mark.PLACE,
    Mark.OTHER,
)
STRONG = frozenset({Mark.PRONOUN, Mark.DEMONSTRATIVE, Mark.ONES, Mark.ORDINAL, Mark.RECALLS})


_CONTINUES = re.compile(
    r"^(?:and|but|or|nor|so|then|also|plus|no|nope|yes|yeah|yep|not)\b(?!\s+(?:i|we)\s+(?:have|need|want)\s+to\b)",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|now|well|then)[\s,]+)*(?:what|how)\s+(?:about|if|of)\b|^(?:same|likewise|ditto)\b|^(?:and|or|but)\s+(?:for|in|on|with|to|from|at|by|the|my)\b"
    r"|^(?:why|how|when|where|who|which|what)(?:\s+(?:not|so|come|exactly|else|then|though))?\s*[?.!]*$|^(?:how so|how come|why not|such as|like what|for example|e\.g\.)"
    # "A chair, same conditions?"
    r"|^(?!.*\b(?:is|are|was|were|do|does|did|can|will|would|has|have|i|we|you|it)\b)[^,;:?!]{2,40},\s+(?:(?:at|for|on|with|under)\s+)?(?:the\s+)?same\s+[\w-]+\s*[?.!]*$"
    # "Bergen then?", "Japan likewise?"
    r"|^(?!(?:what|which|who|how|when|where|why|is|are|do|does|can|and|but)\b)(?:[\w'’-]+[\s,]+){1,3}(?:then|instead|likewise|as\s+well)\s*\?+$",
    re.IGNORECASE,
)
_ADDITIVE = re.compile(
    r"\b(?:too|as well|instead|besides|further|additional(?:ly)?|alternatives?|similar|related|respective(?:ly)?|both|neither|either|still|again|some more|any more)\b|\bmore\s*[?.!]*$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:what|which|who|where|how|any(?:thing|one|body|where)?|some(?:thing|one|body|where)?|are there|is there|the|no)\s+(?:(?:are|is|about)\s+)?(?:the\s+)?(?:other|others|else|another)\b|^(?:another|others?)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:both|either|neither)(?:\s+(?:of\s+(?:them|these|those)|one))?\b(?!\s+\w+\s+(?:and|or|nor)\b)|\b(?:the\s+two|each\s+of\s+(?:them|these))\b|^which\s+(?:of\s+(?:them|these|those|the\s+two)|is|has|are|costs?)\b",
    re.IGNORECASE,
)
_RECALLS = re.compile(
    r"\b(?:you|we|i)\s+(?:(?:just|already|previously|earlier|also|have|had|were|was|'ve)\s+){0,2}(?:said|mentioned|told|listed|described|explained|suggested|recommended|talked|referred|talking|discuss(?:ed|ing)|stated|noted|gave|asked)\b|\b(?:we|i)\s+(?:started|began)\s+(?:with|from|on)\b"
    r"|\b(?:mentioned|discussed|described|listed|said|stated|named)\s+(?:earlier|above|before|previously)\b|\b(?:aforementioned|(?:the|as)\s+above|the\s+(?:previous|earlier|former|latter))\b|\byour\s+(?:\w+\s+)?(?:answer|example|explanation|list|suggestion|recommendation|reply|response|last)s?\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"^(?:tell|give|show)\s+me\s+(?:some\s+)?more\b|^(?:more|go on|continue|elaborate|explain|expand|clarify|really|seriously|interesting|i\s+see)\b(?:\s+\w+){0,2}[.!?]*$"
    r"|^(?:can|could|would)\s+you\s+(?:please\s+)?(?:elaborate|explain|clarify|expand|be\s+more|give\s+(?:me\s+)?(?:an?\s+|some\s+)?(?:\w+\s+)?(?:examples?|more|details?)|summari[sz]e|repeat|rephrase|tell\s+me\s+more)(?:\s+(?:on|about))?(?:\s+(?:that|this|it|please|further|again|more|specific|detailed))*\s*[.!?]*$"
    r"|\bin\s+(?:more\s+)?(?:detail|other\s+words|simpler\s+terms)\b|^(?:any|some)\s+(?:\w+\s+)?(?:example|sample|tip|idea|suggestion|detail|advice|other)|^(?:and\s+)?(?:what(?:'s|\s+is|\s+are)|give\s+(?:me\s+)?)\s*(?:an?|some|the|another)?\s*(?:good\s+|other\s+)?examples?\b",
    re.IGNORECASE,
)
_LISTED = r"(?:ones?|options?|items?|points?|choices?|methods?|ways?|types?|kinds?|steps?|reasons?|examples?|things?|suggestions?|tips?|approach(?:es)?|alternatives?|strateg(?:y|ies)|solutions?|categor(?:y|ies)|part|question|idea|plan|product|model)"
_PICKS = re.compile(
    rf"\b(?:the|that|your)\s+(?:very\s+)?(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|latter|former|1st|2nd|3rd|4th|5th)(?:\s+{_LISTED}\b|\s+of\s+(?:these|those|them)\b|\s*(?:[?.!,;]|$)|\s+(?=(?:is|are|was|were|do|does|did|can|could|will|would|and|or|in|on|for|at|from|cost|work|mean|you|we|take|last|need|have|has|give|include|start|run|apply|cover|come|get|require|use|allow|offer|differ|sound|look|seem)s?\b))"
    r"|(?:\b(?:option|number|no\.?|item|step|point|choice)\s*|#)(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)\b",
    re.IGNORECASE,
)
# The place of "the middle one", which the length of the list tells.
MIDDLE = 0
_END = r"[\s-]+(?:(?:to|from)[\s-]+(?:the[\s-]+)?)?(?:last|end|bottom)"
# "The one before last", "the bottom one": places of a list by other words than numbers.
_PLACES = (
    (-2, re.compile(rf"\b(?:one\s+before\s+(?:the\s+)?last|last\s+but\s+one|(?:second|2nd|next){_END}|penultimate)\b", re.I)),
    (-3, re.compile(rf"\b(?:last\s+but\s+two|(?:third|3rd){_END})\b", re.I)),
    (MIDDLE, re.compile(rf"\b(?:the|your|that)\s+middle\s+{_LISTED}\b|(?<!\bin\s)\bthe\s+middle\s*(?:[?!.,]|$)|\b(?:ones?|option|item|entry)\s+in\s+the\s+middle\b", re.I)),
    (-1, re.compile(r"\b(?:the|your)\s+(?:very\s+)?(?:bottom|final)\s+(?:one|option|item|entry|point)\b|\bat\s+the\s+bottom\s+of\s+(?:the|your|that)\s+list\b", re.I)),
    (1, re.compile(r"\b(?:the|your)\s+(?:very\s+)?(?:top|topmost)\s+(?:one|option|item|entry|point)\b|\bat\s+the\s+top\s+of\s+(?:the|your|that)\s+list\b", re.I)),
)  # fmt: skip
# "The first two", "the last three options".
_SEVERAL = re.compile(r"\b(?:the|your)\s+(?P<end>first|last)\s+(?P<count>two|three|2|3)\b", re.IGNORECASE)
_SHORT_CONTENT = 2


def wording_marks(cue: Cue, analysis: Analysis) -> list[tuple[Mark, str]]:
    """The marks that patterns and shape show; references are found by grammar."""
    lead = cue.lead
    core = analysis.text[lead:2000]
    found: list[tuple[Mark, str]] = []
    for mark, pattern in (
        (Mark.ORDINAL, _PICKS),
        (Mark.RECALLS, _RECALLS),
        (Mark.ELLIPSIS, _ELLIPSIS),
        (Mark.COMMENT, _COMMENT),
        (Mark.CONTINUES, _CONTINUES),
        (Mark.OTHER, _OTHER),
        (Mark.CHOICE, _CHOICE),
        (Mark.ADDITIVE, _ADDITIVE),
    ):
        match = pattern.search(analysis.text[:2000] if mark is Mark.CONTINUES else core)
        if match and not (mark is Mark.CHOICE and _names_both(match, cue.lead, analysis)):
            found.append((mark, match.group().strip()))
    if any(pattern.search(core) for _, pattern in _PLACES) or _several(analysis):
        found.append((Mark.ORDINAL, "a place in a list"))
    if cue.kind is CueKind.CORRECTION or is_correction(analysis.text[:2000]):
        found.append((Mark.CORRECTION, cue.phrase or core[:40]))
    if is_condition(analysis, lead) or is_circumstance(analysis, lead) or is_for_somebody(core):
        found.append((Mark.UNFINISHED, core[:40]))
    found.extend(_shape(analysis))
    return found


def _names_both(match: re.Match[str], lead: int, analysis: Analysis) -> bool:
    """ "I like hiking and Malbec. How can I explore both?": the message names the two itself."""
    before = (token for token in analysis.tokens if lead <= token.start < lead + match.start())
    two = any(token.dep == "conj" and token.pos in {"NOUN", "PROPN"} for token in before)
    return two and match.group().lower().startswith(("both", "either", "neither", "the two"))


def _shape(analysis: Analysis) -> list[tuple[Mark, str]]:
    keys = content_keys(analysis)
    verbs = [t for t in analysis.tokens if t.pos in {"VERB", "AUX"}]
    found: list[tuple[Mark, str]] = []
    if len(keys) <= _SHORT_CONTENT:
        found.append((Mark.SHORT, f"{len(keys)} content words"))
    if not verbs and len(keys) <= 3:
        found.append((Mark.VERBLESS, "no verb"))
    return found


_ONE = re.compile(rf"\s+{_LISTED}\b|\s+of\s+(?:these|those|them)\b", re.IGNORECASE)


def pick_in(text: str) -> tuple[int, int] | None:
    """Where a message says which entry of a list it means, as characters; None without one such place, or with several."""
    found = list(_PICKS.finditer(text))
    if len(found) != 1 or any(pattern.search(text) for pattern in (_SEVERAL, *(p for _, p in _PLACES))):
        return None
    match = found[0]
    end = match.end(1) if match.group(1) else match.end(2)
    one = _ONE.match(text, end) if match.group(1) else None
    return match.start(), one.end() if one else end


def picked_numbers(analysis: Analysis) -> list[int]:
    """The positions that "the second one" or "option 3" pick; -1 is the last, `MIDDLE` the one in the middle."""
    text = analysis.text[:2000]
    placed = [number for number, pattern in _PLACES if pattern.search(text)]
    if placed:
        return placed[:1]
    several = _several(analysis)
    if several:
        return several
    found: list[int] = []
    for match in _PICKS.finditer(text):
        word = (match.group(1) or match.group(2)).lower()
        number = ORDINALS.get(word) or NUMBERS.get(word) or (int(word) if word.isdigit() else 0)
        if number:
            found.append(number)
    return found


def _several(analysis: Analysis) -> list[int]:
    """The positions of "the first two"; none of "the first two weeks of May", which counts something else."""
    match = _SEVERAL.search(analysis.text[:2000])
    at = next((i for i, t in enumerate(analysis.tokens) if match and t.start == match.start("count")), None)
    if match is None or at is None:
        return []
    following = analysis.tokens[at + 1 : at + 2]
    if any(t.tag in {"NNS", "NNPS"} and not re.fullmatch(_LISTED, t.lower) for t in following):
        return []
    word = match["count"].lower()
    count = NUMBERS.get(word) or int(word)
    first = -count if match["end"].lower() == "last" else 1
    return [first + n for n in range(count)]
