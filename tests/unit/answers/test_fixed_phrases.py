"""The sentences that need no document."""

from __future__ import annotations

import pytest

from conversations.domain.answer import not_found, small_talk_reply
from conversations.domain.answer.phrases import message_language


@pytest.mark.parametrize(
    "message, part",
    [
        ("How are you today?", "doing well"),
        ("thanks a lot!", "welcome"),
        ("Thank you", "welcome"),
        ("hi there", "Hello"),
        ("bye", "Goodbye"),
        ("Are you a bot?", "assistant"),
        ("Danke schön", "Gern geschehen"),
        ("merci beaucoup", "plaisir"),
        ("¡gracias!", "De nada"),
        ("ありがとう", "どういたしまして"),
        ("شكرا", "الرحب"),
        ("lol", "Alright"),
        ("👍", "Alright"),
        ("", "Alright"),
    ],
)
def test_small_talk_gets_a_short_line_in_its_own_language(message, part):
    reply = small_talk_reply(message)
    assert part in reply
    assert len(reply.split()) <= 25


@pytest.mark.parametrize(
    "message, language",
    [
        ("What is the refund period?", "en"),
        ("Wie lange habe ich Zeit?", "de"),
        ("Combien de temps pour un retour ?", "fr"),
        ("¿Cuánto cuesta el envío?", "es"),
        ("返品できますか", "ja"),
        ("ما هي مدة الإرجاع؟", "ar"),
        ("RPO Frankfurt", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_that_of_the_message(message, language):
    assert message_language(message) == language


def test_what_was_missing_is_named_when_it_is_known():
    assert not_found("the RPO for Madrid?", "Madrid") == (
        "I could not find anything about Madrid in the documents you can see."
    )
