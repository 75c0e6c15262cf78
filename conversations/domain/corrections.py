"""Recognises the wordings by which people correct themselves, and reads from them what is right and what was wrong.

"No, I meant the lamp", "sorry, typo: refund", "*Norway", "not Dublin, Cork", "Cork, not Dublin": patterns over general
English that know nothing of what was asked.
"""

from __future__ import annotations

import re

from conversations.domain.vocabulary import words
from conversations.domain.words import PERSONAL, QUESTION, key_of

# "I said York", "sorry, York not Leeds", "oops, the small one", "no, the restaurant": nothing but what should have been said.
_NO_CLAUSE = r"(?!(?:i|it|we|you|that|this|they|there|is|are|was|do|does|did|can|could|will|would|about|to|but|if|what|why|how|when|your|no|not|thanks?|for|again|all|ok(?:ay)?|bye)\b)"
_NO_REMARK = r"(?!(?:sorry|please|wait|really|problem|worr(?:y|ies)|ideas?|way|never|nothing|none|nobody|just|only|maybe|perhaps|probably|later|bye|cheers|still|more|others?|another|wrong|right|correct|exactly|definitely|honestly|need|good|great|fine|because|since|well|nope|yes)\b)"
_ARTICLE = r"(?:(?:the|a|an|my|our|in|at|on|from)\s+){0,2}"
_SAID_AGAIN = re.compile(
    rf"^(?:(?:no|nope|sorry|oops|wait|hm+|oh|ah|but|well)[\s,.!–—-]+)*i\s+(?:said|wrote|asked\s+(?:about|for)|was\s+asking\s+(?:about|for))\s+{_ARTICLE}{_NO_CLAUSE}[\w'’-]+(?:\s+[\w'’-]+){{0,2}}\s*[.!]*$"
    rf"|^(?:no|nope|sorry|oops)[\s,.!–—-]+{_ARTICLE}(?:{_NO_CLAUSE}[\w'’-]+\s+){{1,3}}(?:and\s+)?not\s+{_ARTICLE}{_NO_CLAUSE}[\w'’-]+(?:\s+[\w'’-]+)?\s*[.!]*$"
    rf"|^(?:sorry|(?:my\s+)?apologies|(?:w?h?)oops(?:ie)?|er+m*)[\s,.:!–—-]+{_ARTICLE}{_NO_CLAUSE}[\w'’-]+(?:\s+{_NO_CLAUSE}[\w'’-]+)?\s*[.!]*$"
    rf"|^(?:no|nope)\s*[,.!–—-]\s*(?:the|a|an|in|at|for|on|from)\s+(?:the\s+)?{_NO_CLAUSE}[\w'’-]+(?:\s+{_NO_CLAUSE}[\w'’-]+)?\s*[.!]*$"
    rf"|^(?:no|nope|nah)[\s,]+(?:no|wait|sorry|actually|rather)[\s,.!–—-]+{_ARTICLE}{_NO_REMARK}{_NO_CLAUSE}[\w'’-]+(?:\s+{_NO_CLAUSE}[\w'’-]+){{0,2}}\s*[.!]*$"
    rf"|^not\s+(?P<article>the|an?|my)\s+{_NO_CLAUSE}[\w'’-]+\s+(?P=article)\s+{_NO_CLAUSE}[\w'’-]+(?:\s+{_NO_CLAUSE}[\w'’-]+)?\s*[.!]*$"
    rf"|^not\s+{_ARTICLE}{_NO_CLAUSE}[\w'’-]+(?:\s+[\w'’-]+)?\s+but\s+{_ARTICLE}{_NO_CLAUSE}[\w'’-]+(?:\s+{_NO_CLAUSE}[\w'’-]+)?\s*[.!]*$"
    rf"|^{_ARTICLE}(?!(?:so|very|really|im|terribly)\b)(?:{_NO_CLAUSE}[\w'’-]+[\s,]+){{1,3}}(?:sorry|oops|my\s+bad|typo|after\s+all)\s*[.!]*$"
    rf"|^(?:sorry|apologies)\s+(?:for|about)\s+(?:the|that|this|my)\s*\w*\s*[,.;:–—-]\s*(?:i\s+mean|{_ARTICLE}{_NO_CLAUSE}[\w'’-]+\s*[.!]*$)"
    rf"|^[\w'’-]+\s*(?:=|->|=>|→)\s*[\w'’-]+\s*$"
    rf"|^(?:no|nope|nah)(?:[\s,]+no)?\s*[,.!–—-]\s*{_NO_REMARK}{_NO_CLAUSE}[\w'’-]+(?:\s+{_NO_CLAUSE}[\w'’-]+){{0,2}}\s*[.!]*$",
    re.IGNORECASE,
)
CORRECTION = re.compile(
    r"^(?:(?:no|nope|sorry|oops|wait|hm+|oh|ah|ok(?:ay)?|well|so)[\s,.!—–-]+)*"
    r"(?:(?:actually[\s,]+)?i\s+(?:meant|mean|was\s+asking\s+about)\b|that\s+should\s+(?:be|have)|make\s+that\b"
    r"|(?:actually|rather|correction)[\s,:—–-]+(?:no\b|not\b|make|it'?s|the\b|for\b|in\b|i\b|[A-Z0-9])"
    r"|not\s+(?:the\s+)?[\w'-]+(?:\s+[\w'-]+)?\s*[,;.—–-]\s*(?:but\s+)?(?:the\s+)?[\w'-]+)",
    re.IGNORECASE,
)
_MISTAKE = re.compile(
    r"\b(?:my\s+(?:mistake|bad|error)|i\s+mixed\s+(?:\w+\s+)?up|let\s+me\s+(?:rephrase|correct)|you(?:'ve|\s+have)?\s+(?:misunderstood|got\s+(?:me|that|it)\s+wrong|misread)"
    r"|should\s+have\s+(?:said|written|asked|typed)|not\s+what\s+i\s+(?:meant|asked)|i\s+was\s+(?:wrong|mistaken)|wrong\s+(?:one|\w+)\s*,\s*sorry|sorry\s*,\s*wrong\s+\w+|i\s+misspoke|typo)\b"
    r"|^(?:oops|correction|no,\s*correction)\b",
    re.IGNORECASE,
)
# What only a statement can take back: "that's the wrong shop", "mine is red, not blue", "I live in Oslo actually".
_TAKEN_BACK = re.compile(
    r"\bi\s+(?:(?:have|had|just|must\s+have)\s+)?(?:got|read|wrote|typed|said|asked|picked|chose|took|named|gave|put|written|used)\b.{0,30}?\b(?:wrong|by\s+mistake|incorrectly|instead)\b"
    r"|(?:^|[,;.]\s*)(?:no[\s,]+)?(?:that|it|this|[\w'’-]+)(?:['’]s|\s+is|\s+was)\s+(?:the\s+)?wrong\b|^(?:(?:no|oh|sorry|oops)[\s,]+)*wrong\s+\w+\b|^(?:scratch|strike|ignore|cancel)\s+that\b|^(?:hang|hold)\s+on\b"
    r"|\bi\s+was\s+(?:(?:really|actually|just)\s+)?(?:asking\s+(?:about|for)|talking\s+(?:about|of)|thinking\s+(?:about|of))\b"
    r"|\bi\s+(?:do\s*n['’]?o?t|did\s*n['’]?o?t)\s+(?:mean|want|ask|need)\b|^(?:h?m+[\s,.]+)*(?:no|nope)[\s,.]+(?:i|it['’]?s|mine|my|we|ours?)\b"
    r"|\bi\s+(?:said|wrote|typed)\b.{1,40}\bbut\b|,\s*not\s+(?:(?:the|a|an|my|in|for|to|on|at|from)\s+)*[\w'’-]+(?:\s+[\w'’-]+)?\s*[.!]*$|^(?:it['’]?s|mine|i|we|my)\b[^,;]{2,40}\bactually[.!]*$"
    r"|\b(?:ask|say|put\s+it|try)\s+(?:that\s+)?(?:differently|again|another\s+way)\b",
    re.IGNORECASE,
)
_LATE = re.compile(
    r"^(?:[\w'’-]+[\s,]+){1,5}i\s+mean(?:t)?\s*[.!]*$|^(?:no|nope|sorry|not)\b.{0,80}[,;.–—-]\s*(?:but\s+)?i\s+mean(?:t)?\b",
    re.IGNORECASE,
)
LONGEST_CORRECTION = 16
LONGEST = 4
_SORRY = r"(?:(?:no|nope|nah|(?:sorry|apologies)\s+(?:for|about)\s+(?:the|that|this|my)(?:\s+\w+)?|sorry|(?:my\s+)?apologies|(?:w?h?)oops(?:ie)?|wait|hm+|oh|ah|argh|ugh|er+m*|um+|ok(?:ay)?|well|so|actually|rather|pardon|my\s+(?:bad|mistake)|scratch\s+that)[\s,.!:;…–—-]+)*"
_SAID = (
    r"(?:(?:i\s+(?:mean|meant|should\s+have\s+(?:said|written|typed)|wanted\s+to\s+(?:say|write)|was\s+asking\s+(?:about|for)|said|wrote|asked\s+(?:about|for))"
    r"|make\s+(?:that|it)|(?:(?:that|it|this)\s+)?should\s+(?:be|read|say|have\s+(?:been|read|said))|(?:it['’]?s|it\s+is|that['’]?s)\s+(?:spelled|spelt|written)"
    r"|(?:(?:a|my|that\s+was\s+a|there\s+is\s+a|stupid|silly)\s+)?(?:typo|typing\s+error|spelling\s+mistake)|mis(?:spelled|spelt|typed)(?:\s+(?:that|it))?|spelled|wrong\s+(?:one|\w+)|correction|or\s+rather)[\s,.:;–—-]+|\*\s*)*"
)
_PREPOSITION = r"(?:(?:for|in|on|to|at|from|with|without|about|of|per|by|during|the|a|an|my|our)\s+){0,2}"
_PHRASE = r"[^\s,.;:!?()*–—]+(?:\s+[^\s,.;:!?()*–—]+){0,3}?"
_END = r"(?:[\s,]+(?:sorry|instead|please|pls|i\s+mean(?:t)?|of\s+course|obviously|after\s+all|actually|typo|my\s+(?:bad|mistake)))*\s*[.!?*]*$"
PREPOSITIONS = "for|in|on|to|at|from|with|without|before|after|under|over|by|during|per"
_THE = r"(?:(?:the|an?|my|our)\s+)?"
_RIGHT = re.compile(
    rf"^{_SORRY}{_SAID}{_PREPOSITION}[\"'“‘]?(?P<right>{_PHRASE})[\"'”’]?{_END}", re.IGNORECASE
)
_NOT = r"(?:(?:and\s+|but\s+)?not|instead\s+of|rather\s+than)"
_INSTEAD = (
    re.compile(
        rf"^{_SORRY}(?:i\s+(?:do\s*n['’]?o?t|did\s*n['’]?o?t)\s+mean|{_NOT})\s+{_PREPOSITION}(?P<wrong>{_PHRASE})\s*[,.;:–—-]+\s*(?:but\s+|i\s+mean(?:t)?\s+|it['’]?s\s+|rather\s+)*{_PREPOSITION}(?P<right>{_PHRASE}){_END}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^{_SORRY}(?:i\s+(?:do\s*n['’]?o?t|did\s*n['’]?o?t)\s+mean|not)\s+{_PREPOSITION}(?P<wrong>{_PHRASE})\s+but\s+{_PREPOSITION}(?P<right>{_PHRASE}){_END}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^{_SORRY}{_SAID}{_PREPOSITION}(?P<right>{_PHRASE})[\s,;–—-]+{_NOT}\s+{_PREPOSITION}(?P<wrong>{_PHRASE}){_END}",
        re.IGNORECASE,
    ),
    re.compile(
        r"^not\s+(the|an?|my)\s+(?P<wrong>[\w'’-]+(?:\s+[\w'’-]+)?)\s+\1\s+(?P<right>[\w'’-]+(?:\s+[\w'’-]+)?)\s*[.!]*$",
        re.IGNORECASE,
    ),
    re.compile(r"^(?P<wrong>[\w'’-]+)\s*(?:=|->|=>|→)\s*(?P<right>[\w'’-]+)\s*$"),
)
_MISSPELT = re.compile(r"\b(?:typo|typing|spell\w*|spelt|mis(?:spelled|spelt|typed))\b|\*", re.IGNORECASE)
_ASKED_INSTEAD = re.compile(
    rf"^{_SORRY}(?:(?:what\s+)?i\s+(?:mean|meant|wanted\s+to\s+(?:ask|know))(?:\s+(?:to\s+ask|is|was))?)[\s,.:;–—-]+"
    r"(?P<question>(?:do|does|did|can|could|is|are|was|may|will|would|should|how\s+\w+|what|when|where|which|who)\s+\w+\s+\w+\s+.{3,})$",
    re.IGNORECASE | re.DOTALL,
)
_ONE = re.compile(r"\s+ones?$", re.IGNORECASE)
# What makes a clause of a phrase.
_CLAUSE = (
    PERSONAL
    | QUESTION
    | words(
        "i we you me us this that these those is are was were am be been do does did can could will would should may must have has had not no yes never there here if because thanks thank thx sorry again all okay ok one ones only just also too maybe perhaps really in on at to for from with by about"
    )
)
# "*Norway", "Norway*": the word as it should have been typed. "*sigh*" is none.
_RETYPED = re.compile(
    r"(?:(?:sorry|oops|ah|oh|no|typo)[\s,.:!]+)?(?:\*+\s*(?P<after>[^*?\n]{1,60}[^*?\s])|(?P<before>[^*?\n]{1,60}[^*?\s])\s*\*+)"
)


# "Leeds. No, York", "the blue one - wait, the red one": each puts right what stands before it.
_ONCE_MORE = re.compile(
    r"[.,;!?…–—-]+\s*(?=(?:no|nope|nah|sorry|wait|actually|scratch\s+that|i\s+mean(?:t)?|(?:or\s+)?rather|make\s+(?:that|it)|(?:hang|hold)\s+on)\b[\s,.:;!…–—-]+[^\W_])",
    re.IGNORECASE,
)
# "It's not the shoes I'm asking about, it's mattresses. How long …?"
_CLEFT = re.compile(
    rf"^{_SORRY}(?:(?:it|this|that)(?:['’]?s|\s+is|\s+was)\s+not|(?:it|this|that)\s+(?:is|was)n['’]?t|not)\s+(?:about\s+)?{_PREPOSITION}(?P<wrong>{_PHRASE})\s+(?:that\s+|which\s+)?"
    r"(?:i|we)(?:['’]?m|['’]?re|\s+am|\s+are|\s+was|\s+were)?\s+(?:really\s+|actually\s+)?(?:mean(?:t)?|want(?:ed)?|need(?:ed)?|ask(?:ed|ing)?|talking|interested|enquiring|inquiring|looking|after|wondering|thinking)(?:\s+(?:about|for|in|of))?"
    rf"\s*[,.;:–—-]+\s*(?:but\s+|rather\s+|it(?:['’]?s|\s+is|\s+was)\s+|i(?:['’]?m|\s+am)?\s+(?:mean(?:t)?|asking\s+about|interested\s+in)\s+)*(?:about\s+)?(?P<right>(?:(?:the|an?|my|our)\s+)?{_PHRASE})\s*[.!?;]\s+(?P<question>\S+\s+\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NO_MORE = re.compile(rf"{_SORRY}(?:no|sorry|wait|actually|scratch\s+that)", re.IGNORECASE)
_HOLDS_ON = re.compile(r"\b(?:hang|hold)\s+on\b|\bone\s+sec(?:ond)?\b", re.IGNORECASE)
_GROANS = re.compile(r"^(?:(?:ugh|argh|gah|d(?:amn|oh)|oh\s+dear|silly\s+me)[\s,.!…–—-]+)+", re.IGNORECASE)


def latest_said(text: str) -> int:
    """Where the last correction of a chain begins, which is the only one that counts: "Leeds. No, York"; 0 without one."""
    if len(text.split()) > LONGEST_CORRECTION:
        return 0
    first, before = 0, ""
    for match in _ONCE_MORE.finditer(text):
        part = text[first : match.start()].rsplit("?", 1)[-1]
        if not _NO_MORE.fullmatch(part.strip()):
            first, before = match.end(), part
    return first if _names(before) and _names(text[first:]) else 0


def _names(said: str) -> bool:
    """Whether a part of a chain says what is right: "no, the red one"."""
    return is_phrase(_ONE.sub("", _phrase(said)))


def asked_of_another(text: str) -> tuple[int, str] | None:
    """Where a message names what it asks about instead, and the key of what it does not ask about; None where it does not.

    "It's not shoes I mean, it's hats. How long can I keep one?"
    """
    match = _CLEFT.match(text)
    return (match.start("right"), key_of(match["wrong"])) if match and is_phrase(match["right"]) else None


def _plainly(text: str) -> str:
    """The same correction without groans, and with "wait" for "hang on"."""
    return _HOLDS_ON.sub("wait", _GROANS.sub("", text.strip()))


def is_correction(text: str) -> bool:
    said, text = text.strip(), _plainly(text)
    if (
        CORRECTION.match(text.strip())
        or _SAID_AGAIN.match(text.strip())
        or _LATE.search(text)
        or _MISTAKE.search(text[:200])
    ):
        return True
    if "?" in text or len(text.split()) > LONGEST_CORRECTION:
        return False
    return bool(_TAKEN_BACK.search(text) or _TAKEN_BACK.search(said)) or instead_in(text.strip()) is not None


def retyped(text: str) -> str:
    """The word that was put right with an asterisk, empty without one."""
    match = _RETYPED.fullmatch(text)
    right = (match["after"] or match["before"]) if match else ""
    return right if len(right.split()) <= LONGEST else ""


def asked_instead(text: str) -> int:
    """Where the question begins that a correction asks in full: "I meant, do you price match other shops?"; 0 without one."""
    match = _ASKED_INSTEAD.match(text)
    return match.start("question") if match else 0


def right_in(said: str) -> str:
    """What a correction says instead, as it is written there; empty where it says more than a few words."""
    right = _phrase(said[latest_said(said) :])
    return right if is_phrase(right) else ""


def _phrase(said: str) -> str:
    match = _RIGHT.match(_plainly(said))
    return match["right"] if match else ""


def preposition_in(said: str, right: str) -> str:
    """The preposition before what a correction says is right: "without" of "no, without breakfast"."""
    match = re.search(
        rf"\b(?P<preposition>{PREPOSITIONS})\s+{_THE}{re.escape(right)}\W*$", said, re.IGNORECASE
    )
    return match["preposition"] if match else ""


def instead_in(said: str) -> tuple[str, str] | None:
    """What a correction says is wrong and what it says instead: "not Dublin, Cork"; None where it does not say both."""
    said = _plainly(said[latest_said(said) :])
    for match in filter(None, (pattern.match(said) for pattern in _INSTEAD)):
        wrong, right = (_ONE.sub("", match[name]) for name in ("wrong", "right"))
        if wrong and is_phrase(right):
            return wrong, right
    return None


def is_misspelling(said: str) -> bool:
    """Whether a correction says that the word was only misspelt."""
    return bool(_MISSPELT.search(said))


def is_phrase(text: str) -> bool:
    """Whether a few words name something, and are no clause: "audit logs", not "it works"."""
    spoken = text.lower().replace("’", "'").split()
    return 0 < len(spoken) <= LONGEST and not set(spoken) & _CLAUSE and bool(key_of(text))
