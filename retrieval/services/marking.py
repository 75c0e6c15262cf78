"""The words of a query in the passages that it found, as PostgreSQL reads them: with their endings, in their language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib.postgres.search import SearchConfig, SearchHeadline, SearchQuery
from django.db.models import F, Value
from django.db.models.functions import Coalesce, NullIf

from retrieval.models import Chunk

# Of the private use area: in no text that means anything.
_START, _STOP = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A stretch of a passage; `found` where it is a word of the query."""

    text: str
    found: bool


def passages_marked(*, chunk_ids: Sequence[UUID], query: str) -> dict[UUID, tuple[MarkedText, ...]]:
    """The texts of some passages with the words of the query marked. One query; whoever asks may see them already."""
    spoken = Coalesce(NullIf(F("document__language"), Value("")), F("document__corpus__language"))
    config = SearchConfig(spoken)
    words = SearchQuery(query.replace("\0", ""), config=config)
    marked = SearchHeadline(
        "text", words, config=config, start_sel=_START, stop_sel=_STOP, highlight_all=True
    )
    rows = Chunk.objects.filter(id__in=chunk_ids).annotate(marked=marked).values_list("id", "marked")
    return {id: stretches(text) for id, text in rows}


def stretches(marked: str) -> tuple[MarkedText, ...]:
    before, *rest = marked.split(_START)
    found = [MarkedText(_plain(before), False)]
    for part in rest:
        word, _, after = part.partition(_STOP)
        found += [MarkedText(_plain(word), True), MarkedText(_plain(after), False)]
    return tuple(stretch for stretch in found if stretch.text)


def _plain(text: str) -> str:
    return text.replace(_STOP, "")
