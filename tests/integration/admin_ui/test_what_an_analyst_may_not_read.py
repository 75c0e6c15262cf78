"""An analyst reads conversations, but not through them what is in documents they may not see."""

from __future__ import annotations

import pytest

from retrieval.models import Chunk
from retrieval.services import corpus_grant, document_grant
from tenants.models import Audience
from tests.integration.admin_ui.rows import make_document, make_session, make_trace, make_turn

pytestmark = pytest.mark.django_db

SECRET = ("Aurora", "Reykjavik", "twelve people")
MODEL = {"mode": "model", "label": "A model"}
OFFLINE = {"mode": "offline", "label": "Offline engine"}


def source(document) -> dict:
    chunk = Chunk.objects.filter(document=document).first()
    place = {"chunk": str(chunk.pk), "document": str(document.pk), "title": document.title, "page": 7}
    return {**place, "n": 1, "heading_path": [f"Part of {document.title}"]}


def found(document, *, chosen=True) -> dict:
    scores = {"score": 0.03, "dense_rank": 1, "lexical_rank": None, "dense_score": 0.7, "lexical_score": None}
    return {**source(document), **scores, "chosen": chosen}


@pytest.fixture
def shelf(scoped, corpus):
    """A public document and a restricted one."""
    members = Audience.objects.get(slug="members").group_id
    corpus_grant(corpus_id=corpus.pk, group_id=members)
    return make_document(corpus, "Regions"), make_document(corpus, "Aurora", restricted=True)


@pytest.fixture
def read(scoped, browser):
    def read(session, role="analyst", query=""):
        answer = browser(scoped, role).get(f"conversations/{session.pk}/{query}")
        assert answer.status_code == 200
        return answer.content.decode()

    return read


@pytest.fixture
def conversation(shelf):
    """A public answer, a restricted one, and a follow-up that carries what the restricted one said."""
    public, secret = shelf
    session = make_session(turns=0)
    make_turn(session, 1, answer="Five minutes [1].", citations=[source(public)], engine=OFFLINE,
              trace=make_trace(1, candidates=[found(public), found(secret, chosen=False)]))  # fmt: skip
    make_turn(session, 2, answer="Reykjavik opens with twelve people [1].", citations=[source(secret)],
              engine=OFFLINE, trace=make_trace(2, candidates=[found(secret)]))  # fmt: skip
    slot = {"id": "s9", "name": "Reykjavik", "type": "place", "status": "live", "introduced_turn": 2}
    slot |= {"last_mention_turn": 3, "superseded_by": None}
    change = {"slot_id": "s9", "name": "Reykjavik", "type": "place", "before": "offered", "after": "live"}
    scope = {"strategy": "liveness", "exchanges": [{"turn": 2, "message": "?", "answer": "Reykjavik opens"}], "slots": [slot]}  # fmt: skip
    trace = make_trace(
        3,
        scope=scope,
        queries=[{"text": "When does Reykjavik open?", "dense": 1, "lexical": 1}],
        rewrite={"query": "Reykjavik opening"},
        revoked={"slots": ["Aurora"]},
        candidates=[found(public)],
        memory={"turn": 3, "slots": [slot], "changes": [{**change, "happened": "named", "turn": 3}]},
    )
    make_turn(session, 3, message="and when?", query="and when does Reykjavik open?", answer="In March [1].",
              citations=[source(public)], engine=OFFLINE, trace=trace)  # fmt: skip
    return session


def test_nothing_of_a_restricted_document_is_told(conversation, read):
    text = read(conversation)
    for word in SECRET:
        assert word not in text
    assert text.count("This answer rests on a document you may not see") == 1
    assert "A document you may not see" in text
    assert "Five minutes" in text
    assert "In March" in text


@pytest.mark.parametrize("role", ["owner", "admin", "editor"])
def test_those_who_manage_documents_read_everything(conversation, read, role):
    text = read(conversation, role)
    for word in SECRET:
        assert word in text
    assert "you may not see" not in text


def test_a_grant_opens_it_at_once(conversation, shelf, read):
    members = Audience.objects.get(slug="members").group_id
    document_grant(document_id=shelf[1].pk, group_id=members)
    assert "Reykjavik opens with twelve people" in read(conversation)


def test_a_model_that_was_shown_a_restricted_passage_is_not_quoted(shelf, read):
    public, secret = shelf
    session = make_session(turns=0)
    both = make_trace(1, candidates=[found(public), found(secret, chosen=False)])
    make_turn(session, 1, answer="Twelve people go.", citations=[source(public)], engine=MODEL, trace=both)
    assert "Twelve people" not in read(session)


def test_a_model_that_repeats_a_hidden_answer_without_a_source_is_not_quoted(conversation, read):
    make_turn(conversation, 4, answer="As I said: twelve people.", citations=[], engine=MODEL,
              trace=make_trace(4, candidates=[]))  # fmt: skip
    assert "As I said" not in read(conversation)


def test_a_passage_that_is_gone_is_not_told_either(shelf, read):
    session = make_session(turns=0)
    make_turn(
        session, 1, answer="Old words [1].", citations=[source(shelf[0])], trace=make_trace(1, candidates=[])
    )
    Chunk.objects.all().delete()
    assert "Old words" not in read(session)


def test_a_far_page_is_sealed_by_what_was_said_on_the_first(conversation, shelf, read):
    for n in range(4, 46):
        make_turn(conversation, n, traced=n == 45, answer="In March [1].", citations=[source(shelf[0])],
                  query="Reykjavik?", engine=OFFLINE,
                  trace=make_trace(n, candidates=[found(shelf[0])]) if n == 45 else None)  # fmt: skip
    assert "Reykjavik" not in read(conversation, query="?turn=45")


def test_the_list_tells_no_answer(conversation, scoped, browser):
    text = browser(scoped, "analyst").get("conversations/?q=Reykjavik").content.decode()
    assert "No conversation fits" in text
