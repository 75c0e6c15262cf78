"""Finds the things a text is about: typed names, and noun phrases that can carry a subject.

Names with signs in them (C++, .NET, eu-west-1, O'Neil) are found by rule, because tokenizers break them.
A name is recognised again as whole words, whatever its case, plural or possessive.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from conversations.domain.aspects import is_acronym
from conversations.domain.language import Analysis, Phrase, Token
from conversations.domain.state import Term
from conversations.domain.stray_nouns import DO, LONGEST_TERM, asks_with_do, before_its_verb, outside_phrases
from conversations.domain.vocabulary import words
from conversations.domain.words import (
    CALENDAR,
    COLOURS,
    GENERIC_KEYS,
    STOP_KEYS,
    contains_key,
    key_of,
    normalise,
)

# What the language library calls a name → the product's types. Quantities are facts, not entities.
TYPES = {
    "PERSON": "person", "NORP": "group", "FAC": "place", "ORG": "organization", "GPE": "place", "LOC": "place",
    "PRODUCT": "product", "EVENT": "event", "WORK_OF_ART": "work", "LAW": "law", "LANGUAGE": "language",
    "DATE": "date",
}  # fmt: skip
QUANTITIES = words("QUANTITY MONEY PERCENT CARDINAL ORDINAL TIME")
_REGION = re.compile(r"(?<![\w-])[a-z]{2,9}-(?:[a-z]+-)+\d+[a-z]?(?![\w-])", re.IGNORECASE)
_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:"
    r"[A-Za-z][\w]*(?:\+\+|#)(?!\w)"  # C++, C#, F#
    r"|\.[A-Z][A-Za-z]+\b"  # .NET
    r"|[A-Z]\w*\.(?:js|io|ai|com|net|py)\b"  # Node.js
    r"|[A-Z][\w]*['’][A-Z]\w+"  # O'Neil
    r"|[A-Z]+&[A-Z]\w*"  # AT&T
    r"|[A-Za-z]+\s&\s[A-Za-z]+\b"  # Black & Decker, drop & go
    r"|[A-Za-z]+-?\d+(?:[-.][\w]+)*\b"  # S3, TLS1.3, gpt-4o, ER-2
    r"|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b"  # RANGE_TOO_LONG, max_retries
    r")"
)
# "Good morning. Yes, …", "Congratulations! …", "Pity. Can I …": said to be polite, about nothing.
_COURTESY = re.compile(
    r"(?:^|(?<=[.!?]\s))(?:good\s+(?:morning|afternoon|evening|day|luck)|greetings|congrat\w+|condolences|apolog(?:y|ies)|(?:many\s+)?thanks"
    r"|cheers|welcome|pity|shame|no\s+(?:problem|worries)|my\s+(?:bad|mistake)|well\s+done|(?:best|kind)\s+(?:wishes|regards)|please"
    r"|pardon|sorry|hello|hi|hey|bye)(?=\s*(?:[.!?,]|$))",
    re.IGNORECASE,
)
# "Where does it take place?", "can somebody go in my place?": a noun that is part of a turn of phrase is no thing.
_TURN_OF_PHRASE = re.compile(
    r"\b(?:(?:take|takes|took|taken|taking)\s+(?:place|part|care|effect|turns)|(?:make|makes|made|making)\s+(?:sense|use|sure)"
    r"|(?:pay|pays|paid|paying)\s+attention|(?:have|has|had|having|take|takes|took|taking)\s+a\s+look|keep(?:s|ing)?\s+track"
    r"|(?:in|take|takes|taking)\s+(?:my|your|his|her|its|our|their|(?:some|any)(?:one|body)(?:\s+else)?['’]s)\s+place)\b",
    re.IGNORECASE,
)
_RELATIVE_DATE = re.compile(
    r"\b(today|yesterday|tomorrow|now|ago|daily|weekly|monthly|annual\w*|yearly|old)\b", re.I
)
_EDGES = words("PUNCT SPACE SYM DET PRON AUX CCONJ SCONJ ADP PART INTJ ADV")
_LOOSE = words(
    """
    other same such more most many few several certain different new own next last another
    """
)


def terms_of(analysis: Analysis) -> tuple[Term, ...]:
    """The names and noun phrases of a text in reading order, each once."""
    no_things = (_COURTESY, _TURN_OF_PHRASE)
    empty = [match.span() for pattern in no_things for match in pattern.finditer(analysis.text)]
    found = [
        (start, term)
        for start, term in (
            *_named(analysis),
            *_phrases(analysis),
            *_gerunds(analysis),
            *before_its_verb(analysis),
            *outside_phrases(analysis),
            *_versions(analysis),
        )
        if term.key and not any(first <= start < last for first, last in empty)
    ]
    found.extend(_capitals(analysis, {word for _, term in found for word in term.key.split()}))
    kept: dict[str, Term] = {}
    for _, term in sorted(found, key=lambda item: (item[0], -len(item[1].key))):
        kept.setdefault(term.key, term)
    return tuple(kept.values())


def names_of(analysis: Analysis) -> tuple[Term, ...]:
    """Only the names."""
    return tuple(term for term in terms_of(analysis) if term.name)


def ranked_terms(analysis: Analysis, limit: int = 12) -> tuple[Term, ...]:
    """The terms of a longer text, weighed by their most frequent word; earlier ones first among equals."""
    terms = terms_of(analysis)
    counts = Counter(normalise(analysis.text))
    order = sorted(range(len(terms)), key=lambda i: (-_weight(terms[i], counts), i))
    return tuple(terms[i] for i in order[:limit])


def _weight(term: Term, counts: Counter[str]) -> int:
    words = [word for word in term.key.split() if word not in STOP_KEYS and word not in GENERIC_KEYS]
    return max((counts[word] for word in words), default=0)


def content_keys(analysis: Analysis) -> frozenset[str]:
    """The words that carry meaning, as keys."""
    return frozenset(
        key
        for token in analysis.words()
        if token.pos not in {"DET", "PRON", "ADP", "AUX", "CCONJ", "SCONJ", "PART", "INTJ"}
        for key in normalise(token.text)
        if key not in STOP_KEYS and len(key) > 1
    )


def predicate_of(analysis: Analysis) -> tuple[str, ...]:
    """The verbs that carry meaning, as written: "How do I return shoes?" → ("return",)."""
    found = (
        t.text
        for t in analysis.tokens
        if t.pos == "VERB" and key_of(t.text) not in STOP_KEYS and t.text.isalpha()
    )
    return tuple(dict.fromkeys(found))[:4]


def names_slot(name: str, slot_type: str, analysis: Analysis, text_key: str) -> bool:
    """Whether a message names an entity; a name that is also a common word must be used as a name."""
    key = key_of(name)
    if not contains_key(text_key, key):
        return False
    if slot_type == "topic" or " " in key or not name[:1].isupper():
        return True
    return any(_used_as_name(token, analysis) for token in analysis.tokens if key_of(token.text) == key)


def _used_as_name(token: Token, analysis: Analysis) -> bool:
    if token.text[:1].isupper() or token.pos in {"PROPN", "X", "NUM"}:
        return True
    if token.pos in {"VERB", "AUX", "ADV", "ADP", "SCONJ", "ADJ"}:
        return len(analysis.tokens) <= 4
    determined = any(t.head == analysis.tokens.index(token) and t.pos == "DET" for t in analysis.tokens)
    return not determined and token.dep != "compound"


def _named(analysis: Analysis) -> Iterable[tuple[int, Term]]:
    taken: list[tuple[int, int]] = []
    for start, end, slot_type in (*_by_rule(analysis), *_by_label(analysis)):
        if any(start < right and left < end for left, right in taken):
            continue
        taken.append((start, end))
        start = start if slot_type == "identifier" else _name_start(start, end, analysis)
        text = _trimmed(analysis.text[start:end])
        key = key_of(text)
        ruled = slot_type in {"identifier", "date"}
        written = any(char.isupper() or char.isdigit() for char in text)
        if (
            key
            and (written or ruled or (slot_type == "place" and _all_proper(start, end, analysis)))
            and (ruled or not all(part in STOP_KEYS or part in GENERIC_KEYS for part in key.split()))
        ):
            yield start, Term(text, key, slot_type, True)


def _all_proper(start: int, end: int, analysis: Analysis) -> bool:
    """Whether grammar sees a name where somebody wrote it in small letters: "what about zurich"."""
    return all(token.pos == "PROPN" for token in analysis.tokens if start <= token.start < end)


def _name_start(start: int, end: int, analysis: Analysis) -> int:
    """Where a name begins once a leading verb or article, swallowed by the library, is left out."""
    inside = [token for token in analysis.tokens if start <= token.start < end]
    while len(inside) > 1 and (inside[0].pos in _EDGES or inside[0].pos == "VERB" or inside[0].dep == "ROOT"):
        inside.pop(0)
    return inside[0].start if inside else start


def _by_rule(analysis: Analysis) -> Iterable[tuple[int, int, str]]:
    if analysis.language != "en":
        return
    head = analysis.text[:4000]
    for match in _REGION.finditer(head):
        yield match.start(), match.end(), "place"
    for match in _IDENTIFIER.finditer(head):
        yield match.start(), match.end(), "identifier"


def _by_label(analysis: Analysis) -> Iterable[tuple[int, int, str]]:
    for name in analysis.names:
        slot_type = TYPES.get(name.label)
        text = analysis.text[name.start : name.end]
        if slot_type == "date":
            slot_type = "date" if _is_calendar(text) else None
        if slot_type and len(text.split()) <= LONGEST_TERM and any(char.isalnum() for char in text):
            yield name.start, name.end, slot_type


def _is_calendar(text: str) -> bool:
    words = set(normalise(text))
    return not _RELATIVE_DATE.search(text) and (
        bool(words & CALENDAR) or bool(re.search(r"\b(1[5-9]|20)\d\d\b", text))
    )


def _trimmed(text: str) -> str:
    text = re.sub(r"^(the|a|an)\s+", "", text.strip(), flags=re.IGNORECASE)
    return re.sub(r"['’]s?$", "", text).strip(' \t\n"“”()[],;:!?')


def _phrases(analysis: Analysis) -> Iterable[tuple[int, Term]]:
    ruled = [(start, end) for start, end, _ in _by_rule(analysis)]
    for phrase in _joined(analysis):
        tokens = _core(analysis, phrase)
        if not tokens or any(start <= tokens[0].start and tokens[-1].end <= end for start, end in ruled):
            continue
        text = _trimmed(analysis.text[tokens[0].start : tokens[-1].end])
        key = key_of(text)
        parts = key.split()
        if not parts or len(parts) > LONGEST_TERM or all(p in GENERIC_KEYS or p in STOP_KEYS for p in parts):
            continue
        if (
            any(token.pos == "INTJ" for token in tokens)
            or _is_measure(tokens)
            or _is_quantity(phrase, analysis)
        ):
            continue
        head = analysis.tokens[phrase.head]
        name = head.pos == "PROPN" and not (head.text.islower() and key in COLOURS)
        yield tokens[0].start, Term(text, key, "topic", name)


def _gerunds(analysis: Analysis) -> Iterable[tuple[int, Term]]:
    """ "a break from running": an activity named by its verb is a subject like any noun."""
    for token in analysis.tokens:
        if (
            token.tag == "VBG"
            and (token.dep in {"pobj", "pcomp", "nsubj", "nsubjpass"} or _is_done(token, analysis))
            and key_of(token.text) not in STOP_KEYS
        ):
            yield token.start, Term(token.text, key_of(token.text), "activity")


def _is_done(token: Token, analysis: Analysis) -> bool:
    """ "Can I do training there?"."""
    return token.dep in {"dobj", "xcomp"} and analysis.tokens[token.head].lower in DO


def _capitals(analysis: Analysis, known: set[str]) -> Iterable[tuple[int, Term]]:
    """ "Is it the same on Basic?": a word written large within a sentence is a name, whatever grammar takes it for."""
    words = [token for token in analysis.words() if token.text.isalpha()]
    large = [token for token in words if token.text[:1].isupper() and not token.text.isupper()]
    if analysis.language != "en" or len(large) * 2 > len(words):
        return
    starts = {start for start, _ in analysis.sentences}
    for token in large:
        key = key_of(token.text)
        if token.start not in starts and key not in known and key not in STOP_KEYS | GENERIC_KEYS:
            yield token.start, Term(token.text, key, "topic", True)


def _versions(analysis: Analysis) -> Iterable[tuple[int, Term]]:
    """ "postgresql 14": a noun with its number, which the grammar does not always see as a phrase."""
    for noun, number in pairwise(analysis.tokens):
        counted = analysis.tokens[number.head].start > number.start
        if noun.pos == "PROPN" and number.pos == "NUM" and number.text[:1].isdigit() and not counted:
            text = analysis.text[noun.start : number.end]
            if key_of(noun.text) not in CALENDAR:
                yield noun.start, Term(text, key_of(text), "identifier", True)


def _is_measure(tokens: tuple[Token, ...]) -> bool:
    """ "30 days", "2 euros": a number and a common noun."""
    return len(tokens) <= 3 and tokens[0].pos == "NUM" and tokens[-1].pos in {"NOUN", "NUM", "SYM"}


def _is_quantity(phrase: Phrase, analysis: Analysis) -> bool:
    """ "2.78 million km2", "20 %": a measure is a fact about something, not something."""
    tokens = analysis.phrase_tokens(phrase)
    start, end = tokens[0].start, tokens[-1].end
    return any(
        name.label in QUANTITIES
        and name.start <= tokens[-1].start < name.end
        and name.start >= start
        and name.end <= end
        for name in analysis.names
    )


def _joined(analysis: Analysis) -> Iterable[Phrase]:
    """Noun phrases, with "Town of Danville" and "Bank of England" in one piece."""
    pending: Phrase | None = None
    for phrase in analysis.phrases:
        if pending is not None and _continues_name(pending, phrase, analysis):
            pending = Phrase(pending.first, phrase.last, pending.head)
            continue
        if pending is not None:
            yield pending
        pending = phrase
    if pending is not None:
        yield pending


def _continues_name(left: Phrase, right: Phrase, analysis: Analysis) -> bool:
    between = analysis.tokens[left.last + 1 : right.first]
    heads = (analysis.tokens[left.head], analysis.tokens[right.head])
    named = all(t.pos == "PROPN" for t in heads) and not is_acronym(heads[0].text)
    return [t.lower for t in between] == ["of"] and named


def _core(analysis: Analysis, phrase: Phrase) -> tuple[Token, ...]:
    tokens = _uncut(list(analysis.phrase_tokens(phrase)), analysis)
    while tokens and (tokens[0].pos in _EDGES or tokens[0].lower in _LOOSE or tokens[0].tag == "POS"):
        tokens.pop(0)
    while tokens and (tokens[-1].pos in _EDGES):
        tokens.pop()
    return tuple(tokens)


_BREAKS = words("a an the , not")


def _uncut(tokens: list[Token], analysis: Analysis) -> list[Token]:
    """Only what follows an article, a comma, "not" or "does" inside a phrase: "sorry, not Denmark", "much does a fan cost"."""
    last = max((i for i, token in enumerate(tokens[:-1]) if token.lower in _BREAKS | DO), default=-1)
    tokens = tokens[last + 1 :]
    if len(tokens) > 1 and asks_with_do(analysis) and _is_its_verb(tokens[-1], analysis):
        tokens.pop()
    return tokens


def _is_its_verb(token: Token, analysis: Analysis) -> bool:
    """ "How much does delivery to Norway cost?": the verb of the question, which grammar took for a noun."""
    if token.dep == "ROOT":
        return True
    words = tuple(analysis.words())
    helps = words[0].lower in DO
    return token is words[-1] and not any(t.pos == "VERB" or t.tag == "VB" for t in words[helps:])
