"""A colour made legible: whatever accent is chosen, text in it and on it can be read, in light and in dark.

Contrast ratios follow WCAG 2.2 (1.4.3: 4.5 for text); a little more is asked, for what rounding takes away.
"""

from __future__ import annotations

import re

Rgb = tuple[float, float, float]

WHITE: Rgb = (255, 255, 255)
NEAR_BLACK: Rgb = (12, 20, 20)
# The frame's grounds, `--paper` in base.css.
LIGHT_PAPER: Rgb = (245, 247, 246)
DARK_PAPER: Rgb = (14, 22, 23)
CONTRAST = 4.6
CONTRAST_IN_THE_DARK = 7.0
_STEP = 0.06


def accent_shades(accent: str) -> dict[str, str]:
    """The custom properties of an accent such as `#0d5560`; none for what is no colour: the frame has its own."""
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", accent):
        return {}
    rgb: Rgb = (int(accent[1:3], 16), int(accent[3:5], 16), int(accent[5:7], 16))
    on_accent = WHITE if contrast(rgb, WHITE) >= CONTRAST else NEAR_BLACK
    return {
        "--accent": _css(legible(rgb, on_accent, CONTRAST)),
        "--on-accent": _css(on_accent),
        "--accent-ink-light": _css(legible(rgb, LIGHT_PAPER, CONTRAST)),
        "--accent-ink-dark": _css(legible(rgb, DARK_PAPER, CONTRAST_IN_THE_DARK)),
    }


def contrast(one: Rgb, other: Rgb) -> float:
    """The WCAG contrast ratio of two colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def legible(rgb: Rgb, ground: Rgb, ratio: float) -> Rgb:
    """Moved towards black, or towards a light tint of itself, until it reads on the ground."""
    peak = max(*rgb, 1)
    is_light = _luminance(ground) > 0.2
    goal = (0.0, 0.0, 0.0) if is_light else tuple(165 + 90 * c / peak for c in rgb)
    share = 0.0
    while share < 1:
        mixed = _mixed(rgb, goal, share)
        if contrast(mixed, ground) >= ratio:
            return mixed
        share += _STEP
    return _mixed(rgb, goal, 1)


def _mixed(rgb: Rgb, goal: tuple[float, ...], share: float) -> Rgb:
    red, green, blue = (c + (g - c) * share for c, g in zip(rgb, goal, strict=True))
    return red, green, blue


def _luminance(rgb: Rgb) -> float:
    red, green, blue = (_linear(c) for c in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 3294.6 if channel <= 10.3 else float(((channel / 255 + 0.055) / 1.055) ** 2.4)


def _css(rgb: Rgb) -> str:
    return f"rgb({' '.join(str(round(c)) for c in rgb)})"
