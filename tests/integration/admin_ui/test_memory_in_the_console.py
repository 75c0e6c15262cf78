"""The conversation page shows what is remembered beyond the last turns: the summary over the turns, and the ledger."""

from __future__ import annotations

import re

import pytest

from conversations.models import TurnState
from retrieval.models import Chunk
from retrieval.services import corpus_grant, document_grant
from tenants.models import Audience
from tests.integration.admin_ui.rows import (
    make_document,
    make_fact,
    make_part,
    make_session,
    make_trace,
    make_turn,
)

pytestmark = pytest.mark.django_db


def squeezed(html: str) -> str:
    return re.sub(r"\s+", " ", html)


@pytest.fixture
def page(scoped, browser):
    def read(session, role="editor", query=""):
        answer = browser(scoped, role).get(f"conversations/{session.pk}/{query}")
        assert answer.status_code == 200
        return squeezed(answer.content.decode())

    return read


def bars(html: str) -> dict[str, str]:
    """Grid columns of the summary's bars, by their anchors."""
    found = re.findall(r'<a class="mm-bar[^>]*style="grid-column:([\d/]+)" href="#([\w-]+)"', html)
    return {anchor: columns for columns, anchor in found}


def test_a_conversation_that_kept_nothing_yet_says_so(scoped, page):
    text = page(make_session(turns=2))
    assert "a summary begins where the last six turns no longer reach" in text
    assert 'class="ledger"' not in text


def test_it_draws_both_levels_of_the_summary_over_the_turns(scoped, page):
    session = make_session(turns=14)
    make_part(session, 1, 6, "Asked about wards: There are nine.", level=2)
    make_part(session, 7, 8, "Asked about beds: There are forty.")
    text = page(session)
    assert bars(text) == {"part-deep-1": "1/7", "part-rolling-7": "7/9"}
    assert 'class="mm-said" style="grid-column:9/15"' in text


def test_a_part_opens_its_text_with_what_it_names_and_who_wrote_it(scoped, page):
    session = make_session(turns=3)
    text = "Asked about visiting hours, Dublin: From 14 to 18 o'clock. Children are welcome."
    make_part(session, 1, 1, text, entities=["dublin", "visiting hour"])
    make_part(session, 2, 3, "The person asked for a bed.", engine="gpt-test")
    make_fact(session, 1, "Visiting hours end at 18 o'clock", "18 o'clock", entity="Visiting hours")
    html = page(session)
    assert (
        "<b>Asked about visiting hours, Dublin:</b> From 14 to 18 o&#x27;clock. Children are welcome." in html
    )
    assert re.search(r'data-tone="live" title="live"><span[^>]*>●</span>Dublin', html)
    assert "Visiting hours<span" in html  # by its name, not by its key
    assert "Written by the offline engine" in html
    assert "Written by gpt-test" in html


def test_the_ledger_says_who_stated_what_in_which_turn_and_on_which_passage_it_rests(scoped, corpus, page):
    document = make_document(corpus, "House rules", chunks=60)
    chunk = Chunk.objects.get(document=document, ordinal=55)
    session = make_session(turns=2)
    make_fact(session, 1, "We are a family of five", "five", said_by="user", entity="the user")
    make_fact(session, 2, "Ward 7 has 40 beds", "40 beds", entity="Ward 7", chunks=[str(chunk.pk)])
    make_fact(session, 2, "Ward 9 has 8 beds", "8 beds", entity="Ward 9", chunks=["gone"])
    html = page(session)
    assert "We are a family of <mark>five</mark>" in html
    assert 'data-by="user">the user<' in html
    assert '<td data-label="Turn"><a href="#turn-2">2</a></td>' in html
    assert f"documents/{document.pk}/?page=2#chunk-{chunk.pk}" in html
    assert "House rules, p. 56" in html
    assert "1 passage no longer stored" in html


def test_a_corrected_value_is_struck_through_and_names_the_turn_that_replaced_it(scoped, page):
    session = make_session(turns=3)
    make_fact(session, 1, "We need 12 beds", "12 beds", said_by="user", replaced_in=3)
    make_fact(session, 3, "I meant 14 beds", "14 beds", said_by="user")
    html = page(session)
    assert "<del>12 beds</del>" in html
    assert 'replaced in <a href="#turn-3">turn 3</a>' in html
    assert "<del>14 beds</del>" not in html
    assert "1 corrected" in html


def test_turns_are_counted_as_people_count_them_where_one_failed(scoped, page):
    session = make_session(turns=1)
    make_turn(session, 2, state=TurnState.FAILED, answer="", traced=False)
    make_turn(session, 3, trace=make_trace(2))
    make_part(session, 1, 2, "Asked about beds: Forty.")
    make_fact(session, 2, "There are 40 beds", "40 beds")
    html = page(session)
    assert bars(html) == {"part-rolling-1": "1/4"}
    assert '<td data-label="Turn"><a href="#turn-3">3</a></td>' in html


def test_a_long_conversation_lists_the_facts_of_the_turns_in_view(scoped, page):
    session = make_session(turns=45)
    make_fact(session, 2, "The early ward has 3 beds", "3 beds")
    make_fact(session, 44, "The late ward has 5 beds", "5 beds")
    first, second = page(session), page(session, query="?turn=45")
    assert "early ward" in first and "late ward" not in first
    assert "late ward" in second and "early ward" not in second
    assert "1 of 2 facts" in first
    assert 'href="?turn=44#facts-44"' in first


def test_what_memory_still_has_to_write_down_is_told(scoped, page):
    session = make_session(turns=2)
    session.last_exchange, session.memory_turn = 2, 1
    session.save()
    make_fact(session, 1, "There are 40 beds", "40 beds")
    assert "1 turn still to be written down" in page(session)


def test_what_was_said_cannot_write_into_the_page(scoped, page):
    session = make_session(turns=2)
    bad = "<script>alert(1)</script>"
    make_part(session, 1, 2, f"Asked about {bad}: {bad}", entities=[bad], engine=bad)
    make_fact(session, 1, f"{bad} costs 5 euros", bad, entity=bad, attribute=bad)
    assert "<script>alert" not in page(session)


@pytest.fixture
def shelf(scoped, corpus):
    """A public and a restricted document, and a conversation that rests on one and then on the other."""
    corpus_grant(corpus_id=corpus.pk, group_id=Audience.objects.get(slug="members").group_id)
    public, secret = make_document(corpus, "Rules"), make_document(corpus, "Payroll", restricted=True)
    chunks = [str(Chunk.objects.filter(document=d).first().pk) for d in (public, secret)]
    offline = {"mode": "offline", "label": "Offline engine"}
    session = make_session(turns=0)
    for n, chunk in enumerate((chunks[0], chunks[1], chunks[0]), 1):
        cited = [{"n": 1, "chunk": chunk, "title": "T", "heading_path": [], "page": None}]
        trace = make_trace(
            n, candidates=[], background={"summary": "Salaries are 900 crowns"} if n == 3 else {}
        )
        make_turn(session, n, citations=cited, engine=offline, trace=trace)
    make_part(session, 1, 1, "Asked about beds: Forty.", chunks=chunks[:1])
    make_part(
        session, 2, 2, "Asked about salaries: They are 900 crowns.", chunks=chunks[1:], entities=["salary"]
    )
    make_fact(session, 1, "There are 40 beds", "40 beds", chunks=chunks[:1])
    make_fact(session, 2, "The salary is 900 crowns", "900 crowns", entity="Salaries", chunks=chunks[1:])
    make_fact(session, 3, "We are five", "five", said_by="user", entity="Salaries")
    return session, secret


def test_an_analyst_reads_no_memory_of_what_they_may_not_see(shelf, page):
    html = page(shelf[0], "analyst")
    for word in ("900 crowns", "alar"):
        assert word not in html
    assert "This part rests on a document you may not see" in html
    assert "1 fact of this conversation rests on documents you may not see" in html
    for word in ("Forty.", "40 beds", "five"):
        assert word in html


def test_a_grant_opens_the_memory_at_once(shelf, page):
    document_grant(document_id=shelf[1].pk, group_id=Audience.objects.get(slug="members").group_id)
    html = page(shelf[0], "analyst")
    assert "They are 900 crowns." in html
    assert "you may not see" not in html


def test_a_rival_reads_nothing_of_it(shelf, rival, browser):
    answer = browser(rival, "owner").get(f"conversations/{shelf[0].pk}/")
    assert answer.status_code == 404
    assert "Forty" not in answer.content.decode()
