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
    ("look", "named"),
    [
        ([], "The look"),
        ("red", "The look"),
        ({"script": "x"}, "The look"),
        ({"accent": "red"}, "accent"),
        ({"accent": "#0f766e\n"}, "accent"),
        ({"accent": "#0f766e;background:url(x)"}, "accent"),
        ({"position": "top"}, "position"),
        ({"greeting": "x" * 301}, "greeting"),
        ({"greeting": "a\x00b"}, "greeting"),
        ({"suggestions": ["x"] * 7}, "suggestions"),
        ({"suggestions": [""]}, "suggestions.0"),
        ({"suggestions": [1]}, "suggestions.0"),
        ({"language": "../en"}, "language"),
        ({"language": "en\n"}, "language"),
        ({"launcher": {"icon": "skull"}}, "launcher.icon"),
        ({"launcher": {"open": "yes"}}, "launcher.open"),
    ],
)
def test_it_says_what_does_not_follow_it(look, named):
    with pytest.raises(Invalid) as refused:
        look_checked(look)
    assert str(refused.value).startswith(f"{named}: ")
