"""What became of everything that was acknowledged, read from the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Rows = Callable[..., list[tuple[Any, ...]]]
ENDED = ("completed", "joined")
TURNS = """
    select t.client_id, t.state,
        (select count(*) from conversations_turntrace r where r.turn_id = t.id and r.tenant_id = t.tenant_id)
    from conversations_turn t where t.client_id = any(%s)
"""
DOCUMENTS = """
    select d.filename, d.state, d.chunk_count,
        (select count(*) from retrieval_chunk c where c.document_id = d.id and c.tenant_id = d.tenant_id),
        (select count(*) from retrieval_chunkembedding e
            where e.document_id = d.id and e.tenant_id = d.tenant_id and e.generation = d.generation)
    from retrieval_document d where d.filename = any(%s)
"""


@dataclass(frozen=True)
class Verdict:
    """Client ids of turns and names of files, by what is wrong with them."""

    lost_turns: tuple[str, ...]
    doubled_turns: tuple[str, ...]
    unfinished_turns: tuple[str, ...]
    lost_documents: tuple[str, ...]
    doubled_documents: tuple[str, ...]
    unfinished_documents: tuple[str, ...]
    is_well: bool

    @property
    def is_good(self) -> bool:
        wrong = (
            self.lost_turns, self.doubled_turns, self.unfinished_turns,
            self.lost_documents, self.doubled_documents, self.unfinished_documents,
        )  # fmt: skip
        return self.is_well and not any(wrong)


def judged(rows: Rows, turns: Iterable[str], documents: Iterable[str], *, well: bool) -> Verdict:
    """A turn has one row and, when answered, one trace; a document one row, and as many chunks and vectors as it says."""
    asked, uploaded = sorted(turns), sorted(documents)
    stored, filed = rows(TURNS, asked), rows(DOCUMENTS, uploaded)
    times, files = Counter(row[0] for row in stored), Counter(row[0] for row in filed)
    return Verdict(
        lost_turns=tuple(one for one in asked if not times[one]),
        doubled_turns=tuple(sorted({one for one, state, traces in stored if times[one] > 1 or traces > 1})),
        unfinished_turns=tuple(
            sorted(
                {
                    one
                    for one, state, traces in stored
                    if state not in ENDED or (state == "completed" and not traces)
                }
            )
        ),
        lost_documents=tuple(one for one in uploaded if not files[one]),
        doubled_documents=tuple(
            sorted(
                {
                    one
                    for one, _, said, chunks, vectors in filed
                    if files[one] > 1 or max(chunks, vectors) > said
                }
            )
        ),
        unfinished_documents=tuple(
            sorted(
                {
                    one
                    for one, state, said, chunks, vectors in filed
                    if state != "indexed" or min(said, chunks, vectors) < max(said, 1)
                }
            )
        ),
        is_well=well,
    )
