"""Takes a phrase out of a question so that a question remains, or says that it cannot be done.

The preposition or conjunction that led to the phrase goes with it.
What would leave a torn sentence is refused; the caller then falls back to a safer wording.
"""

from __future__ import annotations

import re

from conversations.domain.language import Analysis, Token

_LEAD = r"(?:\s*,)?(?:\s+(?:and|or|but))?(?:\s+(?:and|or|vs\.?|versus|for|in|of|about|on|with|within|at|from|to|by|regarding|concerning|under|using|via|like))?"
_DANGLING = re.compile(
    r"(?:\b(?:the|a|an|of|for|in|on|with|at|from|to|by|and|or|about|between|than|versus|vs\.?|is|are|was|were|does|do|did|my|your|its)\s*[?.!]*$)|\b(?:and|or|of|for|than|between)\s*[?.!,;]",
    re.IGNORECASE,
)
_TORN = re.compile(
    r"\b(?:the|a|an)\s+(?:of|for|in|is|are|was|were|does|do|did|and|or|\?)|\b(?:of|for|in|on|with|at|from|to|by)\s+(?:of|for|in|with|at|from|by|and|or|is|are|does)\b",
    re.IGNORECASE,
)
# What hangs on another word can go with what hangs on itself; subjects, objects and verbs cannot.
_LOOSE = frozenset({"compound", "amod", "nmod", "poss", "pobj", "conj", "appos", "npadvmod", "nummod", "dep"})
_GOES_ALONG = frozenset({"det", "poss", "case", "punct", "cc", "conj", "prep"})


def without_phrases(query: str, phrases: tuple[str, ...]) -> str | None:
    """The query without the phrases, or None when what remains is torn or empty."""
    text = query
    for phrase in sorted(phrases, key=len, reverse=True):
        text = re.sub(
            rf"{_LEAD}\s*(?:(?<!\w)(?:the|a|an|my|your)\s+)?{_pattern(phrase)}(?:['’]s|['’])?(?!\w)",
            " ",
            text,
            flags=re.IGNORECASE,
        )
    text = re.sub(r"\s+([?.!,;:])", r"\1", re.sub(r"\s{2,}", " ", text)).strip(" ,;:-")
    if not re.search(r"\w{2,}", text) or _DANGLING.search(text) or _TORN.search(text):
        return None
    return text


def is_loose(phrase: str, query: Analysis) -> bool:
    """Whether the sentence stands without the phrase wherever it occurs: "in Frankfurt", never its subject or verb."""
    spans = [m.span() for m in re.finditer(rf"{_pattern(phrase)}(?!\w)", query.text, re.IGNORECASE)]
    return all(_loose_span(start, end, query) for start, end in spans)


def _loose_span(start: int, end: int, query: Analysis) -> bool:
    if "-" in (query.text[start - 1 : start], query.text[end : end + 1]):
        return False
    inside = {index for index, t in enumerate(query.tokens) if start <= t.start < end}
    tops = [
        query.tokens[i] for i in inside if query.tokens[i].head not in inside or query.tokens[i].head == i
    ]
    return all(top.dep in _LOOSE and not _carries(top, inside, query) for top in tops)


def _carries(top: Token, inside: set[int], query: Analysis) -> bool:
    """Whether a word outside the phrase would be left hanging in the air."""
    at = query.tokens.index(top)
    return any(
        token.head == at and index not in inside and token.dep not in _GOES_ALONG
        for index, token in enumerate(query.tokens)
    )


def _pattern(phrase: str) -> str:
    words = r"[\s\-]+".join(re.escape(word) for word in re.split(r"[\s\-]+", phrase) if word)
    return rf"(?<!\w){words}"
