"""Checks what a user claims was said: "you mentioned earlier that …" with nothing of the kind in the session.

A false memory brings nothing into the search; what the message itself asks about stays.
Whether something was said is decided by the session's own words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conversations.domain.reading import Reading
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, key_of

_WHO = r"(?:you|u|ya|we|(?:the|your)\s+(?:bot|assistant|agent|colleague|team|website|site|chat))"
_SAID = (
    r"(?:said|mentioned|told\s+me|stated|explained|promised(?:\s+me)?|confirmed|noted|claimed|discussed|talked\s+about|"
    r"spoke\s+(?:of|about)|agreed|wrote|recommended|offered(?:\s+me)?|suggested|assured\s+me|guaranteed|showed\s+me|listed|walked\s+me\s+through|went\s+(?:over|through)|pointed\s+out|brought\s+up|"
    r"described|referred\s+to|gave\s+me|sent\s+me)"
)
_OFTEN = r"(?:(?:just|already|previously|earlier|also|have|had|were|was|once|clearly|even|'ve)\s+){0,2}"
_WHEN = (
    r"(?:\s+(?:me|us))?(?:\s+(?:earlier|before|above|previously|yesterday|last\s+(?:time|week)|just\s+now))?"
)
# "Going by the express lane you described, …": what the question is said to rest on.
_RESTS_ON = re.compile(
    r"^(?:(?:so|ok(?:ay)?|and|but|well|hi|hello)[\s,]+)*(?:going\s+by|based\s+on|according\s+to|as\s+per|per|following"
    rf"|given|with|thanks\s+to|using|under|about|regarding)\s+(?P<claim>[^,.?!;:]{{3,120}}?)\s+(?:that\s+)?{_WHO}\s+{_OFTEN}{_SAID}"
    rf"{_WHEN}\s*[,;:–—-]\s*",
    re.IGNORECASE,
)
# "The lift was mended last week, you said."
_AFTERWARDS = re.compile(
    rf"(?:^|(?<=[.!?]\s))(?P<claim>(?:[^.?!]|(?<=\d)\.(?=\d)){{4,200}}?),?\s+(?:as\s+|or\s+so\s+|at\s+least\s+)?{_WHO}\s+{_OFTEN}{_SAID}{_WHEN}\s*[.!]\s+",
    re.IGNORECASE,
)
# The point of "Mr." ends no claim.
_NO_TITLE = r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)"
_CLAIM = re.compile(
    rf"(?:\b(?:i(?:['’]m|\s+am|\s+was)?\s+(?:pretty\s+|quite\s+|fairly\s+)?(?:could\s+have\s+sworn|could['’]ve\s+sworn|sure|certain|think|thought|believe)(?:\s+that)?|earlier(?:\s+on)?|since|as|because|but|and|so|like|remember(?:\s+(?:when|that|how))?|given\s+that|in\s+(?:our|the)\s+(?:last|previous|earlier)\s+\w+)\s*,?\s+)?"
    rf"(?:\b{_WHO}\s+(?:(?:just|already|previously|earlier|also|have|had|were|was|once|clearly|even|'ve)\s+){{0,2}}{_SAID}"
    rf"|\b(?:weren't|aren't|were|are)\s+you\s+(?:not\s+)?(?:saying|telling\s+me|promising)|\bi\s+remember\s+you\s+(?:saying|telling\s+me)|\bdidn't\s+you\s+(?:say|tell\s+me|mention|promise))"
    r"(?:\s+(?:(?:to\s+me\s+)?(?:earlier|before|above|previously|yesterday|last\s+(?:time|week)|just\s+now|at\s+the\s+start)))?"
    rf",?(?:\s+(?:that|about|on))?,?\s+(?P<claim>(?:[^.?!;:]|(?<=\d)[.:](?=\d)|(?!{_NO_TITLE})\.)+?)"
    rf"(?=\s*(?:{_NO_TITLE}[.?!;:](?!\d)|\s[-–—]\s|,\s*(?:what|how|when|where|who|which|why|is|are|does|do|can|could|so|and|but|please|tell)\b|$))[.;:,!?]*\s*(?:(?:so|and|but)\s+(?=\w))?",
    re.IGNORECASE,
)
# A question that points back into the claim needs it: then the message's own words stand.
_POINTS_BACK = re.compile(
    r"\b(?:it|its|one|ones|that|this|those|these|they|them|their|he|she|his|her|there)\b", re.IGNORECASE
)
# A claim about the person or about what "it" means is about what the conversation is about.
_MEANS_KNOWN = re.compile(rf"^(?:i|we|you|my|our|your)\b|{_POINTS_BACK.pattern}", re.IGNORECASE)
_MEANS_IT = re.compile(r"\b(?:it|its|they|them|their)\b", re.IGNORECASE)
_NOUN_PHRASE = re.compile(
    r"\b(?:the|a|an|that|this|those|these)\s+(?:[\w'’-]+\s+){0,3}[\w'’-]+$", re.IGNORECASE
)
_BELIEVES = re.compile(
    r"\b(?:sure|think|thought|believe|remember|recall|sworn|certain|positive|convinced|afraid|true)\s+that$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:what|which|did|have|has|when|where|how|why|everything|things?|whatever|part|one|do|the)\s*(?:(?:it|that)\s+)?$",
    re.IGNORECASE,
)


def without_false_memory(query: str, reading: Reading, state: ConversationState) -> str | None:
    """The query without a claim that the session does not bear out, or None when there is nothing to take out."""
    for around in (_RESTS_ON, _AFTERWARDS):
        framed = around.search(query)
        if framed is not None and _unsaid(framed.group("claim"), state):
            rest = _joined(query[: framed.start()], query[framed.end() :])
            if _asks_something(
                around.sub(" ", reading.core, count=1), _unsaid(framed.group("claim"), state), reading
            ):
                return rest[:1].upper() + rest[1:]
    match = _CLAIM.search(query)
    if match is None or _ASKED.search(query[: match.start()].rstrip()) or _describes(match, query):
        return None
    unsaid = _unsaid(match.group("claim"), state)
    rest = _joined(query[: match.start()], query[match.end() :])
    if not unsaid or not _asks_something(_CLAIM.sub(" ", reading.core, count=1), unsaid, reading):
        return None
    return rest[:1].upper() + rest[1:]


_LEADS_IN = re.compile(
    r"(?:(?:earlier(?:\s+on)?|before|previously|yesterday|right|ok(?:ay)?|well|so|and|but|also|anyway|whatever|now|then|hi|hello|hey|as|since)[\s,.!;:–—-]*)*",
    re.IGNORECASE,
)


_ASIDE = re.compile(
    r"(?:ok(?:ay)?|well|anyway|whatever|right|so|fine|never\s*mind)(?:[\s,]+(?:ok(?:ay)?|anyway|whatever|so|then))*\s*[.!]\s+",
    re.IGNORECASE,
)


def _joined(before: str, after: str) -> str:
    """What is left on both sides of a claim; words that only led in to it go with it."""
    before = "" if _LEADS_IN.fullmatch(before.strip()) else before.rstrip()
    after = _ASIDE.sub("", after.lstrip(" ,;:-.–—"), count=1)
    return f"{before} {after}".strip(" ,;:-.–—")


def _describes(match: re.Match[str], query: str) -> bool:
    """ "In the two-day course you listed": a clause that describes a noun claims nothing."""
    before = query[: match.start()].rstrip(" ")
    if re.search(r"\w\s+(?:that|which|whom?)$", before, re.IGNORECASE) and not _BELIEVES.search(before):
        return True
    return bool(re.match(_WHO, match.group(), re.IGNORECASE)) and bool(_NOUN_PHRASE.search(before))


def _unsaid(claim: str, state: ConversationState) -> set[str]:
    """The names and numbers of a claim that nobody said, else its words when most are new; empty when it is true."""
    content = _content(claim)
    said = _said(state.exchanges)
    said |= {part for slot in state.slots for part in key_of(slot.name).split()}
    unsaid = content - said
    names = {part for word in re.findall(r"\b[A-Z]\w+", claim) for part in key_of(word).split()}
    precise = {word for word in unsaid if word[0].isdigit() or word in names}
    return precise or (unsaid if len(unsaid) > 0.4 * len(content) else set())


def _asks_something(rest: str, unsaid: set[str], reading: Reading) -> bool:
    """Whether a question of its own remains that neither names what nobody said nor points back to it."""
    own, pronoun = _content(rest), _MEANS_IT.search(rest)
    if not own or own & unsaid or (len(own) <= 1 and _POINTS_BACK.search(rest)):
        return False
    nouns = {key_of(t.text) for t in reading.analysis.tokens if t.pos in {"NOUN", "PROPN"}}
    return pronoun is None or bool(nouns & set(key_of(rest[: pronoun.start()]).split()))


def claims_the_unsaid(reading: Reading, exchanges: Iterable[Exchange]) -> bool:
    """ "You mentioned a shuttle, when does it leave?" where no word of a shuttle fell: nothing that was said is meant."""
    match = _CLAIM.search(reading.core)
    if match is None or _describes(match, reading.core) or _MEANS_KNOWN.search(match.group("claim")):
        return False
    content = _content(match.group("claim"))
    things = {word for word in content if not word.isdigit()}
    unsaid = bool(things) and not things & _said(exchanges)
    return unsaid and not _asks_something(_CLAIM.sub(" ", reading.core, count=1), content, reading)


def _said(exchanges: Iterable[Exchange]) -> set[str]:
    return set(key_of(" ".join(f"{e.message} {e.query} {e.answer}" for e in exchanges)).split())


def _content(text: str) -> set[str]:
    return {key for key in key_of(text).split() if key not in STOP_KEYS and key not in GENERIC_KEYS}
