"""Language analysis: English through a library, everything else untouched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.adapters.language.spacy_en import LONGEST, SpacyEnglish
from conversations.domain.script import guess_language, language_of
from conversations.domain.small_talk import is_small_talk


@pytest.mark.parametrize(
    "text",
    [
        "How do I return shoes?",
        "RPO Frankfurt",
        "Kubernetes",
        "and for Malmö?",
        "café opening hours",
        "What does Müller GmbH pay?",
        "Is der Spiegel included?",
    ],
)
def test_it_takes_english_for_english(text: str) -> None:
    assert guess_language(text) == "en"


@pytest.mark.parametrize(
    "text",
    [
        "Wie kann ich mein Abo kündigen?",
        "Quel est le prix de la livraison ?",
        "¿Dónde está mi pedido?",
        "Hoe kan ik mijn bestelling retourneren?",
        "Jak mogę zwrócić buty?",
        "Bagaimana saya bisa mengembalikan sepatu ini?",
        "ราคาเท่าไร",
        "返品できますか",
        "Где мой заказ?",
        "שלום, מה המחיר?",
    ],
)
def test_it_knows_other_languages(text: str) -> None:
    assert guess_language(text) == "other"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Was kostet die Lieferung nach Deutschland?", "de"),
        ("und in Zürich?", "de"),
        ("Combien coûte la livraison en France ?", "fr"),
        ("y para Japón?", "es"),
        ("¿Horarios?", "es"),
        ("Come posso restituire le scarpe?", "it"),
        ("Quanto custa o envio para Portugal?", "pt"),
        ("Hoeveel kost de levering naar Nederland?", "nl"),
        ("Hur mycket kostar frakten till Sverige?", "sv"),
        ("Hvordan returnerer jeg sko?", "da"),
        ("Ile kosztuje dostawa do Polski?", "pl"),
        ("Kargo ücreti ne kadar?", "tr"),
        ("返品できますか", "ja"),
        ("运费是多少", "zh"),
        ("Сколько стоит доставка?", "ru"),
        ("배송비는 얼마인가요", "ko"),
        ("and in Zürich?", "en"),
        ("do as I say", "en"),
        ("price for Bristol", "en"),
        ("Kubernetes", ""),
        ("42 %", ""),
    ],
)
def test_it_names_the_language_where_the_words_tell_it(text: str, code: str) -> None:
    assert language_of(text) == code


@pytest.mark.parametrize("text", ["", "?", "🙂", "123 456", "--- !!!"])
def test_it_knows_text_without_words(text: str) -> None:
    assert guess_language(text) == "none"


def test_it_reads_the_beginning_of_a_very_long_text(language: SpacyEnglish) -> None:
    analysis = language.analyse("A sentence about refunds. " * 2_000)
    assert analysis.tokens[-1].end <= LONGEST


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=300))
def test_it_points_into_the_text(text: str) -> None:
    from conversations.adapters.language.spacy_en import plain_analysis

    analysis = plain_analysis(text, "other")
    assert all(text[token.start : token.end] == token.text for token in analysis.tokens)
    assert all(0 <= start < end <= len(text) for start, end in analysis.sentences)


def test_it_gives_the_same_analysis_every_time(language: SpacyEnglish) -> None:
    text = "Compare Frankfurt and Dublin. Which one is cheaper?"
    assert language.analyse.__wrapped__(text) == language.analyse.__wrapped__(text)


@pytest.mark.parametrize(
    "message", ["Danke!", "¡Hola!", "merci beaucoup", "Guten Tag", "ありがとう", "tack så mycket"]
)
def test_a_courtesy_in_any_of_these_languages_is_small_talk(message: str) -> None:
    assert is_small_talk(message)


@pytest.mark.parametrize("message", ["Danke, und in Zürich?", "Hola, ¿cuánto cuesta?", "Tak Mountain Lodge"])
def test_a_courtesy_before_a_question_is_not(message: str) -> None:
    assert not is_small_talk(message)


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("how long is that membership valid for a child?", "membership"),
        ("does that membership pay for swimming lessons?", "membership"),
        ("and does that annual pass pay off?", "pass"),
        ("is that plan available in Spain?", "plan"),
    ],
)
def test_that_before_the_subject_of_a_question_belongs_to_it(text: str, noun: str) -> None:
    analysis = SpacyEnglish().analyse(text)
    that = next(token for token in analysis.tokens if token.lower == "that")
    assert (that.pos, that.tag, that.dep, analysis.tokens[that.head].text) == ("DET", "DT", "det", noun)
    phrase = next(p for p in analysis.phrases if analysis.tokens[p.head].text == noun)
    assert analysis.tokens[phrase.first].lower == "that"


@pytest.mark.parametrize(
    "text",
    [
        "What I mean is that membership costs too much",
        "what matters is that dogs are allowed",
        "The problem is that membership ends in May",
        "is it true that membership is free?",
        "are you sure that dogs may travel?",
    ],
)
def test_that_before_a_clause_stays_what_it_is(text: str) -> None:
    that = next(token for token in SpacyEnglish().analyse(text).tokens if token.lower == "that")
    assert that.dep == "mark"
