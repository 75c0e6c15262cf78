"""Reads what an answer offers: the items of a list in their order, and the question it ends with.

"The second one" and "yes" mean nothing without these.
An offer is not a wish: nothing here makes an entity live.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from conversations.domain.entities import terms_of
from conversations.domain.language import Analysis
from conversations.domain.state import Exchange, Question, Term
from conversations.domain.words import contains_key, in_plural, key_of

_ITEM = re.compile(r"(?:^|\n|\s)(?:(\d{1,2})[.)]|[-*•‣]|\(([a-h]|\d)\))\s+(?=\S)")
_LABEL = re.compile(r"^\s*(?:\*\*)?([^.:;,(–—\n*]{2,60}?)(?:\*\*)?\s*(?:[:–—.;,(]|\s-\s|$|\n)")
_ENUMERATION = re.compile(
    r"(?:\bincludes?|\bincluding|\bsuch as|\bare|\bis|\boffers?|\bcomprises?|\bcontains?|\bare:|:)\s+(?P<list>[^.:;?!\n]{3,200}?,\s*[^.:;?!\n]{0,80}?\s*\b(?:and|or)\s+[^.;?!,\n]{2,60})",
    re.IGNORECASE,
)
# A list of two needs no comma.
_PAIR = re.compile(
    r":\s+(?P<list>[^.:;,?!\n]{2,60}\s(?:and|or)\s[^.:;,?!\n]{2,60})(?=[.;]?\s*(?:$|\n)|[.]\s)", re.IGNORECASE
)
_LABELLED = re.compile(
    r"(?:^|\n|[.!?]\s)(?P<label>[^\W\d_][^.:;,!?\n]{1,60}):\s+(?P<list>[^:;?!\n]{3,400}?)(?=[.;]?\s*(?:$|\n)|[.]\s)"
)
_TABLE_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
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
LONGEST_ITEM = 8
LONGEST_LIST = 400
LONGEST_ENTRY = 4
_YES_OR_NO = re.compile(r"\b(?:yes|no|none|not)\b", re.IGNORECASE)
# A row of a table written out: its thing, then the columns with their values.
_ROW = re.compile(
    r"(?:^|\n|[.!?\]]\s)(?P<label>[^\W\d_][^.:;,!?\n\[\]]{1,60}):\s+[A-Z][\w ]{1,30}?\s[^:?!\n]{1,200}?[,;]\s[A-Z][^:?!\n]{2,300}?(?=[.\[]|\s*(?:$|\n))"
)
FEWEST_BARE = 3
_SENTENCE = re.compile(r"[:;?!\n]|\.\s")


def offered_items(text: str, analysis: Analysis, listed: Collection[str] = ()) -> tuple[Term, ...]:
    """The entries of the answer's list, in order; enumerations in a sentence count when there is no list.

    `listed` are keys of the kinds of things that the user asked for in the plural: "Region: Dublin, Zurich" is a list
    for who asked for the regions.
    """
    items = (
        _listed(text)
        or _rows(text)
        or _labelled(text, listed)
        or _enumerated(text, analysis)
        or _bare(text, analysis, listed)
    )
    known = {term.key: term for term in terms_of(analysis)} if items else {}
    keys = [(item, key_of(item)) for item in items[:MOST_ITEMS]]
    return tuple(
        Term(item, key, known[key].type, known[key].name) if key in known else Term(item, key)
        for item, key in keys
        if key
    )


def kinds_asked_for(message: Analysis) -> frozenset[str]:
    """Keys of the plural nouns of a message: what it may want listed."""
    plural = [
        t
        for t in message.tokens
        if t.tag in {"NNS", "NNPS"} or (t.pos in {"NOUN", "PROPN", "VERB", "X"} and in_plural(t.text))
    ]
    return frozenset(key_of(word) for t in plural for word in (t.text, t.lemma))


def whole(terms: Iterable[Term], text: str, listed: Collection[str]) -> tuple[Term, ...]:
    """The terms without mere parts of what a line lists: grammar takes "Resole welted shoes, New heel" for a sentence."""
    entries = [key_of(item) for item in _labelled(text, listed)]
    return tuple(t for t in terms if not any(t.key != e and contains_key(e, t.key) for e in entries))


def list_meant(exchanges: Iterable[Exchange]) -> Exchange | None:
    """The exchange whose list "the second one" means: the last that was shown.

    Who picks from a list goes on with that list, whatever the answer about one entry enumerates on the side.
    """
    lists = sorted((e for e in exchanges if len(e.items) > 1), key=lambda e: -e.turn)
    for index, latest in enumerate(lists):
        if not any(picks_from(latest, earlier) for earlier in lists[index + 1 :]):
            return latest
    return None


def picks_from(later: Exchange, earlier: Exchange) -> bool:
    """Whether a turn asked about an entry of an earlier turn's list without naming it: "how much is the second?"."""
    return bool({term.key for term in later.inherited} & {item.key for item in earlier.items})


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


def _rows(text: str) -> list[str]:
    """The first column of a Markdown table, its heading aside."""
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("|")]
    rule = next((n for n, line in enumerate(lines) if _TABLE_RULE.fullmatch(line)), 0)
    return [_label(line.strip("| ").split("|")[0]) for line in lines[rule + 1 :]] if rule else []


def _labelled(text: str, listed: Collection[str]) -> list[str]:
    """ "Region: Dublin, Zurich." for who asked for regions; "Dublin: RPO 5 min, RTO 1 h" tells values, not entries."""
    for match in _LABELLED.finditer(text):
        items = _entries(match.group("list"))
        valued = sum(any(char.isdigit() for char in item) for item in items)
        if key_of(match.group("label")).split()[-1] in listed and len(items) > 1 and valued < len(items):
            return items
        if listed and not valued and _all_entries(items):
            return items
    return _labels(text) if listed else []


def _all_entries(items: Sequence[str]) -> bool:
    """Whether what follows any label is a list for who asked for several things: "The Grove: Seedling, Cedar, Redwood"."""
    return len(items) >= FEWEST_BARE and not any(
        len(item.split()) > LONGEST_ENTRY or _YES_OR_NO.search(item) for item in items
    )


def _labels(text: str) -> list[str]:
    """The things that rows of a table are about, for who asked for them: "Hanging wallpaper: Store Leeds, Hours 3. …"."""
    rows = [match.group("label").strip() for match in _ROW.finditer(text)]
    return rows if len(rows) > 1 and len(set(rows)) == len(rows) else []


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


def _enumerated(text: str, analysis: Analysis) -> list[str]:
    """ "There are three: Dublin, Zurich and Madrid." Clauses in a row are no entries of a list."""
    for match in (*_ENUMERATION.finditer(text), *_PAIR.finditer(text)):
        items = _entries(match.group("list"))
        if len(items) >= 2 and not _has_clause(*match.span("list"), analysis):
            return items
    return []


def _bare(text: str, analysis: Analysis, listed: Collection[str]) -> list[str]:
    """ "Brakes, traction battery and doors.": an answer that is nothing but a list, for who asked for several things."""
    row = text.strip().rstrip(".")
    if not listed or "," not in row or len(row) > LONGEST_LIST or _SENTENCE.search(row):
        return []
    items = _entries(row)
    valued = sum(any(char.isdigit() for char in item) for item in items)
    return (
        items if len(items) >= FEWEST_BARE and not valued and not _has_clause(0, len(text), analysis) else []
    )


def _entries(row: str) -> list[str]:
    """ "The Hague, Delft and Leiden" → three entries, without their articles."""
    parts = re.split(r",\s*(?:and|or)\s+|,\s*|\s+(?:and|or)\s+", row)
    items = (re.sub(r"^(?:the|a|an)\s+", "", part.strip()) for part in parts)
    return [item for item in items if item and len(item.split()) <= LONGEST_ITEM]


def _has_clause(start: int, end: int, analysis: Analysis) -> bool:
    inside = (token for token in analysis.tokens if start <= token.start < end)
    return any(token.tag in {"VBD", "VBZ", "VBP", "MD"} for token in inside)
