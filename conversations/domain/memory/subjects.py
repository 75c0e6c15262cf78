"""Says what a statement is about and what it states of it, from the grammar around one word.

"The RPO for Dublin is 15 minutes" states the RPO of Dublin; "We have 120 people" states people of the user.
Where the grammar gives nothing, the subject of the exchange stands in.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from conversations.domain.language import Analysis, Token
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, key_of

USER = "the user"
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
_LINKS = frozenset({"of", "for", "in", "on", "at", "per", "with", "from", "to"})
_FIRST_PERSON = frozenset({"i", "we", "us", "me", "my", "our", "ours", "'s", "’s"})
_COPULAS = frozenset({"be", "have", "amount", "equal", "remain", "become", "'s"})
_INNER = frozenset({"compound", "amod", "nmod", "nummod", "poss"})


@dataclass(frozen=True, slots=True)
class About:
    """The thing spoken of as written (empty when only the exchange can tell) and the key of what is stated of it.

    `refers` is true when the subject is a pronoun, which means what was spoken of just before.
    """

    entity: str = ""
    attribute: str = ""
    refers: bool = False


def about(analysis: Analysis, position: int, names: Sequence[str] = ()) -> About:
    """What the word at a character position is said of. `names` are the proper names of the text."""
    index = next((i for i, t in enumerate(analysis.tokens) if t.start <= position < t.end), None)
    if index is None or analysis.language != "en":
        return About()
    clause = _clause(analysis, index)
    subject = _subject(analysis, clause)
    if subject is None:
        return About(_placed(analysis, clause, index, names), _stated(analysis, clause, index))
    return _of_subject(analysis, subject, clause, index, names)


def _subject(analysis: Analysis, clause: int) -> int | None:
    """The subject of a clause; of "visiting hours are", where the verb is taken for one, its noun."""
    subject = _child(analysis, clause, _SUBJECTS)
    if subject is not None and analysis.tokens[subject].dep == "csubj":
        return _child(analysis, subject, {"dobj"}) or subject
    if subject is None and clause and analysis.tokens[clause].pos in {"AUX", "VERB"}:
        before = analysis.tokens[clause - 1]
        return clause - 1 if before.pos in {"NOUN", "PROPN"} and before.dep == "conj" else None
    return subject


def _of_subject(analysis: Analysis, subject: int, clause: int, index: int, names: Sequence[str]) -> About:
    token = analysis.tokens[subject]
    owner = _child(analysis, subject, {"poss"})
    stated = _stated(analysis, clause, index)
    if token.lower in _FIRST_PERSON:
        return About(USER, stated)
    if owner is not None and analysis.tokens[owner].lower in _FIRST_PERSON:
        return About(USER, _noun(analysis, subject))
    if token.dep == "expl":
        return _existing(analysis, clause, index, names)
    if token.pos == "PRON":
        return About(_placed(analysis, clause, index, names), stated, refers=True)
    whose = owner if owner is not None else _linked(analysis, subject)
    if whose is not None and analysis.tokens[whose].pos in {"NOUN", "PROPN"} and not _counts(analysis, whose):
        return About(_noun_text(analysis, whose), _noun(analysis, subject))
    acts = token.pos == "PROPN" and analysis.tokens[clause].pos == "VERB"
    if acts or _is_name(analysis, subject, names):
        return About(_noun_text(analysis, subject), stated)
    return About(_placed(analysis, clause, index, names), _noun(analysis, subject))


def _existing(analysis: Analysis, clause: int, index: int, names: Sequence[str]) -> About:
    """ "There are 42 beds on Ward 7": the beds of the ward."""
    noun = _child(analysis, clause, {"attr", "dobj", "nsubj"})
    where = _linked(analysis, noun) if noun is not None else None
    place = _noun_text(analysis, where) if where is not None and where != index else ""
    return About(
        place or _placed(analysis, clause, index, names), _noun(analysis, noun) if noun is not None else ""
    )


def _counts(analysis: Analysis, noun: int) -> bool:
    """ "A fee of 3 euros", "a period of 30 days": the measure is no owner."""
    return _child(analysis, noun, {"nummod"}) is not None and analysis.tokens[noun].pos == "NOUN"


def _is_name(analysis: Analysis, subject: int, names: Sequence[str]) -> bool:
    """Whether a subject is a proper name; an abbreviation ("the RPO") names what is stated, not the thing."""
    token = analysis.tokens[subject]
    if token.text.isupper() and len(token.text) > 1:
        return False
    return token.pos == "PROPN" or _holds_name(analysis, subject, names)


def _clause(analysis: Analysis, index: int) -> int:
    """The nearest word above that has a subject of its own, else the root."""
    seen = 0
    while _subject(analysis, index) is None and analysis.tokens[index].head != index and seen < 60:
        index, seen = analysis.tokens[index].head, seen + 1
    return index


def _child(analysis: Analysis, index: int, relations: Collection[str]) -> int | None:
    return next(
        (i for i, t in enumerate(analysis.tokens) if t.head == index and i != index and t.dep in relations),
        None,
    )


def _linked(analysis: Analysis, index: int) -> int | None:
    """The noun behind "of", "for", "in" … after a noun."""
    for i, token in enumerate(analysis.tokens):
        if token.head == index and token.dep == "prep" and token.lower in _LINKS:
            return _child(analysis, i, {"pobj"})
    return None


def _placed(analysis: Analysis, clause: int, index: int, names: Sequence[str]) -> str:
    """ "In Dublin the RPO is …": the name that a clause is placed under."""
    for i, token in enumerate(analysis.tokens):
        if token.dep == "prep" and token.head == clause:
            noun = _child(analysis, i, {"pobj"})
            if noun is not None and noun != index and _holds_name(analysis, noun, names):
                return _noun_text(analysis, noun)
    return ""


def _holds_name(analysis: Analysis, index: int, names: Sequence[str]) -> bool:
    words = set(_noun(analysis, index).split())
    return any(set(key_of(name).split()) <= words for name in names)


def _stated(analysis: Analysis, clause: int, index: int) -> str:
    """The verb of a clause, or behind "is" and "has" the noun that the number or name belongs to."""
    verb = analysis.tokens[clause]
    noun = _head_noun(analysis, index)
    if verb.lemma in _COPULAS and noun is not None:
        return _noun(analysis, noun)
    return key_of(verb.lemma) if verb.pos in {"VERB", "AUX"} else ""


def _head_noun(analysis: Analysis, index: int) -> int | None:
    token = analysis.tokens[index]
    if token.dep in {"nummod", "compound", "amod", "nmod", "quantmod"} and token.head != index:
        return _head_noun(analysis, token.head)
    return index if token.pos in {"NOUN", "PROPN"} else None


def _span(analysis: Analysis, index: int) -> list[Token]:
    """A noun with the words before it that belong to it, articles, possessors in the first person and numbers aside."""
    first = index
    while first > 0 and analysis.tokens[first - 1].head in range(first - 1, index + 1):
        if analysis.tokens[first - 1].dep not in _INNER | {"punct", "case"}:
            break
        first -= 1
    tokens = list(analysis.tokens[first : index + 1])
    if index + 1 < len(analysis.tokens):
        after = analysis.tokens[index + 1]
        if analysis.tokens[index].pos == "PROPN" and after.pos == "NUM" and after.head == index:
            tokens.append(after)
    while len(tokens) > 1 and (tokens[0].pos in {"DET", "PRON", "NUM", "SYM", "PUNCT", "PART"}):
        tokens.pop(0)
    return tokens


def _noun_text(analysis: Analysis, index: int) -> str:
    tokens = _span(analysis, index)
    return analysis.text[tokens[0].start : tokens[-1].end]


def _noun(analysis: Analysis, index: int) -> str:
    key = key_of(_noun_text(analysis, index))
    empty = set(key.split()) <= STOP_KEYS | GENERIC_KEYS or not any(char.isalpha() for char in key)
    return "" if empty else key
