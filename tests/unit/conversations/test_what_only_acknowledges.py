"""A message that only says that the answer was heard asks nothing, and no later message goes on with it."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain import acknowledging
from conversations.domain.acknowledging import only_acknowledges
from conversations.domain.small_talk import is_small_talk

SHOP = ("How long can I return shoes?", "Shoes can be returned within 30 days.")


@pytest.mark.parametrize(
    "message",
    [
        "Fine.", "Perfect", "Got it.", "ok cool", "great thanks", "right, thanks", "lovely, ta", "Good to know, thanks",
        "noted", "Noted!", "gotcha", "fair enough", "ah ok", "oh right, I see", "hmm ok", "okie dokie", "ok ok", "cool cool",
        "that works", "that helps, thank you", "That’s what I needed", "all clear, thanks", "crystal clear", "nice one cheers",
        "many thanks", "much appreciated", "thanks a million", "thanks for the quick reply", "Sorted, thanks.", "sounds great",
        "makes total sense", "I understand now", "ok will do", "I'll try that", "brilliant!!", "thats great thanks", "greaaat thanks",
        "oh dear", "what a shame", "that's a relief", "not bad", "never mind", "nothing else, thanks", "no more questions",
        "no that's all", "No, I'm good thanks", "as expected", "thought so", "point taken", "fine 👍", "👍 perfect 😊", "thanks :)",
        "alles klar", "d'accord", "了解です", "Понятно!",
    ],
)  # fmt: skip
def test_it_hears_that_nothing_is_asked(talk: Any, message: str) -> None:
    talk.say(*SHOP)
    heard = talk.hear(message)
    assert (heard.kind, heard.query) == ("small_talk", message)


@pytest.mark.parametrize(
    "message",
    [
        "Fine for late return", "the fine", "right of way", "clear film", "sweet", "sweet peas", "super glue", "perfect fit", "great news letter",
        "grand piano hire", "done by Friday", "noted exceptions", "cool bags", "all set menus", "true cost", "sorted by price", "interesting places",
        "right?", "fine?", "is that fine", "is that all", "how is that good", "that works on Linux", "it helps with what", "I understand German",
        "I got it yesterday, can I return it", "got it in blue", "I'll do that on Monday", "let me try the other", "never mind the price",
        "no more fees", "thanks, and the price", "ok and Leeds", "fine, and the deposit", "shame the pool is closed, when does it open",
        "not clear", "that is not good", "I don't get it", "more", "go on", "yes", "sure", "works", "ok the second one", "great, how long", "good for kids",
    ],
)  # fmt: skip
def test_its_neighbours_say_something(message: str) -> None:
    assert not only_acknowledges(message)


def test_a_word_that_opens_a_conversation_is_searched_for(talk: Any) -> None:
    assert (talk.hear("fine").kind, talk.hear("fine").query) == ("opening", "fine")


@pytest.mark.parametrize(
    "question, answer, reply",
    [
        ("How is the sand sorted?", "Do you need it fine or coarse?", "fine"),
        ("What does a room cost?", "Would you like the prices for winter?", "fine"),
        ("What cover is there?", "Shall I list what is excluded?", "right"),
    ],
)
def test_what_answers_a_question_of_the_assistant_is_no_mere_acknowledgement(
    talk: Any, question: str, answer: str, reply: str
) -> None:
    talk.say(question, answer)
    assert talk.hear(reply).kind == "answer_to_question"


@pytest.mark.parametrize(
    "heard", ["Fine.", "ok cool", "Good to know, thanks", "noted 👍", "Oh dear.", "got it. got it."]
)
@pytest.mark.parametrize(
    "question, answer, follow_up, meant",
    [
        ("When does check-in for the island ferry close?", "It closes 15 minutes before departure.", "why is it so early?", "ferry"),
        ("How many days of parental leave do I have?", "You have 90 days.", "can I split it?", "parental leave"),
        ("Where are the backups of Orion kept?", "In a second building.", "who can read them?", "backups"),
        ("How long is the wait for a cataract operation?", "About six weeks.", "and does it hurt?", "cataract"),
    ],
)  # fmt: skip
def test_a_follow_up_goes_on_with_what_stood_before_it(
    talk: Any, heard: str, question: str, answer: str, follow_up: str, meant: str
) -> None:
    talk.say(question, answer)
    talk.say(heard, "You are welcome.")
    after = talk.hear(follow_up)
    assert after.scope.antecedent is not None
    assert after.scope.antecedent.turn == 1
    assert meant in after.query


def test_what_is_asked_of_another_thing_passes_over_it(talk: Any) -> None:
    talk.say("Is the pool in Marlow open on Sundays?", "Yes, until nine.")
    talk.say("Perfect.", "You are welcome.")
    assert talk.hear("and in Henley?").query == "Is the pool in Henley open on Sundays?"


def test_thanks_twice_end_in_time() -> None:
    assert not only_acknowledges("ok thanks then " * 6 + "ferry")
    assert is_small_talk("thanks thanks")


@pytest.mark.parametrize("units", ["so k ", "k so ", "ta so ", "very true ", "ok then now "])
def test_every_place_of_a_text_is_looked_at_once(units: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often its sayings can be cut in two ways, so that nobody holds up a turn with "so k so k …"."""
    looked: list[int] = []

    class Counted:
        def __init__(self, pattern: Any) -> None:
            self.pattern = pattern

        def match(self, text: str, at: int) -> Any:
            looked.append(at)
            return self.pattern.match(text, at)

    for name in ("_SAYS", "_ADDS"):
        monkeypatch.setattr(acknowledging, name, Counted(getattr(acknowledging, name)))
    text = (units * 40)[:95] + " zz"
    assert not acknowledging.only_acknowledges(text)
    assert len(looked) <= 8 * len(text)
