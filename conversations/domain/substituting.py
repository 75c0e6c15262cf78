"""Writes a new thing into an earlier question in the place of an old one, so that the question still reads well.

The article follows the new thing, "the Gold one" keeps the noun of the old thing, and a pronoun of the earlier question
that meant the old thing is spelled out. What was carried over only for the old thing's sake goes with it.
"""

from __future__ import annotations

import re

from conversations.domain.marks import pick_in
from conversations.domain.parallels import RIVALLING
from conversations.domain.state import Exchange, Term
from conversations.domain.stories import questions_of
from conversations.domain.words import ONES, in_plural, key_of

_PRONOUN = re.compile(r"(?<![\w'’])(?:it|them|they|its|their|itself|themselves)(?![\w'’])", re.IGNORECASE)
_SUPERLATIVE = re.compile(r"(?:\w{2,}est|most|least|only|same)\s", re.IGNORECASE)
_DETERMINED = re.compile(r"\b(?:the|my|our|your|which|what|how\s+many|how\s+much)\s+$", re.IGNORECASE)
_ONE_OF_MANY = {"them": "it", "they": "it", "their": "its", "themselves": "itself"}


def substituted(antecedent: Exchange, old: Term, new: Term, said: str) -> tuple[str, str]:
    """The antecedent's question with `new` in the place of `old`, and what goes on being carried over behind it.

    `said` is the message that names `new`.
    """
    question, carried = parted(antecedent)
    pattern = re.compile(
        rf"(?:(?<!\w)(?P<article>an?|the|my|our|your)\s+)?(?<!\w){re.escape(old.text)}(?!\w)", re.IGNORECASE
    )
    kept = _without(carried, antecedent, old, new)
    if pattern.search(question):
        written = pattern.sub(lambda match: _with_article(match, old, new, said), question, count=1)
        return _agreeing(written, old, new), kept
    return _for_pick(question, new) or _for_pronoun(question, new, said) or f"{question} {new.text}", kept


def parted(antecedent: Exchange) -> tuple[str, str]:
    """The question as it was typed, and the words that were put behind it."""
    query, typed = antecedent.query, antecedent.message
    if asked := questions_of(typed):  # what a story tells is not asked again
        return " ".join(asked), ""
    return (typed, query[len(typed) :].strip()) if query.startswith(f"{typed} ") else (query, "")


_UNFINISHED = re.compile(r"(?:and|or|but|so|no|same|what\s+about|how\s+about)\b", re.IGNORECASE)


def _without(carried: str, antecedent: Exchange, old: Term, new: Term) -> str:
    """What was carried over and is still meant: nothing that says the old thing, and nothing that its answer said.

    An ellipsis goes on carrying its predicate.
    """
    gone = set(old.key.split()) - set(new.key.split())
    meant = [
        t.text
        for t in antecedent.inherited
        if not gone & set(t.key.split()) and t.key.split()[-1:] != new.key.split()[-1:]
    ]
    if _UNFINISHED.match(antecedent.message):
        for term in sorted(antecedent.inherited, key=lambda term: -len(term.text)):
            if term.text not in meant:
                carried = re.sub(rf"(?<!\w){re.escape(term.text)}(?!\w)", " ", carried, count=1)
        return " ".join(carried.split())
    return " ".join(text for text in meant if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", carried))


def _for_pick(question: str, new: Term) -> str:
    """ "Tell me more about the second one": the place in the list meant the old thing; empty without any."""
    found = pick_in(question)
    return f"{question[: found[0]]}{new.text}{question[found[1] :]}" if found else ""


def _for_pronoun(question: str, new: Term, said: str) -> str:
    """ "Can I send them back if I wore them?" of "a mattress": the pronoun meant the old thing; empty without any."""
    match = _PRONOUN.search(question)
    if match is None:
        return ""
    article = re.search(rf"(?<!\w)((?:an?|the|my|our)\s+){re.escape(new.text)}(?!\w)", said, re.IGNORECASE)
    spelled = f"{article.group(1).lower() if article else ''}{new.text}"
    spelled += "'s" if match.group().lower() in {"its", "their"} else ""
    rest = question[match.end() :]
    if not in_plural(new.text):
        rest = _PRONOUN.sub(lambda m: _ONE_OF_MANY.get(m.group().lower(), m.group()), rest)
    return f"{question[: match.start()]}{spelled}{rest}"


_AGREES = {"is": "are", "was": "were", "does": "do", "has": "have"}


def _agreeing(question: str, old: Term, new: Term) -> str:
    """ "Are there invoices?" after "Is there a course?": the verb before a thing follows it in number."""
    if in_plural(new.text) == in_plural(old.text) or not new.text.split()[-1].isalpha():
        return question
    forms = _AGREES if in_plural(new.text) else {many: one for one, many in _AGREES.items()}
    found = re.search(
        rf"(?<![\w'’])(?P<verb>{'|'.join(forms)})(?=\s+(?:there\s+)?(?:(?:any|the|a|an|my|our|your)\s+)?{re.escape(new.text)}(?!\w))",
        question,
        re.IGNORECASE,
    )
    if found is None:
        return question
    verb = forms[found.group("verb").lower()]
    verb = verb.capitalize() if found.group("verb")[:1].isupper() else verb
    return f"{question[: found.start()]}{verb}{question[found.end() :]}"


def _with_article(match: re.Match[str], old: Term, new: Term, said: str) -> str:
    article, own = (match.group("article") or "").lower(), _own_article(new, said)
    if not article:
        one_of_many = in_plural(old.text) and not in_plural(new.text) and not new.name
        bare = not _DETERMINED.search(match.string[: match.start()])
        return f"{own if one_of_many and bare else ''}{new.text}"
    if article not in {"a", "an"}:
        kept = match.group("article") + " "
        return f"{kept if own in {'', 'a ', 'an '} else own}{new.text}"
    if in_plural(new.text) or (not own and _follows_preposition(new, said)):
        return new.text
    if _SUPERLATIVE.match(new.text):
        return f"the {new.text}"
    return f"{'an' if new.text[:1].lower() in 'aeiou' else 'a'} {new.text}"


def _follows_preposition(new: Term, said: str) -> bool:
    """ "For staff": what stands without an article behind a preposition needs none."""
    return bool(re.search(rf"\b(?:for|with|on|of|by)\s+{re.escape(new.text)}(?!\w)", said, re.IGNORECASE))


def _own_article(new: Term, said: str) -> str:
    """The article or possessive that a thing has in the message, with the space behind it; empty without one."""
    own = re.search(rf"(?<!\w)(an?|the|my|our|your)\s+{re.escape(new.text)}(?!\w)", said, re.IGNORECASE)
    return f"{own.group(1).lower()} " if own else ""


def with_head(new: Term, old: Term) -> Term:
    """ "Extreme one" in the place of "Fast volume" is an "Extreme volume", "Gold" in that of "Silver tariff" a "Gold tariff"."""
    said, held = new.text.split(), old.text.split()
    names = next((i for i, word in enumerate(held) if not word[:1].isupper()), len(held))
    if said[-1].lower() in ONES and len(said) > 1:
        kept = held[names:] if 0 < names < len(held) else held[1:][-1:]
        text = " ".join((*said[:-1], *kept))
        return Term(text, key_of(text), new.type, new.name)
    if not 0 < names < len(held) or not all(word[:1].isupper() for word in said) or new.type in RIVALLING:
        return new
    return Term(f"{new.text} {' '.join(held[names:])}", new.key, new.type, new.name)
