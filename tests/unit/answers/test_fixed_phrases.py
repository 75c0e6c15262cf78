"""The sentences that need no document."""

from __future__ import annotations

import pytest

from conversations.domain.answer import not_found, small_talk_reply
from conversations.domain.answer.phrases import message_language, nearest, without_refusal


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


ENGLISH = "The warranty starts on the day of delivery and needs only the order number."
GERMAN = "Die Garantie beginnt am Tag der Lieferung und wird mit der Bestellnummer in Anspruch genommen."


@pytest.mark.parametrize(
    ("message", "documents", "part"),
    [
        ("Wie lange gilt die Garantie?", ENGLISH, "auf Englisch"),
        ("¿Cuánto cuesta el envío a Noruega?", ENGLISH, "en inglés"),
        ("Combien coûte la livraison ?", ENGLISH, "en anglais"),
        ("返品できますか", ENGLISH, "英語"),
        ("ما هي مدة الإرجاع؟", ENGLISH, "الإنجليزية"),
        ("How long is the warranty?", GERMAN, "in German"),
        ("Quanto costa la spedizione in Italia?", ENGLISH, "in English"),  # no fixed sentences in Italian
        (
            "How long is the warranty?",
            "Il negozio è aperto dalle nove alle sei, anche di domenica.",
            "another language",
        ),
    ],
)
def test_a_refusal_says_that_the_documents_are_in_another_language(message, documents, part):
    assert part in not_found(message, documents=documents)


@pytest.mark.parametrize(
    ("message", "documents"),
    [
        ("How long is the warranty?", ENGLISH),
        ("Garantie?", ENGLISH),
        ("How long is it?", ""),
        ("Wie lange?", "42 / 17"),
    ],
)
def test_nothing_is_said_of_languages_that_are_alike_or_unknown(message, documents):
    assert not_found(message, documents=documents) == not_found(message)


def test_a_name_that_may_be_spelled_otherwise_there_is_not_called_missing():
    assert "Noruega" not in not_found("¿Cuánto cuesta el envío a Noruega?", "Noruega", ENGLISH)


@pytest.mark.parametrize(
    "message", ["Where is Quillen?", "Wo ist der Quillen und wann?", "Où est le Quillen et quand ?"]
)
@pytest.mark.parametrize("heading", ["", "Stores, north"])
def test_an_answer_is_known_without_its_refusal(message: str, heading: str):
    refused = f"{not_found(message, 'Quillen')} {nearest(message, heading)}\n\nThe Leeds store opens at nine."
    assert without_refusal(refused) == "The Leeds store opens at nine."
    assert without_refusal("The Leeds store opens at nine.") == "The Leeds store opens at nine."
