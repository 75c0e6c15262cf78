"""How readable a widget's accent is where it is used, and the shade that is shown instead where it is not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conversations.widget.shades import (
    DARK_PAPER,
    LIGHT_PAPER,
    NEAR_BLACK,
    WHITE,
    Rgb,
    accent_shades,
    contrast,
)

ENOUGH = 4.5
"""WCAG 2.2, 1.4.3."""
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class AccentUse:
    """`ratio` is that of the colour as chosen; `shown` and `ground` are CSS colours of what visitors see."""

    where: str
    ratio: float
    shown: str
    ground: str

    @property
    def is_readable(self) -> bool:
        return self.ratio >= ENOUGH


def accent_uses(accent: str) -> tuple[AccentUse, ...]:
    """Empty for what is no colour."""
    if not _COLOUR.fullmatch(accent):
        return ()
    chosen: Rgb = (int(accent[1:3], 16), int(accent[3:5], 16), int(accent[5:7], 16))
    shades = accent_shades(accent)
    on_accent = max(contrast(chosen, WHITE), contrast(chosen, NEAR_BLACK))
    return (
        AccentUse("Words on buttons", on_accent, shades["--on-accent"], shades["--accent"]),
        AccentUse(
            "Links on light", contrast(chosen, LIGHT_PAPER), shades["--accent-ink-light"], _css(LIGHT_PAPER)
        ),
        AccentUse(
            "Links on dark", contrast(chosen, DARK_PAPER), shades["--accent-ink-dark"], _css(DARK_PAPER)
        ),
    )


def _css(rgb: Rgb) -> str:
    return f"rgb({' '.join(str(round(part)) for part in rgb)})"
