"""Takes a phrase out of a question so that a question remains, or says that it cannot be done.

The preposition or conjunction that led to the phrase goes with it.
What would leave a torn sentence is refused; the caller then falls back to a safer wording.
"""

from __future__ import annotations

import re

_LEAD = r"(?:\s*,)?(?:\s+(?:and|or|but))?(?:\s+(?:and|or|vs\.?|versus|for|in|of|about|on|with|within|at|from|to|by|regarding|concerning|under|using|via|like))?"
_DANGLING = re.compile(
    r"(?:\b(?:the|a|an|of|for|in|on|with|at|from|to|by|and|or|about|between|than|versus|vs\.?|is|are|was|were|does|do|did|my|your|its)\s*[?.!]*$)|\b(?:and|or|of|for|than|between)\s*[?.!,;]",
    re.IGNORECASE,
)
_TORN = re.compile(
    r"\b(?:the|a|an)\s+(?:of|for|in|is|are|was|were|does|do|did|and|or|\?)|\b(?:of|for|in|on|with|at|from|to|by)\s+(?:of|for|in|with|at|from|by|and|or|is|are|does)\b",
    re.IGNORECASE,
)


def without_phrases(query: str, phrases: tuple[str, ...]) -> str | None:
    """The query without the phrases, or None when what remains is torn or empty."""
    text = query
    for phrase in sorted(phrases, key=len, reverse=True):
        words = r"[\s\-]+".join(re.escape(word) for word in re.split(r"[\s\-]+", phrase) if word)
        text = re.sub(
            rf"{_LEAD}\s*(?:(?<!\w)(?:the|a|an|my|your)\s+)?(?<!\w){words}(?:['’]s|['’])?(?!\w)",
            " ",
            text,
            flags=re.IGNORECASE,
        )
    text = re.sub(r"\s+([?.!,;:])", r"\1", re.sub(r"\s{2,}", " ", text)).strip(" ,;:-")
    if not re.search(r"\w{2,}", text) or _DANGLING.search(text) or _TORN.search(text):
        return None
    return text
