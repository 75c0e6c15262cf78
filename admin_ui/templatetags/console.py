"""What the console's templates need beside Django's own filters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import PurePath
from typing import Any
from urllib.parse import urlencode, urlsplit

import nh3
from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from admin_ui.components.marks import DOCUMENT_STATES, VERDICTS, Mark, mark_of
from kernel.clock import now
from retrieval.models import Document

register = template.Library()
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
LONGEST_MARKDOWN = 20_000
"""Characters. Markdown takes the square of a text's length at worst; what is longer is shown as it was written."""
_TAG_OR_CITATION = re.compile(r'<[^>"]*(?:"[^"]*"[^>"]*)*>|\[(\d{1,2})\]')


@register.filter
def answer_html(text: str, turn: int) -> SafeString:
    """An answer's Markdown as safe HTML; its markers [n] become links to the citations of that turn."""
    if len(text) > LONGEST_MARKDOWN:
        return format_html("<pre>{}</pre>", text)
    clean = nh3.clean(
        _markdown.render(text),
        link_rel="noopener noreferrer nofollow",
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",  # an answer has no business with the console's own addresses
    )
    linked = _TAG_OR_CITATION.sub(partial(_linked, int(turn)), clean)
    return mark_safe(linked)  # noqa: S308  (cleaned above; only digits are inserted)


def _linked(turn: int, found: re.Match[str]) -> str:
    """A marker in the text as a link; one inside a tag, such as in a link's title, stays as it is."""
    n = found[1]
    return f'<a class="cite" href="#turn-{turn}-source-{n}">{n}</a>' if n else found[0]


@register.filter
def ms(value: float) -> str:
    """Milliseconds for reading: 0.4 ms, 38 ms, 1.2 s."""
    number = float(value)
    if number >= 1000:
        return f"{number / 1000:.1f} s"
    return f"{number:.1f} ms" if number < 10 else f"{number:.0f} ms"


@register.filter
def percent(value: float) -> int:
    """A share from 0 to 1 as a whole percentage."""
    return round(100 * float(value))


@register.filter
def ago(moment: datetime) -> str:
    """How long ago, in one unit: "now", "12 min ago", "5 h ago", "3 days ago"; a date after a month."""
    seconds = (now() - moment).total_seconds()
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min ago"
    if seconds < 86400:
        return f"{seconds / 3600:.0f} h ago"
    days = round(seconds / 86400)
    return f"{days} day{'s' if days > 1 else ''} ago" if days <= 30 else moment.strftime("%-d %b %Y")


@register.filter
def headings(path: Sequence[str], title: str) -> str:
    """The way to a passage inside its document; a first heading that repeats the title is left out."""
    return " › ".join(path[1:] if path and path[0] == title else path)


@register.filter
def file_type(filename: str) -> str:
    """A file's ending for its badge: "PDF", "MD"."""
    return PurePath(filename).suffix.lstrip(".").upper()[:4] or "FILE"


@register.filter
def host(address: str) -> str:
    """Where a page is from, for a line of a list: "help.example.org/returns"."""
    parts = urlsplit(address)
    return f"{parts.hostname or ''}{parts.path}".rstrip("/") or address


@register.filter
def is_web(address: str) -> bool:
    """Whether an address may be made a link."""
    return address.lower().startswith(("https://", "http://"))


@register.simple_tag(takes_context=True)
def with_query(context: dict[str, Any], **changes: Any) -> str:
    """The page's query string with some of its parameters changed; empty ones are dropped."""
    kept = {**context["request"].GET.dict(), **changes}
    kept.pop("part", None)
    return "?" + urlencode({key: value for key, value in kept.items() if value not in ("", None)})


@register.simple_tag(takes_context=True)
def to_page(context: dict[str, Any], number: int, param: str = "") -> str:
    """The query string of another page of one list; `param` counts its pages, `page` where there is one list only."""
    return with_query(context, **{param or "page": number})


@register.simple_tag
def verdict_mark(verdict: str) -> Mark:
    return mark_of(VERDICTS, verdict)


@register.simple_tag
def chip(mark: Mark) -> SafeString:
    """`parts/chip.html` without a number, for rows of long lists: a template of its own for each costs more than the row."""
    return format_html(
        '<span class="chip" data-tone="{}" title="{}"><span class="chip-sign" aria-hidden="true">{}</span>{}</span>',
        mark.tone,
        mark.help,
        mark.sign,
        mark.label,
    )


@register.filter
def iso(moment: datetime) -> str:
    """A moment for a `datetime` attribute, in UTC."""
    return moment.isoformat()


@register.simple_tag
def document_mark(document: Document) -> Mark:
    return mark_of(DOCUMENT_STATES, document.state)
