"""What the pages of policies and prompts need beside the console's own filters."""

from __future__ import annotations

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def coded(text: str) -> SafeString:
    """A sentence about a setting, with the names in backticks as code."""
    return mark_safe(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)))  # noqa: S308  (escaped first)
