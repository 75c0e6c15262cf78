"""Whatever colour a company chooses, text in it and on it can be read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.widget.shades import DARK_PAPER, LIGHT_PAPER, accent_shades, contrast

READABLE = 4.5


def rgb(css: str):
    return tuple(int(channel) for channel in re.findall(r"\d+", css))


@given(st.integers(0, 0xFFFFFF))
def test_any_accent_is_legible_on_both_grounds_and_under_its_own_text(number):
    shades = accent_shades(f"#{number:06x}")
    assert contrast(rgb(shades["--accent"]), rgb(shades["--on-accent"])) >= READABLE
    assert contrast(rgb(shades["--accent-ink-light"]), LIGHT_PAPER) >= READABLE
    assert contrast(rgb(shades["--accent-ink-dark"]), DARK_PAPER) >= READABLE


def test_an_accent_that_can_be_read_stays_as_it_is():
    assert accent_shades("#0d5560")["--accent"] == "rgb(13 85 96)"


@pytest.mark.parametrize("value", ["", "red", "#12", "url(x)", "#0d5560;x", "#0d5560\n"])
def test_what_is_no_colour_sets_nothing(value):
    assert accent_shades(value) == {}
