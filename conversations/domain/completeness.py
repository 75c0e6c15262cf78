"""Says whether a message is a question of its own: it names its subject and leaves nothing open.

A question word with a noun of its own ("How many days of leave?") is whole even without a verb; "Which languages?" is not.
What is whole takes nothing along unless it is very near to something said before, so that old subjects are not welded on.
"""

from __future__ import annotations

import re

from conversations.domain.marks import Mark
from conversations.domain.reading import Reading
from conversations.domain.stories import is_story
from conversations.domain.unfinished import is_of_any
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, content_of, key_of

# Marks of a wording that reaches outside the message whatever else it says.
REACHING = (
    Mark.PLACE,
    Mark.ELLIPSIS,
    Mark.UNFINISHED,
    Mark.COMMENT,
    Mark.OTHER,
    Mark.CHOICE,
    Mark.CORRECTION,
)
_ASKS_WITH_NOUN = re.compile(
    r"^(?:and\s+)?(?:wh?[ao]t(?:['’]?s)?|which|whose|how\s+(?:many|much))\s+\w", re.IGNORECASE
)
# "Any workshops this summer?": are there any.
_ASKS_WHETHER_ANY = re.compile(r"^any\s+\w", re.IGNORECASE)
# Words of content that a question without a verb needs to be whole.
VERBLESS_CONTENT = 2
_BEGINS_IN_THE_MIDDLE = frozenset({"ADP", "CCONJ", "SCONJ", "DET", "ADV"})
# Things that a story names before it speaks of nothing else.
NAMED_IN_STORY = 2
# Words of content in a row that say by themselves what is wanted of what.
TELEGRAM = 3
# Words of content that make a question within a correction a new one.
ANEW_CONTENT = 4


def is_complete(reading: Reading) -> bool:
    """Whether the message has a subject of its own and a predicate, and refers to nothing outside itself."""
    if reading.strong or reading.has(*REACHING) or not (own_terms(reading) or _acts(reading)):
        return False
    if _does_without_things(reading):
        return False
    if not reading.has(Mark.VERBLESS) and any(t.pos in {"VERB", "AUX"} for t in reading.analysis.tokens):
        return True
    if _ASKS_WHETHER_ANY.match(reading.core.strip()):
        return not reading.has(Mark.ADDITIVE)
    return bool(_ASKS_WITH_NOUN.match(reading.core.strip())) and len(reading.keys) >= VERBLESS_CONTENT


def tells_its_own_story(reading: Reading) -> bool:
    """Whether a message tells at length what it asks about, so that its "it" is in it; what it says of before it may recall."""
    points_back = reading.has(Mark.RECALLS, Mark.ORDINAL, Mark.CHOICE)
    return is_story(reading.core) and len(own_terms(reading)) >= NAMED_IN_STORY and not points_back


def is_for_a_search_box(reading: Reading) -> bool:
    """ "Enterprise plan price", "delivery to Ireland": a thing and what of it, as people type who leave the verb out.

    A name by itself says nothing of what is wanted of it.
    """
    if reading.strong or reading.has(*REACHING, Mark.CONTINUES) or not own_terms(reading):
        return False
    tokens = [t for t in reading.analysis.tokens if t.pos not in {"PUNCT", "SPACE"}]
    if not tokens or tokens[0].pos in _BEGINS_IN_THE_MIDDLE or any(t.pos in {"VERB", "AUX"} for t in tokens):
        return False
    if is_of_any(reading.core):
        return False
    nouns = [t for t in tokens if t.pos in {"NOUN", "PROPN"}]
    related = any(t.dep == "pobj" and t.pos in {"NOUN", "PROPN"} for t in tokens[1:])
    if len(nouns) < VERBLESS_CONTENT:
        return False
    return related or (len(reading.keys) >= TELEGRAM and nouns[-1].pos == "NOUN")


def _does_without_things(reading: Reading) -> bool:
    """ "How long to wait before opening after isolating": what is done is said, and neither by whom nor to what."""
    tokens = reading.analysis.tokens
    if any(t.dep in {"nsubj", "nsubjpass", "dobj", "attr", "expl"} for t in tokens):
        return False
    return all(key.endswith("ing") and " " not in key for key in own_terms(reading))


def _acts(reading: Reading) -> bool:
    """ "Who can grant roles?": what is done to many things of a general kind is a subject, though the kind is none."""
    tokens = reading.analysis.tokens
    return any(
        t.dep == "dobj"
        and t.tag == "NNS"
        and tokens[t.head].pos == "VERB"
        and not set(key_of(tokens[t.head].text).split()) & STOP_KEYS
        and not any(other.head == i and other.pos in {"DET", "PRON", "ADJ"} for other in tokens)
        for i, t in enumerate(tokens)
    )


def own_terms(reading: Reading) -> tuple[str, ...]:
    """Keys of the subjects that the message introduces; "the price" alone is open, it is the price of something."""
    open_nouns = {key_of(word) for mark, word in reading.marks if mark is Mark.DEFINITE}
    return tuple(
        term.key
        for term in reading.terms
        if key_of(f"the {term.text}") not in open_nouns and not set(term.key.split()) <= GENERIC_KEYS
    )


_QUESTION = re.compile(
    r"(?:^|[.,;:!?–—-]\s*|\b(?:and|so|but)\s+)(?:what|which|who|where|when|why|how|is|are|do|does|can|could|may|will)\b(?P<rest>[^.?!]{12,})",
    re.IGNORECASE,
)


def asks_anew(reading: Reading) -> bool:
    """Whether a correction brings its whole question with it: "you misunderstood, what does a late return cost?"."""
    match = _QUESTION.search(reading.core)
    if match is None or reading.strong:
        return False
    content = content_of(match.group("rest"))
    return bool(reading.terms) and len(content) >= ANEW_CONTENT
