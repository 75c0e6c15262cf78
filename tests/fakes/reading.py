"""Where a text would lead if some client read it as Markdown with HTML, images and bare addresses and all."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

_READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_READER.validateLink = lambda url: True  # type: ignore[method-assign]
_BARE = re.compile(r"(?:[a-z][a-z0-9+.-]{1,12}:)?//[\w.-]+\S*|www\.[\w.-]+\S*", re.I)
_LOADING = {"src", "href", "srcset", "action", "formaction", "data", "poster", "background", "ping", "style"}


def leads_to(markdown: str) -> set[str]:
    """Every address of a link, an image or any other element, and every bare one; handlers and scripts as they are."""
    tree = LexborHTMLParser(_READER.render(markdown))
    found: set[str] = set()
    for node in tree.css("*"):
        for name, value in node.attributes.items():
            if (name in _LOADING or name.startswith("on")) and value:
                found.add(value)
        if node.tag in ("script", "style") and node.text():
            found.add(node.text())
    text = tree.body.text() if tree.body else ""
    return found | {hit.rstrip(".,;:!?)]}*_") for hit in _BARE.findall(text)}
