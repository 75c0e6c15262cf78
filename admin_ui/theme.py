"""What Unfold is told to look like: ink on cool paper and one accent, as in the chat."""

from __future__ import annotations

from typing import Any

from django.templatetags.static import static


def _scale(*colours: str) -> dict[str, str]:
    weights = ("50", "100", "200", "300", "400", "500", "600", "700", "800", "900", "950")
    return dict(zip(weights, colours, strict=True))


COLORS = {
    "base": _scale(
        "#f5f7f6", "#edf1ef", "#d8e0dd", "#bccac6", "#8fa39e", "#65807a",
        "#52625f", "#39504c", "#2b3a3b", "#162123", "#0e1617",
    ),
    "primary": _scale(
        "#eef7f8", "#d5ebee", "#addae0", "#7cc7d0", "#45a5b1", "#1f8290",
        "#12697a", "#0d5560", "#0c4650", "#0b3940", "#06252b",
    ),
    "font": {
        "subtle-light": "var(--color-base-600)",
        "subtle-dark": "var(--color-base-400)",
        "default-light": "var(--color-base-700)",
        "default-dark": "var(--color-base-300)",
        "important-light": "#12211f",
        "important-dark": "#e7efed",
    },
}  # fmt: skip


def unfold_context() -> dict[str, Any]:
    """Values of Unfold's templates that are the same on every page."""
    return {
        "colors": COLORS,
        "border_radius": "10px",
        "styles": [
            static(f"admin_ui/{name}.css") for name in ("console", "trace", "memory", "data", "members")
        ],
        "scripts": [static(f"admin_ui/{name}.js") for name in ("forms", "typed", "hints")],
        "site_favicons": [{"rel": "icon", "href": static("admin_ui/mark.svg"), "type": "image/svg+xml"}],
    }
