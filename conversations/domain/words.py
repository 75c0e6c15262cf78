"""The closed classes of English that the rules lean on: words that refer, and words that say nothing of a subject.

Only general function words and nouns of talking about talk stand here, never a word of some customer's business.
Everything compares after `normalise`, so that case, plural, possessive and typographic quotes make no difference.
"""

from __future__ import annotations

import re
from functools import lru_cache

from conversations.domain.vocabulary import words

_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?!\w)")
WORD = re.compile(r"(?:(?<![^\s(\"'“‘])\.)?[^\W_]+(?:\+\+|#)?", re.UNICODE)


def normalise(text: str) -> tuple[str, ...]:
    """Word keys of a text: "O'Neil's C++ plans" → ("o", "neil", "c++", "plan")."""
    return _normalised_term(text) if len(text) <= _LONGEST_REMEMBERED else _normalised(text)


def _normalised(text: str) -> tuple[str, ...]:
    plain = _POSSESSIVE.sub("", text.casefold())
    return tuple(_singular(word) for word in WORD.findall(plain))


# A turn asks for the keys of the same few terms some hundred times. Whole messages and answers are not kept.
_LONGEST_REMEMBERED = 32
_normalised_term = lru_cache(maxsize=4096)(_normalised)


def key_of(text: str) -> str:
    return " ".join(normalise(text))


def contains_key(text_key: str, key: str) -> bool:
    """Whether `key` stands in `text_key` as consecutive whole words; both come from `key_of`."""
    return bool(key) and f" {key} " in f" {text_key} "


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith("es") and word[-3] in "sxz":
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def spellings(key: str) -> tuple[str, ...]:
    """The words of a text in small letters that have this key."""
    return (key, f"{key}s", f"{key}es", *([f"{key[:-1]}ies"] if key.endswith("y") else []))


# "In green", "in navy": what grammar takes for a name in small letters.
COLOURS = words(
    """
    black white grey gray red green blue yellow orange purple violet pink brown beige cream ivory navy teal turquoise
    silver gold bronze copper khaki olive maroon burgundy charcoal natural transparent
    """
)


_PLURALS_WITHOUT_S = words("children people men women feet teeth mice geese sheep")


def in_plural(text: str) -> bool:
    """Whether the last word of a phrase is written in the plural: "road bikes", "children"."""
    last = re.split(r"[\s-]+", text.casefold().strip())[-1:]
    return bool(last) and (last[0] in _PLURALS_WITHOUT_S or normalise(last[0])[-1:] != (last[0],))


PERSONAL = words(
    """
    he she him her his hers himself herself they them their theirs themselves it its itself
    """
)
POSSESSIVE = frozenset(["its", "their", "his", "her"])
DEMONSTRATIVE = frozenset(["this", "that", "these", "those"])
ONES = frozenset(["one", "ones"])
PLURAL_REFERENCE = words("they them their theirs these those ones both themselves")
PERSON_REFERENCE = words("he she him her his hers himself herself")

ELLIPSIS = words(
    """
    else other others also another too instead besides either neither same former latter
    """
)
QUESTION = words("what which who whom whose when where why how")
ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "sixth": 6, "6th": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "last": -1, "latter": -1, "former": 1,
}  # fmt: skip
NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip

# Nouns of time after a demonstrative: "this week" refers to nothing that was said.
DEICTIC_TIME = words(
    """
    year years month months week weeks day days weekend morning evening afternoon night quarter time moment
    season spring summer autumn fall winter century decade point way website site page chat company
    conversation
    """
)

CALENDAR = words(
    """
    january february march april may june july august september october november december monday tuesday
    wednesday thursday friday saturday sunday
    """
)
PLACE_NOUNS = words(
    """
    region city town village country county state province island site place location area district office
    building campus branch store shop station airport port continent hotel clinic hospital ward library museum
    school hall room garage depot warehouse
    """
)

# Nouns of which there is only one to speak of: "the internet" refers to nothing that was said.
UNIQUE = words(
    """
    world internet web sun moon earth sky sea ocean weather government police law economy market public media
    future past present morning afternoon evening night day week month year time same best way end beginning
    whole
    """
)  # fmt: skip

# Nouns and adjectives that carry no subject of their own.
GENERIC = words(
    """
    thing things stuff way ways kind kinds type types sort sorts lot lots example examples information info
    detail details question questions answer answers topic topics subject matter tip tips idea ideas reason
    reasons part parts something anything everything nothing someone anyone everyone somebody anybody
    everybody one ones bit other others number numbers case cases fact facts point points difference
    differences advantage advantages disadvantage disadvantages pros cons benefit benefits purpose role
    effect effects impact cause causes result results step steps list lists option options alternative
    alternatives problem problems issue issues time times people person man woman guy guys day days year
    years need help hello hi hey thanks thank please sure yes no okay ok good great interesting cool nice wow
    hmm mmm awesome woah oh well sorry note total lol lmao rofl haha hahaha hehe omg yay yikes ugh meh duh huh
    btw fyi asap tbh imo pls plz thx ty
    """
)

STOP = words(
    """
    a an the and or but nor so yet if then than as at by for from in into of off on onto out over to up with
    without about above after again against all am any are aren't around be because been before being below
    between both can can't cannot could couldn't did didn't do does doesn't doing don't down during each few
    further get gets getting got had hadn't has hasn't have haven't having he her here hers herself him
    himself his how i i'd i'll i'm i've is isn't it its itself just know let let's like lot many may maybe me
    might mine more most much must my myself need never no not now often only other our ours ourselves own
    per please quite rather really same she should shouldn't since some such sure take tell that their theirs
    them themselves there these they this those through too try under until us use very want was wasn't we
    were weren't what when where whether which while who whom whose why will won't would wouldn't yes you
    your yours yourself s t re ve ll d m ok okay also else even ever still thing things way kind kinds type
    types sort give say said says think mean means meant make made makes go goes going see look find come
    show help understand explain describe mention mentioned talk talked talking ask asked asking question
    questions answer answers information info detail details example examples well good great thanks thank
    hello hi hey hmm oh wow nice cool interesting awesome lol haha omg btw pls plz thx whats wats wat wot hows
    wheres whens whos
    """
)
STOP_KEYS = frozenset(key for word in STOP for key in normalise(word))
GENERIC_KEYS = frozenset(key for word in GENERIC for key in normalise(word))


def content_of(text: str) -> frozenset[str]:
    """The keys of a text's words of content: those that are neither function words nor of a general kind."""
    return frozenset(normalise(text)) - STOP_KEYS - GENERIC_KEYS
