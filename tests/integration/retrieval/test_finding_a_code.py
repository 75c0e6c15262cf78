"""A row of a long table is found by its code, which is like its neighbours' in meaning."""

from __future__ import annotations

import asyncio

import pytest

from conversations.adapters.retrieval_search import RetrievalSearch
from conversations.domain.search_plan import CODE, LEXICAL_FOR_CODES, PlannedQuery, SearchPlan
from retrieval import services
from tenants.access import Principal

ROWS = 120


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("What is the warehouse of part QX-12345?", ["QX-12345"]),
        ("is INV-2026-0023 paid, or HX101999?", ["INV-2026-0023", "HX101999"]),
        ("How is TLS 1.2 set in eu-west-1 on 2026-03-02?", []),
        ("ISO 27001 and H100", []),
    ],
)
def test_it_knows_a_code_when_it_sees_one(text: str, codes: list[str]) -> None:
    assert CODE.findall(text) == codes


@pytest.mark.django_db(transaction=True)
def test_a_row_is_found_by_its_code_among_its_neighbours(tenant, scoped) -> None:
    corpus = services.corpus_create(name="Parts", slug="parts", language="english")
    lines = [f"QX-{10_000 + 37 * n};Leeds;{n % 90}" for n in range(ROWS)]
    table = "Part;Warehouse;Stock\n" + "\n".join(lines)
    document = services.document_upload(corpus_id=corpus.id, filename="parts.csv", data=table.encode())
    services.document_index(document_id=document.id)
    reader = RetrievalSearch(Principal(tenant.id, sees_all=True))
    for n in (3, 60, 117):
        code = f"QX-{10_000 + 37 * n}"
        asked = PlannedQuery(f"What is the stock of part {code}?", 1.0, 0.1)
        exactly = PlannedQuery(code, 0.0, LEXICAL_FOR_CODES, every_word=True)
        found = asyncio.run(_searched(reader, SearchPlan((asked, exactly))))
        assert code in found[0].passage.text


async def _searched(reader, plan):
    return await reader.search(plan)
