"""How a tenant's own items name what must come back: a document by title or id, a quote in one, or a passage's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conversations.evaluation.matching import folded
from conversations.evaluation.running import Found


def resolved(gold: Sequence[str], found: Sequence[Found], titles: Mapping[str, str]) -> tuple[str, ...]:
    """References in the form that scoring reads, for passages whose `name` is their document's id.

    A reference is a title or an id, either of them with `#` and a quote, or the words of a passage. `titles` are those
    of the found documents by id. What names nothing that was found stays as it is, and is a miss.
    """
    return tuple(_resolved(reference, found, titles) for reference in gold)


def _resolved(reference: str, found: Sequence[Found], titles: Mapping[str, str]) -> str:
    told = (_named(reference, passage, titles.get(passage.name, "")) for passage in found)
    return next((one for one in told if one), reference)


def _named(reference: str, passage: Found, title: str) -> str:
    """The reference to this passage, empty when it is not meant."""
    for name in filter(None, (passage.name, title)):
        if reference == name:
            return passage.name
        document, separator, quote = reference.partition(f"{name}#")
        if separator and not document and folded(quote) in folded(passage.text):
            return f"{passage.name}#{quote}"
    return f"{passage.name}#{reference}" if folded(reference) in folded(passage.text) else ""
