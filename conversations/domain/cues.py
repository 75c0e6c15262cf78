"""Splits off the phrase by which people announce that they change the subject, come back, or correct themselves.

A leading clause counts when all its words are words about talking and one of the signature words is among them,
so that wordings nobody listed are understood too; only what follows is searched for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from conversations.domain.acknowledging import only_acknowledges
from conversations.domain.corrections import asked_instead, asked_of_another, latest_said, retyped
from conversations.domain.question_places import Place, place_in
from conversations.domain.small_talk import acknowledges, is_small_talk


class CueKind(StrEnum):
    NONE = "none"
    PIVOT = "pivot"
    RETURN = "return"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class Cue:
    """A message cut in two: the announcing phrase (possibly empty) and the core that asks something.

    `lead` counts the characters of mere filler ("ok thanks.", "got it,") at the start of the core;
    `named` is true for a return that names what it returns to ("back to what you said about X") and for a change that
    names the new subject ("turning to X, …"), whose name is then the lead of the core. `place` is the earlier question
    that a return points at by its number or order; where it asks nothing else the core is the message itself.
    """

    kind: CueKind
    phrase: str
    core: str
    lead: int = 0
    named: bool = False
    place: Place | None = None


_FILLER = (
    "ok okay k alright right sure yes yeah yep yup no nope well so now then and but or also oh ah hm hmm mm mmm um uh er "
    "great good cool nice perfect awesome excellent fine lovely super brilliant wonderful interesting fair enough got "
    "it thanks thank you very much a lot so for that the this info help answer explanation cheers ta gotcha "
    "understood i see makes sense hey hi hello again please sorry anyway anyways anyhow actually really just quick "
    "quickly me my mine we us our ours to of on in at is was were be been being are am do does did can could may might "
    "will would shall should let lets let's i'd i'll i'm i've we'll we're it's that's there there's here here's have "
    "has had got get go goes going want wanted wants need needed like all an by as if with from about into out up "
    "aside apart what which one ones some something thing things stuff totally completely entirely slightly bit "
    "little quite rather somewhat very more most wholly whole altogether answers answered answering helps helped works worked"
)
_TALK = (
    "question questions topic topics subject subjects matter matters issue issues note notes query queries point points "
    "inquiry request item theme track tack area conversation discussion discussing discussed thread chat talk talking "
    "talked talks speak speaking spoke spoken say saying said ask asking asked wondering wondered wonder curious "
    "know mention mentioned mentioning tell told think thinking thought discuss explained explain gear gears lane lanes "
    "direction directions course context front tangent"
)
_PIVOT_WORDS = (
    "different another new other else unrelated separate separately unconnected irrelevant random off change changes "
    "changed changing switch switching switched shift shifting move moving moved hop hopping jump jumping pivot pivoting "
    "turn turning btw way next side sidenote forget nevermind never mind enough leave leaving drop "
    "dropping skip skipping past onto incidentally elsewhere entirely while before am i'm we're of besides "
    "related nothing not do relate relates aside putting setting set put meantime meanwhile apropos fresh start over "
    "done finished moving-on wrap pause park parking"
)
_RETURN_WORDS = (
    "back return returning returned revisit revisiting revert reverting resume resuming continue continuing circle "
    "circling rewind rewinding again earlier previous previously prior before first initial initially original "
    "originally former where left start started starting beginning began pick picking last regarding concerning "
    "re as when were above begin ago step come coming going getting jump jumping hop while yet still other was moment minute "
    "follow following up on topic off regard regards respect relation reference"
)
_CORRECTION_WORDS = (
    "actually meant mean sorry correction rather wait oops scratch typo wrong misspoke should said not no "
    "spelling spelled spelt misspelled misspelt mistyped typing mistake error meaning whoops argh"
)


def _words(*lists: str) -> frozenset[str]:
    return frozenset(word for text in lists for word in text.split())


_PIVOT_VOCABULARY = _words(_FILLER, _TALK, _PIVOT_WORDS)
_RETURN_VOCABULARY = _words(_FILLER, _TALK, _RETURN_WORDS)
_CORRECTION_VOCABULARY = _words(_FILLER, _CORRECTION_WORDS)
_FILLER_VOCABULARY = _words(_FILLER)

_NOUN = r"(?:question|topic|subject|matter|issue|note|query|point|inquiry|request|thing|item|theme|track|tack|area|one|front|direction|tangent|conversation)s?"
_PIVOT_SIGNATURE = re.compile(
    rf"""\b(?:
    (?<!\bthe\s)(?<!\bthat\s)(?:different|another|new|other|unrelated|separate|random|side|next|unconnected|fresh)\s+(?:\w+\s+)?{_NOUN}
    | (?:chang|switch|shift)\w*\s+(?:of\s+|the\s+|my\s+|our\s+|to\s+|up\s+)*(?:\w+\s+)?(?:{_NOUN}|gears?|lanes?|directions?|course)
    | (?:chang\w+|switch\w*|mov\w+|jump\w*|hop\w*|pivot\w*|turn\w*|shift\w*|skip\w*|go\w*|on)\s+(?:\w+\s+)?(?:on|over|past|to|onto)?\s*(?:\w+\s+){{0,2}}(?:else|different|new|unrelated|another|other)
    | mov\w+\s+(?:on|along|past)\b | unrelated(?:ly)? | (?:not|nothing|isn't)\s+(?:to\s+do\s+with|related|relat\w+|connected)
    | by\s+the\s+way | btw | incidentally | separately | apropos\s+of\s+nothing | off[\s-]topic | side\s*note | (?:in\s+the\s+)?mean(?:time|while)
    | something\s+(?:\w+\s+)?(?:else|different|new|unrelated) | (?:forget|drop|leave|park|skip|scratch)\s+(?:about\s+)?(?:that|it|this|all\s+that)
    | never\s*mind | enough\s+(?:of|about)\s+(?:that|this|it) | while\s+(?:i\s+have\s+you|i'm\s+(?:here|at\s+it)|we're\s+(?:here|at\s+it)|i\s+am\s+here)
    | before\s+i\s+(?:forget|go) | (?:aside|apart)\s+from\s+(?:that|this|all) | (?:putting|setting|leaving)\s+(?:that|this|it)\s+aside
    | on\s+to\s+(?:the\s+next|something) | next\s*(?:up|question|topic|thing) | one\s+more\s+thing | (?:done|finished)\s+with\s+(?:that|this|it)
    | fresh\s+start | start(?:ing)?\s+over | different(?:ly)?$ | anyways?$ | anyhow$
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_RETURN_SIGNATURE = re.compile(
    rf"""\b(?:
    (?:go\w*|come?\w*|get\w*|circl\w+|jump\w*|step\w*|switch\w*|hop\w*|loop\w*|turn\w*|back|let's)?\s*back\s+(?:to|on)\b | back\s+again\b | (?:circl|loop|go|com|jump|step|get)\w*\s+back\b | where\s+were\s+we\b | from\s+before$ | at\s+the\s+(?:start|beginning)$ | ^(?:ok(?:ay)?\s+)?back$
    | return\w*\s+to | revisit\w* | revert\w*\s+to | resum\w+ | rewind\w* | continu\w+\s+(?:with|on|from)\s+(?:\w+\s+)*(?:earlier|before|previous|first|original|other)
    | (?:pick\w*|where)\s+(?:\w+\s+){{0,3}}left\s+off | (?:where|what)\s+(?:were\s+)?we\s+(?:were|started|began|talk\w*|discuss\w*)?\s*
    | (?:my|the|our|that|your)\s+(?!(?:other|last|first|former)\s+one\b)(?:\w+\s+)?(?:earlier|previous|prior|first|initial|original|former|last|other)\s+(?:\w+\s+)?{_NOUN}
    | (?:what\s+(?:i|we|you)|as\s+i)\s+(?:\w+\s+){{0,2}}(?:ask\w*|said|talk\w*|discuss\w*|mention\w*|were)\s+(?:\w+\s+){{0,2}}(?:before|earlier|first|previously|originally|initially|at)
    | (?:earlier|before|previously|initially|originally)$ | (?:regarding|concerning|about|re|on|to)\s+(?:\w+\s+){{0,4}}(?:earlier|previous|first|before|original)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# "As you said earlier, …" claims something; it is no way back.
_CLAIMS = re.compile(
    r"^(?:as|since|because|like|and|but|so)?\s*you\s+(?:\w+\s+)?(?:said|told|mention\w*|explained|talked|spoke)\b",
    re.I,
)
_CORRECTION_SIGNATURE = re.compile(
    r"\b(?:i\s+meant|i\s+mean|meant|correction|(?:no|not)\s*,?\s*(?:that|this|it)(?:'s|\s+is)?\s+wrong|scratch\s+that|oops"
    r"|that\s+should\s+(?:be|have\s+been|say)|should\s+have\s+(?:said|been)|typo|spelling|mis(?:spelled|spelt|typed)|wait|misspoke|sorry\s*,?\s*(?:i|not))\b",
    re.IGNORECASE,
)
_RETURN_NAMED = re.compile(
    r"^(?:(?:ok(?:ay)?|alright|right|so|well|now|and|but|then|thanks|thank\s+you|great|cool|please|sorry|anyway|hm+)[\s,.!]+)*"
    r"(?:(?:can|could|may|shall)\s+we\s+|let'?s\s+|let\s+(?:us|me)\s+|take\s+me\s+|i(?:'d|\s+would)\s+like\s+to\s+|i\s+want(?:ed)?\s+to\s+|to\s+)?(?:please\s+|just\s+)?"
    r"(?:(?:go|going|get|getting|come|coming|circle|circling|jump|jumping|switch|switching|turn|turning|hop|step|return|returning)?\s*back\s+(?:to|on)|revisit(?:ing)?|returning\s+to|return\s+to(?=\s+(?:what|where|our|the\s+(?:topic|question|subject|discussion))\b))\s+"
    r"(?:(?:what|the\s+things?|everything|the\s+(?:part|bit|question|topic|point|discussion|subject|one))\s+)?(?:(?:you|we|i)\s+(?:\w+\s+){0,3}?(?:said|told\s+me|mentioned|discussed|explained|asked|talked|wrote)\s+)?"
    r"(?:(?:about|on|regarding|of)\s+)?",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"\s*(?:[,;:.!?…]+(?=\s|$)|\s[-–—]+(?=\s)|[–—]|\.{2,}|[-–—]+\s)\s*(?:but\s+|and\s+)?|\s+but\s+",
    re.IGNORECASE,
)
_NEXT_STARTS = re.compile(
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|should|may|has|have"
    r"|tell|give|show|explain|describe|list|please|i|i'm|i'd|my|the|there)\b(?:'s|'re)?",
    re.IGNORECASE,
)
_UNPUNCTUATED = re.compile(
    r"^(?:(?:ok(?:ay)?|alright|right|so|well|thanks|thank you|great|cool|and|now|hey|oh)\s+)*(?:"
    r"(?P<pivot>by the way|btw|incidentally|separately|unrelated(?:ly)?(?: question)?|(?:switching|changing) (?:gears|topics?|subjects?|the subject|the topic)"
    r"|(?:(?:a|one|on a|just a|i have a|i've got a)\s+)?(?:(?:completely|totally|entirely)\s+)?(?:different|new|another|separate|unrelated|random|side|next) (?:question|topic|subject|note|thing|matter|issue)"
    r"|never ?mind(?: that)?|moving on|on another note|off topic|anyways?|meanwhile|let's move on(?: to)?|before i forget|while i'm (?:here|at it)|while i have you)"
    r"|(?P<back>(?:(?:going |coming |circling |getting )?back to|returning to|about|regarding|for|on) (?:my|the|our|that) (?:earlier|previous|first|original|initial|prior|last|other) (?:question|topic|subject|point|issue|thing|one|matter|query)"
    r"|as (?:i|we) (?:asked|said|discussed) (?:before|earlier)|back to (?:before|earlier|that|it)|like before)"
    r")\s+",
    re.IGNORECASE,
)
# Words of leaving a subject that are subjects too: "moving on to parking: …", "now for leave: …".
_ALSO_SUBJECTS = frozenset({"parking", "leave", "park", "returning"})
LONGEST_CLAUSE = 14
# "Turning to research, …", "And now delivery: …": the new subject is named and belongs to the question.
_ANNOUNCED = re.compile(
    r"^(?:(?:and|so|ok(?:ay)?|alright|right|well|good|great|thanks|thank\s+you|i\s+see|got\s+it|fine)[\s,.!]+)*"
    r"(?:(?:turning|moving\s+on|switching(?:\s+over)?|going\s+on|passing\s+on|coming|on|over)\s+(?:now\s+)?to"
    r"|(?:now|then|next)(?:\s+(?:for|about|on|to)|\s*[,:])?|let'?s\s+(?:talk|speak)\s+(?:now\s+)?about|as\s+(?:for|to))\s+"
    r"(?=(?P<subject>(?!(?:i|we|you|it|that|this|they|he|she|there)\b)[\w'’-]+(?:\s+[\w'’-]+){0,2})(?:\s*[:.;]\s|\s*,\s|\s[-–—]\s|[–—])(?P<rest>.+))",
    re.IGNORECASE | re.DOTALL,
)
# "Leaving prices aside, …": the old subject is named and put away.
_DISMISSED = re.compile(
    r"^(?:(?:and|so|ok(?:ay)?|alright|right|well|good|great|thanks|thank\s+you)[\s,.!]+)*"
    r"(?:(?:leaving|putting|setting|let'?s\s+(?:leave|put|set))\s+(?:[\w'’-]+\s+){1,4}aside|(?:aside|apart)\s+from\s+(?:[\w'’-]+\s*){1,3}"
    r"|(?:enough|so\s+much)\s+(?:of|about|for|on)\s+(?:[\w'’-]+\s*){1,3})\s*[,.:;–—-]\s*(?=\w)",
    re.IGNORECASE,
)


# "Hello, …", "lol …": said before something is asked, and no part of it.
_GREETING = re.compile(
    r"(?:(?:hi|hiya|hello|hey|howdy|greetings|good\s+(?:morning|afternoon|evening|day)|lol|lmao|rofl|(?:ha){2,}h?|(?:he){2,}|omg)"
    r"(?:\s+(?:there|all|everyone|everybody|team|again|folks|guys))?(?:[\s,.!:…–—]|(?<=\s)-(?=\s)|[^\w\s?¿\"'(«„“-])+)+(?=[\w\"'(«„“¿.#]+\s+\S)",
    re.IGNORECASE,
)


def split_cue(message: str) -> Cue:
    """The announcing phrase of a message and the rest. The rest is never empty unless the message is."""
    polite, text = _without_polite_lines(message.strip())
    greeting = _GREETING.match(text)
    if greeting:
        polite, text = f"{polite} {greeting.group().strip()}".strip(), text[greeting.end() :]
    cue = _split(text)
    return replace(cue, phrase=f"{polite} {cue.phrase}".strip()) if polite else cue


def _without_polite_lines(text: str) -> tuple[str, str]:
    """The lines above a question that only thank or say that an answer was heard, and the rest without such lines below."""
    lines = text.split("\n")
    asking = [i for i, line in enumerate(lines) if line.strip() and not _is_polite(line)]
    if len(lines) == 1 or not asking:
        return "", text
    above = " ".join(line.strip() for line in lines[: asking[0]] if line.strip())
    return above, "\n".join(lines[asking[0] : asking[-1] + 1]).strip()


def _is_polite(line: str) -> bool:
    return only_acknowledges(line) or is_small_talk(line)


def _split(text: str) -> Cue:
    right = retyped(text)
    if right:
        start = text.rindex(right) if text.endswith(right) else 0
        return Cue(CueKind.CORRECTION, text[:start].strip(), text[start:])
    latest = latest_said(text)
    if latest:
        return Cue(CueKind.CORRECTION, text[:latest].strip(), text[latest:])
    another = asked_of_another(text)
    if another:
        return Cue(CueKind.NONE, text[: another[0]].strip(), text[another[0] :])
    question = asked_instead(text)
    if question:
        return Cue(CueKind.CORRECTION, text[:question].strip(), text[question:])
    pointed = place_in(text, _RETURN_VOCABULARY)
    if pointed:
        place, end = pointed
        start = 0 if place.bare else end
        kind = CueKind.NONE if place.of_that else CueKind.RETURN
        return Cue(kind, text[:start].strip(), text[start:], place=place)
    back = _named_return(text)
    if back:
        return back
    new = _named_pivot(text)
    if new:
        return new
    position, phrase_end, kind = 0, 0, CueKind.NONE
    for match in _SEPARATOR.finditer(text):
        clause = text[position : match.start()].strip(" \"'")
        found = CueKind.NONE if acknowledges(clause) else _clause_kind(clause)
        if found is None or match.end() >= len(text):
            break
        position = match.end()
        if found is not CueKind.NONE and kind is CueKind.NONE:
            kind = found
        phrase_end = position
        if kind is not CueKind.NONE:
            break
    if kind is CueKind.NONE:
        return _unpunctuated(text, phrase_end)
    return _second(Cue(kind, text[:phrase_end].strip(), text[phrase_end:]))


def _named_return(text: str) -> Cue | None:
    """ "Go back to what you said about X": X and what follows is the core. None where nothing is named."""
    match = _RETURN_NAMED.match(text)
    if match is None:
        return None
    rest = text[match.end() :].strip()
    words = re.findall(r"[\w'’-]+", re.split(r"[,;:.!?]|\s[-–—]", rest, maxsplit=1)[0].lower())
    if not words or all(word in _RETURN_VOCABULARY for word in words):
        return None
    return Cue(CueKind.RETURN, text[: match.end()].strip(), rest, named=True)


def _named_pivot(text: str) -> Cue | None:
    """A change of subject that names the new subject, which stays in the core, or the old one, which does not."""
    dismissed = _DISMISSED.match(text)
    if dismissed:
        return Cue(CueKind.PIVOT, text[: dismissed.end()].strip(), text[dismissed.end() :])
    match = _ANNOUNCED.match(text)
    if match is None or not _NEXT_STARTS.match(match.group("rest").lstrip()):
        return None
    subject = match.group("subject").lower().split()
    if all(word in _PIVOT_VOCABULARY - _ALSO_SUBJECTS for word in subject):
        return None
    lead = match.start("rest") - match.end()
    return Cue(CueKind.PIVOT, text[: match.end()].strip(), text[match.end() :], lead, named=True)


def _second(cue: Cue) -> Cue:
    """A second announcing clause right after the first is cut as well; "anyway, back to …" is a return."""
    match = _SEPARATOR.search(cue.core)
    found = _clause_kind(cue.core[: match.start()]) if match and match.end() < len(cue.core) else None
    if match is None or found in {None, CueKind.NONE, CueKind.CORRECTION}:
        return cue
    kind = CueKind.RETURN if CueKind.RETURN in {found, cue.kind} else cue.kind
    return Cue(kind, f"{cue.phrase} {cue.core[: match.end()].strip()}", cue.core[match.end() :])


def _unpunctuated(text: str, filler_end: int) -> Cue:
    for start in {0, filler_end}:
        match = _UNPUNCTUATED.match(text[start:])
        rest = text[start + match.end() :] if match else ""
        if match and len(rest.split()) >= 2:
            kind = CueKind.RETURN if match.group("back") else CueKind.PIVOT
            return Cue(kind, text[: start + match.end()].strip(), rest)
    return Cue(CueKind.NONE, "", text, filler_end)


def _clause_kind(clause: str) -> CueKind | None:
    """The cue of one clause, NONE for mere filler ("ok thanks"), None when the clause says something."""
    words = re.findall(r"[\w'’-]+", clause.lower().replace("’", "'"))
    if not words or len(words) > LONGEST_CLAUSE:
        return None
    if _CLAIMS.search(clause):
        return None
    if all(word in _RETURN_VOCABULARY for word in words) and _RETURN_SIGNATURE.search(clause):
        return CueKind.RETURN
    if all(word in _PIVOT_VOCABULARY for word in words) and _PIVOT_SIGNATURE.search(clause):
        return CueKind.PIVOT
    if all(word in _CORRECTION_VOCABULARY for word in words) and _CORRECTION_SIGNATURE.search(clause):
        return CueKind.CORRECTION
    if all(word in _FILLER_VOCABULARY for word in words) and len(words) <= 8:
        return CueKind.NONE
    return None
