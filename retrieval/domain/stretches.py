"""A document in parts that are cut by themselves.

A passage never crosses a heading, so what stands below one is cut alone. Where that is very long it is cut in pieces,
so that a text of any size takes its time in small portions and others have their turn between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from retrieval.domain.passages import Block, BlockKind, ConvertedDocument

STRETCH_CHARACTERS = 200_000
"""What is cut in one go, in about half a second: longer texts are cut in stretches, and others have their turn between
them. Passages of two stretches share no sentences."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a document that is cut by itself: what stands below one heading, or a piece of it where that is long."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def end(self) -> int:
        return self.blocks[-1].end


def stretches_of(document: ConvertedDocument) -> list[Stretch]:
    """The document in parts of a bounded size, in order; the same document gives the same ones."""
    sections = _sections(document.blocks)
    found: list[Stretch] = []
    for index, (path, blocks) in enumerate(sections):
        body = [block for block in blocks if block.kind is not BlockKind.HEADING]
        if not body:
            following = sections[index + 1][0] if index + 1 < len(sections) else ()
            if following[: len(path)] == path:
                continue
            body = blocks[-1:]
        found += [Stretch(path, tuple(part)) for part in _parts(document.text, body)]
    return found


def _sections(blocks: Sequence[Block]) -> list[tuple[tuple[str, ...], list[Block]]]:
    """Blocks below one heading, with its path. The same heading twice makes two sections."""
    sections: list[tuple[tuple[str, ...], list[Block]]] = []
    for block in blocks:
        if block.kind is BlockKind.HEADING or not sections or sections[-1][0] != block.heading_path:
            sections.append((block.heading_path, []))
        sections[-1][1].append(block)
    return sections


def _parts(text: str, blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Runs of blocks that together are not longer than a stretch may be."""
    part: list[Block] = []
    for piece in (piece for block in blocks for piece in _pieces(text, block)):
        if part and piece.end - part[0].start > STRETCH_CHARACTERS:
            yield part
            part = []
        part.append(piece)
    if part:
        yield part


def _pieces(text: str, block: Block) -> Iterator[Block]:
    """A block that is longer than a stretch may be in pieces, cut at the end of a line, or else of a word."""
    start = block.start
    while block.end - start > STRETCH_CHARACTERS:
        until = start + STRETCH_CHARACTERS
        end = next((at for mark in "\n 。." if (at := text.rfind(mark, start + 1, until)) > 0), until - 1) + 1
        yield replace(block, start=start, end=end)
        start = end
    yield replace(block, start=start)
