"""The wording that people see behind "searched for …": the reference replaced by what it means, where that is safe.

Safe means one unexplained pronoun and one thing it can mean; otherwise the words carried over are listed after the message.
It never changes what is searched.
"""

from __future__ import annotations

import re

from conversations.domain.reading import Mark, Reading
from conversations.domain.state import Term

_POSSESSIVE = frozenset({"its", "their", "his"})
_NOT_REPLACED = frozenset({"her", "that", "this", "these", "those", "one", "ones"})


def shown(reading: Reading, terms: tuple[Term, ...]) -> str:
    """The message with its reference replaced, or followed by the carried words in brackets."""
    if not terms:
        return reading.core
    pronouns = [word for mark, word in reading.marks if mark is Mark.PRONOUN]
    if len(set(map(str.lower, pronouns))) == 1 and pronouns[0].lower() not in _NOT_REPLACED:
        return _replaced(reading.core, pronouns[0], terms[0])
    listed = ", ".join(term.text for term in terms[:3])
    return f"{reading.core} ({listed})"


def _replaced(core: str, pronoun: str, term: Term) -> str:
    name = term.text if term.name else f"the {term.text}"
    if pronoun.lower() in _POSSESSIVE:
        name += "'" if name.endswith("s") else "'s"
    text = re.sub(rf"(?<!\w){re.escape(pronoun)}(?!\w)", lambda _: name, core, count=1)
    return text[:1].upper() + text[1:] if core[:1].isupper() else text
