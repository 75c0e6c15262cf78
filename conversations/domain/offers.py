"""Reads what an answer offers: the items of a list in their order, and the question it ends with.

"The second one" and "yes" mean nothing without these.
An offer is not a wish: nothing here makes an entity live.
"""

from __future__ import annotations

import re

from conversations.domain.entities import terms_of
from conversations.domain.language import Analysis
from conversations.domain.state import Question, Term
from conversations.domain.words import key_of

_ITEM = re.compile(r"(?:^|\n|\s)(?:(\d{1,2})[.)]|[-*•‣]|\(([a-h]|\d)\))\s+(?=\S)")
_LABEL = re.compile(r"^\s*(?:\*\*)?([^.:;,(–—\n*]{2,60}?)(?:\*\*)?\s*(?:[:–—.;,(]|\s-\s|$|\n)")
_ENUMERATION = re.compile(
    r"(?:\binclude|\bincluding|\bsuch as|\bare|\bis|\boffers?|\bare:|:)\s+(?P<list>[^.:;?!\n]{3,200}?,\s*[^.:;?!\n]{0,80}?\s*\b(?:and|or)\s+[^.;?!,\n]{2,60})",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:would you like|do you want|shall i|should i|want me to|can i|may i|interested in|would it help|like me to|let me know if)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"\b(?:how|what)\s+(?:can|may|could|else\s+can)\s+i\s+(?:help|assist|do)|\b(?:any|more|other|further)\s+(?:other\s+|more\s+)?questions?\b|\banything\s+else\b|\bwhat\s+would\s+you\s+like\s+to\s+know\b|\bhelp\s+you\s+(?:today|with)\b",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\b(?:which|what|when|where|who|how (?:many|much|long|often))\b", re.IGNORECASE)
MOST_ITEMS = 12


def offered_items(text: str, analysis: Analysis) -> tuple[Term, ...]:
    """The entries of the answer's list, in order; enumerations in a sentence count when there is no list."""
    items = _listed(text) or _enumerated(text)
    return tuple(Term(item, key_of(item)) for item in items[:MOST_ITEMS] if key_of(item))


def asked(turn: int, text: str, analysis: Analysis) -> Question | None:
    """The question at the end of an answer, or None."""
    sentences = [sentence for sentence in analysis.sentence_texts() if sentence]
    last = sentences[-1] if sentences else ""
    if not last.endswith("?") or _COURTESY.search(last):
        return None
    about = tuple(term for term in terms_of(analysis) if term.key in key_of(last))
    return Question(turn, last, _kind(last), about)


def _kind(question: str) -> str:
    if _WHICH.match(question):
        return "which"
    if " or " in question:
        return "choice"
    if _OFFER.search(question):
        return "offer"
    return "which" if _WHICH.search(question) else "open"


def _listed(text: str) -> list[str]:
    marks = list(_ITEM.finditer(text))
    numbers = [match.group(1) for match in marks]
    numbered = [m for m, n in zip(marks, numbers, strict=True) if n]
    marks = (
        numbered
        if len(numbered) >= 2
        else [m for m in marks if "\n" in m.group() or m.start() == 0 or "•" in m.group()]
    )
    if len(marks) < 2:
        return []
    ends = [*(match.start() for match in marks[1:]), len(text)]
    return [_label(text[match.end() : end]) for match, end in zip(marks, ends, strict=True)]


def _label(entry: str) -> str:
    match = _LABEL.match(entry)
    words = (match.group(1) if match else entry).strip(" *_`").split()
    return " ".join(words[:8])


def _enumerated(text: str) -> list[str]:
    match = _ENUMERATION.search(text)
    if not match:
        return []
    parts = re.split(r",\s*(?:and|or)\s+|,\s*|\s+(?:and|or)\s+", match.group("list"))
    items = [re.sub(r"^(?:the|a|an)\s+", "", part.strip()) for part in parts]
    return [item for item in items if item and len(item.split()) <= 8] if len(items) >= 2 else []
