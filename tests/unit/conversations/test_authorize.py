"""An entity that rests on documents the user may no longer see is taken out."""

from __future__ import annotations

from typing import Any

from conversations.domain.authorize import authorize, chunks_of, revoke, visible
from conversations.domain.verdicts import Ruling


def with_offer(talk: Any) -> Any:
    talk.say("Which projects are planned?", "The plan names Northwind and Aurora.", chunks=("secret", "open"))
    return talk


def test_it_lists_every_chunk_that_the_session_rests_on(talk: Any) -> None:
    assert chunks_of(with_offer(talk).state) == {"secret", "open"}


def test_it_keeps_an_entity_while_one_source_may_be_seen(talk: Any) -> None:
    assert revoke(with_offer(talk).state, {"open"}).slots == ()


def test_it_revokes_what_rests_on_nothing_visible(talk: Any) -> None:
    revocation = revoke(with_offer(talk).state, set())
    assert "Aurora" in revocation.names
    assert revocation.turns == (1,)


def test_it_never_revokes_what_the_user_said(talk: Any) -> None:
    talk.say("Tell me about Aurora", "Aurora is a project.", chunks=("secret",))
    assert "Aurora" not in revoke(talk.state, set()).names


def test_it_takes_the_name_out_of_the_query(talk: Any) -> None:
    with_offer(talk)
    revocation = revoke(talk.state, set())
    ruling = authorize(Ruling("When does it start for Aurora?"), revocation, talk.read("When does it start?"))
    assert (ruling.query, ruling.verdict, ruling.action) == ("When does it start?", "revoked", "repaired")
    assert ruling.offending == ("Aurora",)


def test_it_falls_back_to_the_message_when_no_question_remains(talk: Any) -> None:
    with_offer(talk)
    ruling = authorize(Ruling("Aurora?"), revoke(talk.state, set()), talk.read("And that?"))
    assert (ruling.query, ruling.action) == ("And that?", "fell_back")


def test_it_leaves_the_users_own_words(talk: Any) -> None:
    with_offer(talk)
    ruling = Ruling("When does Aurora start?")
    assert authorize(ruling, revoke(talk.state, set()), talk.read("When does Aurora start?")) == ruling


def test_it_hides_revoked_answers_from_every_later_stage(talk: Any) -> None:
    with_offer(talk)
    seen = visible(talk.state, revoke(talk.state, set()))
    assert "Aurora" not in str(seen.to_json())
    assert seen.exchanges[0].message == "Which projects are planned?"
