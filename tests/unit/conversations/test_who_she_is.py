"""She is none of the men in the same sentence and no place in it, so that she is somebody of an earlier turn."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of

GRAN = ("My gran is on Bramble. Are there fixed visiting hours?", "No, visitors are always welcome.")
SON = ("My son goes to Larchwood. When is the swimming lesson?", "On Tuesdays.")
AUNT = ("My aunt flies to Oslo on the Heron. What may she carry?", "One bag of 8 kg.")


@pytest.mark.parametrize(
    ("turn", "message", "kept"),
    [
        (GRAN, "My uncle's travelling from Scotland to be with her. Is there a bed for family?", "Bramble"),
        (GRAN, "My brother wants to bring her a dog. Is that allowed?", "Bramble"),
        (SON, "My wife wants to watch him. Are parents let in?", "swimming lesson"),
        (AUNT, "Our dad is going with her. Do they get seats side by side?", "Heron"),
    ],
)
def test_kin_of_the_other_sex_is_no_rival_of_whom_the_message_points_back_at(
    talk: Any, turn: tuple[str, str], message: str, kept: str
) -> None:
    talk.say(*turn)
    heard = talk.hear(message)
    assert heard.reading.strong
    assert contains_key(key_of(heard.query), key_of(kept))


@pytest.mark.parametrize(
    "message",
    [
        "My sister has lost her library card. What does a new one cost?",
        "If my uncle sells the car, can he keep the plates?",
        "My manager is ill. Can she sign later?",
        "Anna moved here in May. When does she get a permit?",
        "My neighbour needs a taxi. Can he pay by card?",
    ],
)
def test_somebody_of_the_message_is_meant_where_she_may_be(read: Any, message: str) -> None:
    pronouns = {word.lower() for mark, word in read(message).marks if mark.value == "pronoun"}
    assert not pronouns & {"he", "she", "her", "him"}
