"""Understands an ellipsis as the earlier question with one thing changed: "and for Dublin?", "a lamp instead", "no, Friday".

The new thing takes the place of the one thing that it is parallel to; where there is no such thing nothing is swapped.
A correction that says what it takes back is understood the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from conversations.domain.amending import amended
from conversations.domain.amounts import other_amount
from conversations.domain.aspects import (
    ATTRIBUTES,
    acronym_among,
    asked_aspect,
    asking_plainly,
    is_acronym,
    is_attribute,
)
from conversations.domain.circumstances import located_in
from conversations.domain.corrections import right_in
from conversations.domain.counterparts import (
    counterpart,
    is_asked_of,
    same_head,
    same_head_in,
    standing,
    thing_of,
)
from conversations.domain.focus import APOLOGIES, focus, retyped
from conversations.domain.frames import (
    asks_otherwise,
    brings_another,
    does_another,
    is_frame,
    likewise,
    supposed,
)
from conversations.domain.language import Token
from conversations.domain.marks import Mark
from conversations.domain.parallels import RIVALLING, asks_on, determiners, negated, only_name, token_of
from conversations.domain.reading import Reading
from conversations.domain.resolve import one_modifier
from conversations.domain.sides import offered_sides
from conversations.domain.state import Exchange, Term
from conversations.domain.substituting import substituted, with_head
from conversations.domain.unfinished import is_of_any, is_people
from conversations.domain.wanted import is_time
from conversations.domain.words import STOP_KEYS, key_of


@dataclass(frozen=True, slots=True)
class Swap:
    """An ellipsis understood: the earlier question with the new entity in the place of the old one.

    `kept` are words behind the question that it went on carrying.
    """

    question: str
    kept: str
    old: Term
    new: Term

    @property
    def query(self) -> str:
        return f"{self.question} {self.kept}".strip()

    @property
    def display(self) -> str:
        asked = self.question.removesuffix(f"? {self.new.text}")
        if asked != self.question:  # the new thing had no place in the question to stand in
            return f"{asked}? ({', '.join(filter(None, (self.new.text, self.kept)))})"
        return f"{self.question} ({self.kept})" if self.kept else self.question


def swap(
    reading: Reading, antecedent: Exchange, lists: Iterable[Exchange] = (), one: Term | None = None
) -> Swap | None:
    """ "And for Dublin?" after "What's the RPO for Frankfurt?" → "What's the RPO for Dublin?", else None.

    The old entity must be of the same type, or a phrase with the same head noun or after the same preposition.
    `one` is what "the blue one" stands for.
    """
    found = other_amount(reading, antecedent) or _contrast(reading, antecedent, tuple(lists), one)
    return _swapped(reading, antecedent, *found) if found else None


def asked_of_the_next(reading: Reading, exchanges: Sequence[Exchange]) -> Exchange | None:
    """The latest question that "dublin" or "same for York" asks again, where it says no more: one asked of its like."""
    new = only_name(reading)
    swaps = ((e, swap(reading, e)) for e in reversed(exchanges)) if new else ()
    return next((e for e, found in swaps if found and new and found.old.type == new.type), None)


def swap_aspect(reading: Reading, antecedent: Exchange) -> Swap | None:
    """ "And the notice period?" after "What's the price of the Gold tariff?": another question about the same thing."""
    new, preposition = focus(reading)
    old = _aspect(reading, new, preposition, antecedent) if new else None
    return _swapped(reading, antecedent, old, new) if old and new else None


def _swapped(reading: Reading, antecedent: Exchange, old: Term, new: Term) -> Swap:
    new, old = with_head(new, old), _whole_choice(old, antecedent)
    if is_time(old) and is_time(new):
        then, now = _when(old, antecedent.query), _when(new, reading.core)
        old, new = (then, now) if now != new else (old, new)
    question, kept = substituted(antecedent, old, new, reading.core)
    also = likewise(reading)[1]
    if not set(key_of(also).split()) <= {*key_of(question).split(), *STOP_KEYS}:
        kept = f"{kept} {re.sub(_ARTICLE, '', also)}".strip()
    asked = asked_aspect(antecedent.query, [old]) is not None and _is_no_thing(reading, new)
    return Swap(asking_plainly(question) if asked else question, kept, old, new)


_WHEN = r"(?:on|in|at|during|over|before|after|until|till|by|from)"


def _when(time: Term, said: str) -> Term:
    """ "In summer" for "on sundays": a time takes its preposition along."""
    match = re.search(rf"(?<!\w){_WHEN}\s+(?:the\s+)?{re.escape(time.text)}(?!\w)", said, re.IGNORECASE)
    return replace(time, text=match.group()) if match else time


_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)


def _whole_choice(old: Term, antecedent: Exchange) -> Term:
    """ "And Denmark?" after "do you deliver to Norway or Sweden?" is asked of Denmark alone."""
    sides = offered_sides(antecedent)
    if len(sides) < 2 or old.key not in {side.key for side in sides}:
        return old
    ends = (re.escape(sides[0].text.split()[0]), re.escape(sides[-1].text))
    stretch = re.search(rf"(?<!\w){ends[0]}(?!\w).*(?<!\w){ends[1]}(?!\w)", antecedent.query, re.IGNORECASE)
    return Term(stretch.group(), old.key, old.type, old.name) if stretch else old


def _contrast(
    reading: Reading, antecedent: Exchange, lists: tuple[Exchange, ...], one: Term | None
) -> tuple[Term, Term] | None:
    mended = amended(reading, antecedent)
    if mended:
        return mended
    if one is not None:
        old = next((t for t in standing(antecedent, one) if same_head(t, one)), None)
        old = old or same_head_in(antecedent.query, one)
        return (old, one) if old and reading.has(Mark.VERBLESS, Mark.CORRECTION) else None
    marked = reading.has(Mark.ELLIPSIS, Mark.VERBLESS, Mark.CORRECTION, Mark.CONTINUES, Mark.SHORT)
    if (
        is_of_any(reading.core)
        or asks_otherwise(reading, antecedent.query)
        or not (marked or is_frame(reading))
    ):
        return None
    taken_back = negated(reading)
    if taken_back:
        return _taken_back(reading, antecedent, taken_back)
    new, preposition = focus(reading)
    if new is None:
        return _quality_alone(reading, antecedent)
    new = retyped(new, reading, antecedent)
    aspect = _aspect(reading, new, preposition, antecedent)
    if aspect is not None or _is_no_thing(reading, new):
        return (aspect, new) if aspect else None
    old = _put_right(reading, new, antecedent) or counterpart(reading, new, preposition, antecedent, lists)
    old = thing_of(old, new, antecedent) if old else None
    if old is not None:
        return _verb_for(reading, old, new, antecedent) or old, new
    found = _fallback(reading, new, antecedent)
    return (_verb_for(reading, found[0], new, antecedent) or found[0], found[1]) if found else None


def _verb_for(reading: Reading, old: Term, new: Term, antecedent: Exchange) -> Term | None:
    """ "No, cancel" after "how do I book a room": what needs an article is no place for a bare verb, the verb is."""
    token = token_of(new, reading)
    bare = (
        " " not in new.key
        and token is not None
        and token.tag in {"VB", "VBP"}
        and reading.has(Mark.CORRECTION)
    )
    determined = re.search(
        rf"\b(?:the|an?|my|our|your)\s+{re.escape(old.text)}(?!\w)", antecedent.query, re.IGNORECASE
    )
    verbs = [v for v in antecedent.predicate if re.search(rf"(?<!\w){re.escape(v)}(?!\w)", antecedent.query)]
    return Term(verbs[0], key_of(verbs[0])) if bare and determined and len(verbs) == 1 else None


def _fallback(reading: Reading, new: Term, antecedent: Exchange) -> tuple[Term, Term] | None:
    """What a correction may mean where nothing in the last question is plainly its counterpart."""
    return (
        _quality_alone(reading, antecedent)
        or _qualified(reading, new, antecedent)
        or _only_thing(reading, new, antecedent)
    )


def _put_right(reading: Reading, new: Term, antecedent: Exchange) -> Term | None:
    """ "*ibuprofen" right after "*aspirin" puts the same word right once more, where it is of the same type."""
    again = antecedent.kind == "correction" and reading.has(Mark.CORRECTION) and len(antecedent.terms) == 1
    old = antecedent.terms[0] if again else None
    return old if old in standing(antecedent, new) and old.type == new.type and old.name == new.name else None


def asks_an_attribute(reading: Reading) -> bool:
    """ "And the duration?": what is asked is an attribute, so that the last question's own predicate has no part in it."""
    new, _ = focus(reading)
    return new is not None and _is_no_thing(reading, new)


def _aspect(reading: Reading, new: Term, preposition: str | None, antecedent: Exchange) -> Term | None:
    """What the last question wanted to know, when the message wants to know something else of the same thing.

    Its acronym gives way to another one; an attribute, or what has no like among its things, to what it asked for.
    """
    held = standing(antecedent, new)
    if is_acronym(new.text) and new.type != "place":
        rival = acronym_among(held)
        if rival is not None:
            return rival
    if preposition or not reading.has(Mark.ELLIPSIS, Mark.CONTINUES, Mark.VERBLESS):
        return None
    return asked_aspect(antecedent.query, held) if _is_no_thing(reading, new) else None


def _is_no_thing(reading: Reading, new: Term) -> bool:
    """Whether the new word can stand for no place, person or product: "RTO", "the notice period"."""
    if is_acronym(new.text):
        return new.type != "place"
    token = token_of(new, reading)
    return is_attribute(new, determiners(token, reading) if token else set(), token)


def _taken_back(reading: Reading, antecedent: Exchange, keys: frozenset[str]) -> tuple[Term, Term] | None:
    """ "To a shelf, not to a drawer": the earlier drawer gives way to the shelf. None when a question follows."""
    fresh = [t for t in reading.terms if t.key not in keys and t.key not in APOLOGIES]
    new = next((t for t in fresh if t.name), next(iter(fresh), None))
    held = standing(antecedent, new)
    old = next((t for t in held if t.key in keys), None) or next(
        (t for t in held if any(t.key.startswith(f"{key} ") for key in keys)), None
    )
    return (old, new) if old and new and not asks_on(reading) else None


def _qualified(reading: Reading, new: Term, antecedent: Exchange) -> tuple[Term, Term] | None:
    """ "I meant standard" after "the fee for express delivery": standard delivery, where one thing only is qualified."""
    token = token_of(new, reading)
    bare = " " not in new.key and not (token and (token.pos == "VERB" or determiners(token, reading)))
    things = [t for t in standing(antecedent, new) if " " in t.key and t.key.split()[-1] not in ATTRIBUTES]
    only = len(things) == 1 and len(reading.terms) <= 1 and new.type not in RIVALLING
    if not (bare and only and reading.has(Mark.CORRECTION)):
        return None
    text = f"{new.text} {things[0].text.split()[-1]}"
    return things[0], Term(text, key_of(text), new.type, new.name)


def _quality_alone(reading: Reading, antecedent: Exchange) -> tuple[Term, Term] | None:
    """ "No, I meant the blue one" after "the red sofa", the only thing with a quality: the blue sofa."""
    modifier = one_modifier(reading) if reading.has(Mark.CORRECTION) else ""
    things = [t for t in standing(antecedent, None) if " " in t.key and t.type not in RIVALLING]
    if not modifier or len(things) != 1 or things[0].key.startswith(modifier):
        return None
    return things[0], Term(f"{modifier} {things[0].text.split()[-1]}", modifier)


def _only_thing(reading: Reading, new: Term, antecedent: Exchange) -> tuple[Term, Term] | None:
    """ "No, I meant a table top" after "how much for a chair leg?": where one thing was asked about, it was that one."""
    said = antecedent.terms
    if (
        not reading.has(Mark.CORRECTION)
        or reading.has(Mark.PLACE)
        or len(said) != 1
        or len(reading.terms) != 1
    ):
        return None
    rivalling = {said[0].type, new.type} & RIVALLING
    only = reading.keys <= set(new.key.split()) or key_of(right_in(reading.text[:300])) == new.key
    whole = only and new.key != said[0].key
    return (said[0], new) if whole and not rivalling and not asks_on(reading) else None


def given_way(reading: Reading, antecedent: Exchange) -> frozenset[str]:
    """Keys of the things that a thing of the message may stand for where it is not clear which: none may ride along.

    What the last question wanted to know of them stays, and so do its places and dates.
    """
    held = [t for t in (*antecedent.terms, *antecedent.inherited) if t.type not in RIVALLING]
    if reading.terms and all(is_time(term) for term in reading.terms):
        return frozenset()
    if supposed(reading):
        owned = [t for t in held if _is_owned(t, antecedent)]
        return frozenset(t.key for t in held if owned and t not in owned)
    if does_another(reading):
        where = located_in(held, antecedent.query)
        asked = (t for t in held if not is_asked_of(t, held, antecedent.query))
        return frozenset(t.key for t in asked if t not in where)
    new = next(iter(reading.terms), None)
    token = token_of(new, reading) if new and brings_another(reading) else None
    if new is None or token is None or not (new.name or _is_of_a_kind(new, token, reading)):
        return frozenset()
    if is_people(new.key):
        held = [t for t in held if is_people(t.key)]
    return frozenset(t.key for t in held if not is_asked_of(t, held, antecedent.query))


def verbs_left(reading: Reading, antecedent: Exchange) -> tuple[str, ...]:
    """The verbs of the earlier question without those that say what is done to a thing where something else is done."""
    if not does_another(reading):
        return antecedent.predicate
    things = "|".join(re.escape(t.text) for t in (*antecedent.terms, *antecedent.inherited))
    done = rf"\s+(?:(?:the|an?|my|our|your)\s+)?(?:{things})(?!\w)"
    return tuple(
        verb
        for verb in antecedent.predicate
        if not (things and re.search(rf"(?<!\w){re.escape(verb)}{done}", antecedent.query, re.IGNORECASE))
    )


def _is_owned(term: Term, antecedent: Exchange) -> bool:
    """ "My fabric sofa" stays the same, whatever else is supposed of what happened to it."""
    return bool(re.search(rf"\b(?:my|our)\s+{re.escape(term.text)}(?!\w)", antecedent.message, re.IGNORECASE))


def _is_of_a_kind(new: Term, token: Token, reading: Reading) -> bool:
    """ "Lamps", "a lamp", "the small lamp" stand beside other things; "the price" is the price of the same thing."""
    articles = determiners(token, reading)
    return token.tag == "NNS" or bool(articles & {"a", "an"}) or (bool(articles) and " " in new.key)
