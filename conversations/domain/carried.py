"""Chooses the words that a message takes over from its antecedent, in order of weight, each group with its reason.

Words that the message says itself, or that give way to something it names, are never taken over.
How many are taken depends on how much the message leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from conversations.domain.circumstances import asked_about, with_their_thing
from conversations.domain.classify import Classification, Evidence, Kind
from conversations.domain.completeness import asks_anew, is_complete, is_for_a_search_box, own_terms
from conversations.domain.corrections import asked_of_another
from conversations.domain.display import agreeing_first
from conversations.domain.frames import brings_another
from conversations.domain.liveness import Slot
from conversations.domain.marks import Mark
from conversations.domain.named_returns import asks_after_name, called_otherwise, clipped_from
from conversations.domain.parallels import asks_on, negated, rivals
from conversations.domain.pointing import (
    aspect,
    calls_otherwise,
    in_full,
    introduced,
    known_class,
    points_at_question,
    sums_up,
)
from conversations.domain.prices import passed_over
from conversations.domain.reading import Reading
from conversations.domain.resolve import closed_keys, lacking, one_modifier, picked, plain_offers
from conversations.domain.scope import Scope
from conversations.domain.state import Exchange, Term
from conversations.domain.swapping import given_way
from conversations.domain.wanted import (
    kind_to_choose_from,
    of_type,
    pronoun_focus,
    there_of,
    wanted_type,
    where_it_is,
)
from conversations.domain.words import POSSESSIVE, contains_key, key_of

# How many terms of the user and of the answer are added. An unmarked message names its own subject and needs
# fewer; all numbers are flat within one. Two terms of an answer find as much as three and bring less along.
ADDED = (3, 2)
ADDED_UNMARKED = (2, 0)
ENOUGH_OWN = 2
INHERITED = 2
PICKED = 3
_SOME_OF = re.compile(
    r"\b(?:\w+est|most\s+\w+|least\s+\w+|which|any|some|one)\s+(?:of|among)\s+(?:those|these|them)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\b(?:which|what|where|who|how|list|name|show|any)\b")


SAID_IN_ANSWER = "said in the answer"


@dataclass(frozen=True, slots=True)
class Carried:
    """The words to carry over, in order of weight, and the reason for each group.

    `offered` are those of them that only the answer said: they help this search and are not what the user means.
    """

    terms: tuple[Term, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    offered: tuple[Term, ...] = ()


def carried(
    reading: Reading,
    classification: Classification,
    scope: Scope,
    antecedent: Exchange,
    one: Term | None = None,
    slots: tuple[Slot, ...] = (),
) -> Carried:
    """What the message takes over from its antecedent.

    `one` is what "the blue one" stands for, `slots` are all of the session.
    """
    chosen = picked(reading, scope) or ((one,) if one else ())
    replaced = rivals(reading, antecedent, scope.exchanges, chosen)
    spoken = {term.key for term in (*antecedent.terms, *antecedent.inherited)}
    closed = closed_keys(scope, reading) | replaced | negated(reading) | given_way(reading, antecedent)
    closed |= passed_over(reading, antecedent) | _not_asked_about(reading)
    if classification.kind is Kind.PARTIAL_SHIFT:
        kept = lacking(_still_meant(reading, antecedent, scope), reading, (), closed)[:INHERITED]
        return Carried(kept, (Evidence("still about", ", ".join(term.text for term in kept)),))
    if asks_after_name(reading) and not called_otherwise(reading, antecedent):
        why = Evidence("a question of its own", "about what it goes back to by name")
        return Carried(lacking(clipped_from(reading, antecedent), reading, (), closed), (why,))
    there = there_of(reading, antecedent)
    where = lacking((there,), reading, (), closed_keys(scope, reading)) if there else ()
    if is_complete(reading) and replaced & spoken:
        why = Evidence("a question of its own", "about another thing of the same kind")
        return Carried(where, (why,))
    if classification.kind is Kind.CORRECTION:
        closed |= _corrected(reading, antecedent, replaced)
    wanted = wanted_type(reading)
    meant = of_type(antecedent, wanted)[:1] if wanted else ()
    named = in_full(reading, slots)
    of_user, of_answer = _amounts(reading, antecedent)
    if _is_resolved(reading, wanted if meant else "", named):
        of_user, of_answer = 0, 0
    by_user = _named_by_user(reading, antecedent)
    if chosen or reading.ordinals:
        by_user, of_answer = _list_of(by_user, antecedent), 0
    kind = kind_to_choose_from(reading, antecedent)
    if kind is not None:
        by_user, of_answer = (kind,), 0
    elsewhere = _asks_another(reading, classification) or _says_again(antecedent, scope)
    if elsewhere or replaced & spoken or _is_told_by_user(reading, antecedent, by_user):
        of_answer = 0
    groups = (
        ("picked from a list", chosen, PICKED),
        ("the kind of thing meant", meant, 1),
        ("where it is", where, 1),
        ("named in full before", named, 1),
        ("introduced by the answer", introduced(reading, antecedent), 1),
        ("the class it was said to be", known_class(reading, slots), 1),
        ("named by the user", by_user, of_user),
        ("called in full by the answer", _fuller(antecedent), min(of_answer, 1)),
        (SAID_IN_ANSWER, () if chosen else _offers(reading, antecedent), of_answer),
    )
    found = _gathered(groups, reading, closed)
    if not found.terms and antecedent.inherited and reading.has(Mark.DEFINITE):
        terms = lacking(antecedent.inherited, reading, (), closed)[:INHERITED]
        found = Carried(terms, (Evidence("what that leaned on", ", ".join(term.text for term in terms)),))
    return replace(found, terms=agreeing_first(found.terms, reading))


def _not_asked_about(reading: Reading) -> frozenset[str]:
    """ "It's not shoes I'm asking about, it's hats. How …": the shoes."""
    found = asked_of_another(reading.text)
    return frozenset({found[1]}) if found else frozenset()


def _gathered(
    groups: Iterable[tuple[str, tuple[Term, ...], int]], reading: Reading, closed: frozenset[str]
) -> Carried:
    """Of each (reason, terms, how many) what the message and the groups before it lack."""
    found = Carried()
    for reason, terms, limit in groups:
        fresh = lacking(terms, reading, found.terms, closed)[:limit]
        if fresh:
            found = Carried(
                terms=(*found.terms, *fresh),
                evidence=(*found.evidence, Evidence(reason, ", ".join(term.text for term in fresh))),
                offered=fresh if reason == SAID_IN_ANSWER else found.offered,
            )
    return found


def _offers(reading: Reading, antecedent: Exchange) -> tuple[Term, ...]:
    """What the answer said that may be meant; of one name in it, "hire her" and "that ship" mean that alone."""
    offers = plain_offers(antecedent)
    names = tuple(term for term in offers if term.name and term.text[:1].isupper())
    called = wanted_type(reading) == "person" or calls_otherwise(reading, antecedent)
    return names if len(names) == 1 and called and not reading.has(Mark.RECALLS) else offers


def _says_again(antecedent: Exchange, scope: Scope) -> bool:
    """Whether its answer only repeats an earlier one: what was found was not what had been asked anew."""
    before = {line for e in scope.exchanges if e.turn < antecedent.turn for line in e.sentences}
    return bool(antecedent.sentences) and before.issuperset(antecedent.sentences)


def _is_resolved(reading: Reading, wanted: str, named: tuple[Term, ...]) -> bool:
    """Whether a message with a subject of its own has its one reference answered: the place, or the thing in full."""
    return (wanted == "place" and bool(own_terms(reading))) or (bool(named) and is_complete(reading))


def _asks_another(reading: Reading, classification: Classification) -> bool:
    """Whether the earlier answer has no part in it: another thing is asked about, or the question itself again.

    For "the blue one" and "the dearest of those" the other entries of the answer's list are its rivals.
    """
    place = reading.cue.place if classification.kind is Kind.TOPIC_RETURN else None
    pointed = place is not None and not place.topic
    again = pointed or points_at_question(reading) or sums_up(reading)
    another = classification.kind is Kind.CORRECTION or brings_another(reading)
    return again or another or bool(one_modifier(reading)) or bool(_SOME_OF.search(reading.core))


def _amounts(reading: Reading, antecedent: Exchange) -> tuple[int, int]:
    """How many terms to add; few when the message names the antecedent's subject itself or bears no mark."""
    if is_complete(reading) or is_for_a_search_box(reading):
        return ADDED_UNMARKED
    named = all(contains_key(reading.text_key, term.key) for term in antecedent.terms)
    if reading.strong or reading.leaning or (reading.weak and not named):
        return ADDED
    return ADDED_UNMARKED


def _corrected(reading: Reading, antecedent: Exchange, replaced: frozenset[str]) -> frozenset[str]:
    """What a correction leaves out: all that a question asked anew does not repeat, else names when no rival is known."""
    held = (*antecedent.terms, *antecedent.inherited)
    if reading.has(Mark.PLACE):
        return frozenset()
    if asks_anew(reading) or (asks_on(reading) and not reading.has(Mark.DEFINITE)):
        return frozenset(term.key for term in held if not set(term.key.split()) & reading.keys)
    if replaced or negated(reading) or not reading.terms:
        return frozenset()
    return frozenset(term.key for term in held if term.name)


def _still_meant(reading: Reading, antecedent: Exchange, scope: Scope) -> tuple[Term, ...]:
    """What a change of aspect keeps: the place for "there", for a pronoun the thing it meant, else only names."""
    held = (*antecedent.inherited, *antecedent.terms) if antecedent.anchor else antecedent.terms
    there, wanted = there_of(reading, antecedent), wanted_type(reading)
    if there is not None:
        return (there,)
    if wanted:
        typed = of_type(antecedent, wanted) or (_live_places(scope) if wanted == "place" else ())
        if typed:
            return tuple(typed[:1])
    focus = pronoun_focus(reading, (antecedent,))
    if focus is not None:
        return (focus[1], *_narrowed(focus[1], antecedent))
    names = tuple(term for term in held if term.name)
    if reading.strong:
        return names or held[:INHERITED] or tuple(t for t in antecedent.answer_terms if t.name)
    return tuple(term for term in names if term.type != "topic")


def _narrowed(term: Term, antecedent: Exchange) -> tuple[Term, ...]:
    """Which of its kind the answer said it is: "external keys" for "encryption keys"; none where it named several."""
    head = term.key.split()[-1]
    said = [t for t in antecedent.answer_terms if t.key.split()[-1] == head and " " in t.key]
    return tuple(said) if len(said) == 1 and said[0].key != term.key else ()


def _live_places(scope: Scope) -> tuple[Term, ...]:
    """Places the user still means, the latest mention first."""
    slots = sorted((s for s in scope.slots if s.type == "place"), key=lambda slot: -slot.last_mention_turn)
    return tuple(Term(slot.name, key_of(slot.name), slot.type, True) for slot in slots)


def subjects(exchange: Exchange) -> tuple[Term, ...]:
    """What the user was asking about: the own words of the turn, and what it leaned on where it had few."""
    own, leaned = exchange.terms, exchange.inherited[:INHERITED]
    if own:
        return own if len(own) >= ENOUGH_OWN else (*own, *leaned)
    return (*leaned, *(Term(verb, key_of(verb), "activity") for verb in exchange.predicate[:1]))


def _named_by_user(reading: Reading, antecedent: Exchange) -> tuple[Term, ...]:
    """What the user spoke of; a request to sum up is about what all of it leaned on before anything else.

    A question with a subject of its own takes the names that it is asked of, and what "its exports" belong to is a
    name where there is one.
    """
    if sums_up(reading):
        return (*antecedent.inherited, *antecedent.terms)
    whole = is_complete(reading)
    spoken = asked_about(aspect(reading, antecedent, subjects(antecedent)), antecedent)
    spoken = where_it_is(spoken, antecedent)
    names = _whole_names(spoken)
    if whole and names:
        return with_their_thing(names, spoken, antecedent)
    if whole:
        return names or (
            () if len(own_terms(reading)) >= ENOUGH_OWN and _spoken_by_name(reading) else spoken[:1]
        )
    return (names or spoken) if _of_something(reading) or _points_at_kind(reading) else spoken


def _is_told_by_user(reading: Reading, antecedent: Exchange, by_user: tuple[Term, ...]) -> bool:
    """Whether the user's own words answer the reference, so that the answer's would be about something beside it."""
    if _of_something(reading):
        return bool(by_user)
    more = reading.has(Mark.OTHER, Mark.ADDITIVE)
    return _points_at_kind(reading) and not more and bool(_whole_names(subjects(antecedent)))


def _points_at_kind(reading: Reading) -> bool:
    """ "What credit does that level come with?": a question with things of its own points at one thing by its kind."""
    tokens = reading.analysis.tokens
    pointed = any(
        t.lower in {"that", "this"} and t.head > i and tokens[t.head].tag in {"NN", "NNP"}
        for i, t in enumerate(tokens)
    )
    return pointed and bool(own_terms(reading)) and any(t.pos in {"VERB", "AUX"} for t in tokens)


def _spoken_by_name(reading: Reading) -> bool:
    """Whether a thing of the message is a name: what is asked of it needs no common noun of another question."""
    return any(term.name for term in reading.terms)


def _list_of(terms: tuple[Term, ...], antecedent: Exchange) -> tuple[Term, ...]:
    """What the entries of a list are: the first thing after the word that asks.

    An entry that is picked needs no more; where and for whom the list was asked for are circumstances.
    """
    said = antecedent.message.lower()
    asked = _ASKS.search(said)
    places = {said.find(t.text.lower(), asked.end() if asked else 0): t for t in reversed(terms)}
    first = min((place for place in places if place >= 0), default=-1)
    return (places[first],) if first >= 0 else terms[:1]


def _whole_names(spoken: tuple[Term, ...]) -> tuple[Term, ...]:
    """The names among the terms, each as long as it was said: of "Billing export API" and "API" the former."""
    named = [t for t in spoken if any(n.name and contains_key(t.key, n.key) for n in spoken)]
    return tuple(t for t in named if not any(t.key != n.key and contains_key(n.key, t.key) for n in named))


def _of_something(reading: Reading) -> bool:
    """ "Its exports", "their office": what is asked about belongs to the antecedent, and nothing else of it is meant."""
    marked = any(mark is Mark.PRONOUN and word.lower() in POSSESSIVE for mark, word in reading.marks)
    return marked and any(t.lower in POSSESSIVE and t.dep != "dobj" for t in reading.analysis.tokens)


def _fuller(antecedent: Exchange) -> tuple[Term, ...]:
    """What the answer calls by a longer name than the user: "car park" for "car"."""
    spoken = [term.key for term in antecedent.terms]
    return tuple(t for t in plain_offers(antecedent) if any(contains_key(t.key, key) for key in spoken))
