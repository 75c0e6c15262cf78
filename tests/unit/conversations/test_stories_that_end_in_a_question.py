"""A message that tells a story and then asks: its question leads, nothing older is welded on, and only it is asked again."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.stories import question_first, questions_of

TABLE = (
    "I bought a Quayside table in Leeds in March with my sister, it came from stock and was delivered two weeks late, "
    "and when we unpacked it on Sunday we saw a long scratch on the top. We have two small children so it was hard to get "
    "to the shop. Can I still send it back and who pays for collection?"
)
KNEE = (
    "My father had his knee operated on in your clinic in Oslo three weeks ago, the wound has healed well and the nurse was "
    "lovely, but since yesterday he has had a fever of 38.5 degrees and the leg feels warm to the touch, and our own doctor "
    "is away until Monday. Whom do we call at night?"
)
LEAVE = (
    "I started in the warehouse in May on a fixed contract of twelve months, my wife and I expect our second child in "
    "November, and my team leader told me that leave has to be asked for long before but he did not know the form. I work "
    "four days a week. How early must I apply for paternity leave? Is it paid?"
)
HOTEL = (
    "We are a group of nine friends who meet every year somewhere in Europe, and this time it is the turn of Lisbon, two of "
    "us come by train from Madrid and one with a dog, and nobody wants to share a bathroom after what happened last year. "
    "Do you have rooms with a bath for everybody?"
)
STORIES = {
    "a shop": (TABLE, ("Can I still send it back and who pays for collection?",)),
    "a clinic": (KNEE, ("Whom do we call at night?",)),
    "rules for staff": (LEAVE, ("How early must I apply for paternity leave?",)),
    "a hotel": (HOTEL, ("Do you have rooms with a bath for everybody?",)),
}


@pytest.mark.parametrize("name", STORIES)
def test_the_question_of_a_story_leads_and_no_word_is_lost(name: str) -> None:
    story, asked = STORIES[name]
    assert questions_of(story) == asked
    led = question_first(story)
    assert led.startswith(" ".join(asked))
    assert sorted(led.split()) == sorted(story.split())


@pytest.mark.parametrize("name", STORIES)
def test_nothing_older_is_welded_on_to_a_story(talk: Any, name: str) -> None:
    story, asked = STORIES[name]
    talk.say("how long can I return boots", "Boots can be returned within 60 days.")
    heard = talk.hear(story)
    assert heard.query == question_first(story)
    assert heard.ruling.display == " ".join(asked)
    assert not heard.classification.dependent


@pytest.mark.parametrize(("before", "dependent"), [("", False), ("You mentioned baths. ", True)])
def test_only_a_story_that_recalls_what_was_said_goes_on_with_it(
    talk: Any, before: str, dependent: bool
) -> None:
    talk.say("Do you have rooms with a bath for friends in Lisbon?", "Rooms with a bath are on floor two.")
    story = HOTEL.replace("Do you have", f"{before}Do you have")
    assert talk.hear(story).classification.dependent is dependent


def test_what_a_story_tells_is_not_asked_again(talk: Any) -> None:
    talk.say(HOTEL, "Yes.")
    query = talk.hear("and in Porto?").query
    assert "Porto" in query
    assert query.startswith("Do you have rooms with a bath for everybody?")
    assert "friends" not in query


@pytest.mark.parametrize(
    "message",
    [
        "I bought a table in Leeds. Can I send it back?",  # short
        "Can I send a table back? " + TABLE.replace("?", "."),  # the question leads already
        TABLE.replace("?", "."),  # nothing is asked
        TABLE.replace("Can I still send it back and who pays for collection?", "Any ideas?"),
        "",
    ],
)
def test_it_leaves_any_other_message_as_it_is(message: str) -> None:
    assert questions_of(message) == ()
    assert question_first(message) == message


def test_of_many_questions_the_last_lead() -> None:
    many = "It was a long day. " + "And where is the form I must fill in? " * 3 + TABLE
    assert len(questions_of(many)) == 3
    assert questions_of(many)[-1] == "Can I still send it back and who pays for collection?"


def test_another_language_passes_unchanged(talk: Any) -> None:
    german = (
        "Ich habe im März mit meiner Schwester in Leeds einen Tisch gekauft, er kam aus dem Lager und wurde zwei Wochen zu "
        "spät geliefert, und als wir ihn am Sonntag auspackten, sahen wir einen langen Kratzer auf der Platte. Wir haben zwei "
        "kleine Kinder und kommen schlecht ins Geschäft. Kann ich ihn noch zurückgeben und wer zahlt die Abholung?"
    )
    talk.say("how long can I return boots", "60 days.")
    assert talk.hear(german).query == german
