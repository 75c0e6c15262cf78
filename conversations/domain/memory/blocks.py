"""The form of a summary's text: one line for each exchange, "Asked about X, Y:" or "Said about X:", then whole sentences.

The user's own statements stand in quotation marks, the rest was answered.
Lines are what a turn takes or leaves, because a sentence without names belongs to what its line is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conversations.domain.answer.units import sentences
from conversations.domain.words import key_of

_HEAD = re.compile(r"^(?P<verb>Asked|Said)(?: about (?P<about>[^:\n]+))?:(?:\s+|$)")
_REFERS = re.compile(
    r"^[\"'“]?(?:it|its|they|their|them|this|that|these|those|he|she|his|her|both|such|there|so|the\s+(?:same|former|latter|other))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """What was said in one exchange: the things it was about, and sentences.

    `verb` is "Asked", "Said", or empty for a line without a heading.
    """

    about: tuple[str, ...]
    sentences: tuple[str, ...]
    verb: str = "Asked"

    def render(self) -> str:
        about = f" about {', '.join(self.about)}" if self.about else ""
        head = (f"{self.verb}{about}:",) if self.verb else ()
        return " ".join((*head, *self.sentences))

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(map(key_of, self.about))


def read_blocks(text: str) -> tuple[Block, ...]:
    """The lines of a summary. A line without our heading, as models write them, is a block without subject."""
    found = []
    for line in text.splitlines():
        match = _HEAD.match(line)
        body = line[match.end() :] if match else line
        about = (
            tuple(part.strip() for part in (match["about"] or "").split(",") if part.strip()) if match else ()
        )
        if body.strip() or about:
            found.append(Block(about, tuple(sentences(body)), match["verb"] if match else ""))
    return tuple(found)


def render_blocks(blocks: tuple[Block, ...]) -> str:
    return "\n".join(block.render() for block in blocks)


def heading(text: str) -> str:
    """A thing that was asked about, fit to stand in a heading: without the signs that part headings."""
    return " ".join(re.sub(r"[,:;\n]+", " ", text).split())


def leans_back(sentence: str) -> bool:
    """Whether a sentence begins with a word that means something in the sentence before."""
    return bool(_REFERS.match(sentence.strip()))
