"""How a widget looks is data that follows a schema: nothing else reaches the frame."""

from __future__ import annotations

import pytest

from kernel.errors import Invalid
from tenants.look import look_checked

WHOLE = {
    "name": "Ask the library",
    "accent": "#0F766e",
    "position": "left",
    "greeting": "Good morning.\nWhat are you looking for?",
    "suggestions": ["When are you open?", "How do I renew a loan?"],
    "language": "pt-BR",
    "launcher": {"icon": "help", "label": "Ask us", "open": True},
}


@pytest.mark.parametrize("look", [{}, WHOLE, {"language": "auto"}, {"suggestions": []}])
def test_it_keeps_a_look_that_follows_the_schema(look):
    assert look_checked(look) == look


@pytest.mark.parametrize(
    ("look", "field", "words"),
    [
        ([], "", "The look is an object."),
        ("red", "", "The look is an object."),
        ({"script": "x"}, "", "no setting called script"),
        ({"accent": "red"}, "accent", "a colour such as #2563eb"),
        ({"accent": "#0f766e\n"}, "accent", "a colour such as #2563eb"),
        ({"accent": "#0f766e;background:url(x)"}, "accent", "a colour such as #2563eb"),
        ({"position": "top"}, "position", "one of: right, left"),
        ({"greeting": "x" * 301}, "greeting", "The greeting has 301 characters, and at most 300 fit"),
        ({"greeting": "a\x00b"}, "greeting", "cannot be seen"),
        ({"suggestions": ["x"] * 7}, "suggestions", "has 7 lines, and at most 6"),
        ({"suggestions": [""]}, "suggestions.0", "Question 1 to begin with is empty"),
        ({"suggestions": ["x", "y" * 121]}, "suggestions.1", "Question 2 to begin with has 121 characters"),
        ({"suggestions": [1]}, "suggestions.0", "Question 1 to begin with is a text"),
        ({"language": "../en"}, "language", "such as en or pt-BR"),
        ({"language": "en\n"}, "language", "such as en or pt-BR"),
        ({"launcher": {"icon": "skull"}}, "launcher.icon", "one of: chat, help, spark"),
        ({"launcher": {"label": "x" * 30}}, "launcher.label", "at most 24 fit"),
        ({"launcher": {"open": "yes"}}, "launcher.open", "true or false"),
        ({"launcher": {"colour": "x"}}, "launcher", "no setting called colour"),
    ],
)
def test_it_says_in_words_what_does_not_follow_it(look, field, words):
    with pytest.raises(Invalid) as refused:
        look_checked(look)
    assert words in refused.value.message and refused.value.extra["field"] == field
    assert len(refused.value.message) < 200
