"""What the staff console's templates need beside the console's own filters."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def thousands(number: int | str | None) -> str:
    """A whole number for reading: 1234567 → "1,234,567". Anything else as it is."""
    return f"{number:,}" if isinstance(number, int) else str(number or "")
