"""Every colour that says something is readable on every ground it stands on: WCAG 2.2, 1.4.3, at least 4.5 : 1."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CSS = (Path(__file__).parents[3] / "admin_ui/static/admin_ui/console.css").read_text()
GROUNDS = ("paper", "sheet", "hover")
TONES = ("soft", "accent-ink", "live", "offered", "stale", "superseded", "evicted", "clean", "contaminated", "invented", "diverged", "revoked")  # fmt: skip
TINT = 0.12
LEAST = 4.5
Colour = tuple[float, float, float]


def scheme(selector: str) -> dict[str, Colour]:
    block = re.search(re.escape(selector) + r" \{(.*?)\n\}", CSS, re.S)
    assert block
    return {name: colour(value) for name, value in re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})\b", block[1])}


def colour(text: str) -> Colour:
    digits = text[1:] if len(text) == 7 else "".join(digit * 2 for digit in text[1:])
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


def luminance(shown: Colour) -> float:
    parts = [value / 255 for value in shown]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def tinted(tone: Colour, ground: Colour) -> Colour:
    red, green, blue = (TINT * over + (1 - TINT) * under for over, under in zip(tone, ground, strict=True))
    return red, green, blue


@pytest.fixture(params=[":root", ":root.dark"])
def shown(request) -> dict[str, Colour]:
    light = scheme(":root")
    return light if request.param == ":root" else light | scheme(":root.dark")


def test_the_tint_of_a_chip_is_the_one_measured_here():
    assert f"color-mix(in srgb, var(--at) {TINT:.0%}, transparent)" in CSS


@pytest.mark.parametrize("tone", TONES)
def test_a_tone_is_readable_as_words_and_as_a_chip(shown, tone):
    for ground in GROUNDS:
        assert contrast(shown[tone], shown[ground]) >= LEAST, ground
        assert contrast(shown[tone], tinted(shown[tone], shown[ground])) >= LEAST, f"a chip on {ground}"


@pytest.mark.parametrize("words", ["ink", "faint"])
def test_words_are_readable_on_every_ground(shown, words):
    for ground in GROUNDS:
        assert contrast(shown[words], shown[ground]) >= LEAST, ground
