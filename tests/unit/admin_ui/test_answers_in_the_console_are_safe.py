"""Answers as the console shows them: thousands of hostile ones lead to no tag, attribute or address that is not allowed."""

from __future__ import annotations

import os
import random
from html.parser import HTMLParser

import pytest

from admin_ui.templatetags.console import LONGEST_MARKDOWN, answer_html

TAGS = set(
    "a blockquote br code em h1 h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split()
)
ATTRIBUTES = {"href", "title", "rel", "class", "start", "align"}
PIECES = (
    "# ", "> ", "- ", "1. ", "---\n", "```", "`", "**", "_", "[", "](", ")", "![", "<", ">", '"', "'", "\\", "\n", "\n\n", "|", "|-|-|\n",
    "[1]", "[12]", ' "see [1] onmouseover=hit() [2]")', "[x](https://a.example", "[x](javascript:hit())", "[x](<java\tscript:hit()>)",
    "[x](data:text/html,hit)", "[x](//evil.example)", "[x](/console/)", "<img src=x onerror=hit()>", "<script>hit()</script>", "<!--",
    "<a href='javascript:hit()'>", "&#106;avascript:", "&lt;script&gt;", "[r]: javascript:hit()\n", "[r]", "<https://e.example>", "\u2028",
    "<svg/onload=hit()>", "[x](https://a.example/[1])", "`[1]`", "]]>", "\x00", "{{ x }}",
)  # fmt: skip
EXAMPLES = int(os.environ.get("ANTECEDENT_FUZZ_EXAMPLES", "2000"))


class Seen(HTMLParser):
    """Everything in a text that a browser would act on, where it is not allowed; and the words."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.wrong: list[str] = []
        self.told = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.wrong += [] if tag in TAGS else [tag]
        for name, value in attributes:
            self.wrong += [] if name in ATTRIBUTES else [f"{tag} {name}"]
            if name == "href" and not str(value).startswith(
                ("http://", "https://", "mailto:", "#turn-7-source-")
            ):
                self.wrong.append(f"{tag} to {value}")

    def handle_data(self, data: str) -> None:
        self.told += data

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"comment {data}")


def hostile(roll: random.Random) -> tuple[str, list[str]]:
    pieces, words = [], []
    for _ in range(roll.randint(2, 30)):
        if roll.random() < 0.25:
            words.append(f"word{len(words)}q")
            pieces.append(f" {words[-1]} ")
        else:
            pieces.append(roll.choice(PIECES))
    return "".join(pieces), words


def test_thousands_of_hostile_answers_come_out_as_text_and_allowed_marks():
    for seed in range(EXAMPLES):
        text, words = hostile(random.Random(seed))
        seen = Seen(answer_html(text, 7))
        assert seen.wrong == [], text
        may_drop = any(mark in text for mark in ("](", "]:", "```", "|", "<"))
        assert may_drop or [word for word in words if word not in seen.told] == [], text


def test_a_marker_inside_a_tag_stays_and_one_in_the_text_becomes_a_link():
    html = answer_html('[x](https://a.example "see [1] onmouseover=hit()") [2]', 7)
    assert 'title="see [1] onmouseover=hit()"' in html
    assert html.count("<a ") == 2 and 'href="#turn-7-source-2">2</a>' in html


@pytest.mark.parametrize("piece", ["**a **", "[", "|a", "<script>"])
def test_what_is_too_long_to_be_read_as_markdown_is_shown_as_it_is(piece):
    text = piece * (LONGEST_MARKDOWN // len(piece) + 1)
    seen = Seen(answer_html(text, 7))
    assert seen.wrong == [] and seen.told == text
