"""What the contamination audit's templates need beside the console's own filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from admin_ui.components.contamination_charts import in_percent, short_day
from admin_ui.templatetags.console import with_query

register = template.Library()


register.filter("share", in_percent)
register.filter("short_day", short_day)


@register.filter
def tenths(value: float) -> str:
    """A number for a stylesheet, whatever the language's decimal sign."""
    return f"{float(value):.1f}"


@register.filter
def hundredths(value: float) -> str:
    """A share from 0 to 1 as a percentage for a stylesheet, whatever the language's decimal sign."""
    return f"{100 * float(value):.1f}"


@register.simple_tag(takes_context=True)
def with_query_of(context: dict[str, Any], query: Mapping[str, str]) -> str:
    """As `with_query`, from the first page on, with what a line is narrowed by in place of what it was."""
    return str(with_query(context, **{"kind": "", "policy": "", "prompt": "", "page": "", **query}))
