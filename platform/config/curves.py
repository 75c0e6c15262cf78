"""Curves as a picture: small charts side by side, each from zero, with its values written beside its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT, GAP = 340, 220, 24
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 26, 44, 40
_INK, _FAINT, _LINE = "#1f2933", "#d5dae0", "#2563a8"
_STYLE = f"text{{font:11px sans-serif;fill:{_INK}}}.title{{font-weight:600;font-size:12px}}"


@dataclass(frozen=True, slots=True)
class Curve:
    """Points as (x, y), from left to right; `title` says what y is and in which unit, `along` what x is."""

    title: str
    along: str
    points: Sequence[tuple[float, float]]


def picture(curves: Sequence[Curve], *, columns: int = 2) -> str:
    """An SVG document."""
    rows = -(-len(curves) // columns)
    width, height = columns * (WIDTH + GAP) + GAP, rows * (HEIGHT + GAP) + GAP
    drawn = [
        _chart(curve, GAP + (n % columns) * (WIDTH + GAP), GAP + (n // columns) * (HEIGHT + GAP))
        for n, curve in enumerate(curves)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        f"<style>{_STYLE}</style>"
        f'<rect width="{width}" height="{height}" fill="#fff"/>{"".join(drawn)}</svg>\n'
    )


def _chart(curve: Curve, left: float, top: float) -> str:
    most_x = max(x for x, _ in curve.points)
    most_y = max(y for _, y in curve.points) or 1.0
    wide, high = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
    placed = [(_LEFT + wide * x / most_x, _TOP + high * (1 - y / most_y)) for x, y in curve.points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
    marks = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_LINE}"/>' for x, y in placed)
    ticks = [
        _text(x, HEIGHT - _BOTTOM + 16, f"{value[0]:g}", "middle")
        for (x, _), value in _apart(list(zip(placed, curve.points, strict=True)))
    ]
    bottom = f'<path d="M{_LEFT} {HEIGHT - _BOTTOM}h{wide}" stroke="{_INK}"/>'
    upper = f'<path d="M{_LEFT} {_TOP}h{wide}" stroke="{_FAINT}"/>'
    scale = _text(_LEFT - 6, _TOP + 4, _figure(most_y), "end") + _text(
        _LEFT - 6, HEIGHT - _BOTTOM + 4, "0", "end"
    )
    title = _text(_LEFT, 18, curve.title, "start", "title")
    along = _text(_LEFT + wide / 2, HEIGHT - 6, curve.along, "middle")
    path = f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="2"/>'
    inside = f"{upper}{bottom}{scale}{title}{along}{path}{marks}{''.join(ticks)}"
    return f'<g transform="translate({left} {top})">{inside}</g>'


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


Placed = tuple[tuple[float, float], tuple[float, float]]


def _apart(points: list[Placed], least: float = 26.0) -> list[Placed]:
    """Those whose labels do not lie over one another; the last one is always among them."""
    kept: list[Placed] = []
    for point in reversed(points):
        if not kept or kept[-1][0][0] - point[0][0] >= least:
            kept.append(point)
    return kept[::-1]


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{escape(text)}</text>'
