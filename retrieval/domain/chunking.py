"""Cuts a document into passages.

A passage never crosses a heading, and a row of a long table is a passage of its own. Other passages end where a
paragraph, a list or a table ends when that leaves them large enough; only then does size decide, and then between
sentences. Neighbouring passages of running text share their last whole sentence or two, so that nothing is lost at
the cut. Every passage is an exact piece of the document's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from retrieval.domain.errors import DocumentTooManyPassages
from retrieval.domain.passages import Block, BlockKind, Chunk, ConvertedDocument
from retrieval.domain.sentences import Span, sentences
from retrieval.domain.stretches import Stretch, stretches_of

BatchTokenCounter = Callable[[Sequence[str]], list[int]]
CHARACTERS_PER_TOKEN = 16
"""A token counts for at least this many characters. A tokenizer takes a word it cannot read, however long, for one
token, and white space for none: sizes in tokens alone would put megabytes into a passage."""
_WORDS_PER_PROBE = 8
_WORD = re.compile(r"\S{1,200}")
_WHOLE = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.RECORD, BlockKind.HEADING})


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """Sizes in tokens of the embedding model.

    The local model was trained on 256 tokens, two of them its own marks; `max_tokens` plus `heading_tokens` stay
    below.
    """

    min_tokens: int = 110
    max_tokens: int = 200
    overlap_tokens: int = 32
    heading_tokens: int = 48
    max_passages: int = 50_000

    @property
    def max_characters(self) -> int:
        """No passage is longer, whatever it is made of."""
        return self.max_tokens * CHARACTERS_PER_TOKEN


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is never cut: a sentence, a list item, a table row, or a piece of one that is too long by itself."""

    start: int
    end: int
    tokens: int
    block: Block
    ends_block: bool


def chunk_document(
    document: ConvertedDocument, count: BatchTokenCounter, settings: ChunkSettings | None = None
) -> list[Chunk]:
    """Passages in reading order. Together they cover every block but headings that later passages carry.

    None is larger than `max_tokens` and `max_characters`. Raises DocumentTooManyPassages.
    """
    chunks: list[Chunk] = []
    for stretch in stretches_of(document):
        chunks += cut_stretch(document.text, stretch, count, settings, first=len(chunks))
    return chunks


def cut_stretch(
    text: str,
    stretch: Stretch,
    count: BatchTokenCounter,
    settings: ChunkSettings | None = None,
    *,
    first: int,
) -> list[Chunk]:
    """The passages of a stretch of `text`, counted from `first`. Raises DocumentTooManyPassages."""
    settings = settings or ChunkSettings()
    units = list(_units(text, stretch.blocks, _bounded(count), settings.max_tokens))
    chunks = [
        _chunk(ordinal, text, group, stretch.path)
        for ordinal, group in enumerate(_pack(units, settings), start=first)
    ]
    if first + len(chunks) > settings.max_passages:
        raise DocumentTooManyPassages(limit=settings.max_passages)
    return chunks


def _bounded(count: BatchTokenCounter) -> BatchTokenCounter:
    """Tokens, or what so many characters stand for when that is more."""

    def counted(texts: Sequence[str]) -> list[int]:
        sizes = zip(texts, count(texts), strict=True)
        return [max(tokens, -(-len(text) // CHARACTERS_PER_TOKEN)) for text, tokens in sizes]

    return counted


def whole_document(document: ConvertedDocument, count: BatchTokenCounter) -> list[Chunk]:
    """The document as a single passage, for corpora that are passages already."""
    tokens = _bounded(count)([document.text])[0]
    first = document.blocks[0]
    return [Chunk(0, document.text, 0, len(document.text), (), first.page, tokens)]


def _chunk(ordinal: int, text: str, units: Sequence[_Unit], path: tuple[str, ...]) -> Chunk:
    start, end = units[0].start, units[-1].end
    tokens = sum(unit.tokens for unit in units)
    return Chunk(ordinal, text[start:end], start, end, path, units[0].block.page, tokens)


def _units(text: str, blocks: Sequence[Block], count: BatchTokenCounter, limit: int) -> Iterator[_Unit]:
    pieces = [(block, span) for block in blocks for span in _spans(text, block)]
    tokens = count([text[span.start : span.end] for _, span in pieces])
    for index, ((block, span), size) in enumerate(zip(pieces, tokens, strict=True)):
        last = index + 1 == len(pieces) or pieces[index + 1][0] is not block
        if size <= limit:
            yield _Unit(span.start, span.end, size, block, last)
            continue
        parts = _split_long(text, span, count, limit)
        for number, (part, part_size) in enumerate(parts, start=1):
            yield _Unit(part.start, part.end, part_size, block, last and number == len(parts))


def _spans(text: str, block: Block) -> list[Span]:
    """Sentences of running text; lines of code; a list item or a table row whole."""
    if block.kind in _WHOLE:
        return [Span(block.start, block.end)]
    piece = text[block.start : block.end]
    found = _lines(piece) if block.kind is BlockKind.CODE else sentences(piece)
    return [Span(block.start + span.start, block.start + span.end) for span in found]


def _lines(piece: str) -> list[Span]:
    spans, position = [], 0
    for line in piece.split("\n"):
        if line.strip():
            spans.append(Span(position, position + len(line)))
        position += len(line) + 1
    return spans


def _split_long(text: str, span: Span, count: BatchTokenCounter, limit: int) -> list[tuple[Span, int]]:
    """Cut a sentence that is too long: between sentences or words where there are any, else between characters."""
    inner = [Span(span.start + s.start, span.start + s.end) for s in sentences(text[span.start : span.end])]
    pieces = [
        run for piece in inner for run in _probes(text, piece, whole=len(inner) > 1, limit=limit)
    ] or _word_runs(text, span)
    sizes = count([text[piece.start : piece.end] for piece in pieces])
    parts: list[tuple[Span, int]] = []
    for piece, size in zip(pieces, sizes, strict=True):
        if size > limit:
            parts.extend(_halve(text, piece, count, limit))
        elif parts and _together(parts[-1], piece, size) <= limit:
            previous, before = parts[-1]
            joined = Span(previous.start, piece.end)
            parts[-1] = (joined, _together((previous, before), piece, size))
        else:
            parts.append((piece, size))
    return parts


def _probes(text: str, piece: Span, *, whole: bool, limit: int) -> list[Span]:
    """One of several sentences stays whole while it may fit; a single or a huge one goes by runs of words."""
    if whole and piece.end - piece.start <= limit * CHARACTERS_PER_TOKEN:
        return [piece]
    return _word_runs(text, piece)


def _together(part: tuple[Span, int], piece: Span, size: int) -> int:
    """The size of a part with the next piece: the gap between them counts as well."""
    return max(part[1] + size, -(-(piece.end - part[0].start) // CHARACTERS_PER_TOKEN))


def _halve(text: str, span: Span, count: BatchTokenCounter, limit: int) -> list[tuple[Span, int]]:
    span = _trimmed(text, span)
    size = count([text[span.start : span.end]])[0]
    if size <= limit or span.end - span.start < 2:
        return [(span, size)]
    middle = (span.start + span.end) // 2
    space = text.rfind(" ", span.start + 1, middle)
    middle = space if space > span.start else middle
    return [
        part
        for half in (Span(span.start, middle), Span(middle, span.end))
        for part in _halve(text, half, count, limit)
    ]


def _word_runs(text: str, span: Span) -> list[Span]:
    """Runs of a few words, small enough to be packed without counting every word."""
    words = list(_WORD.finditer(text, span.start, span.end))
    firsts, lasts = words[::_WORDS_PER_PROBE], words[_WORDS_PER_PROBE - 1 :: _WORDS_PER_PROBE]
    ends = [word.end() for word in lasts] + [words[-1].end()] * (len(firsts) - len(lasts))
    return [Span(first.start(), end) for first, end in zip(firsts, ends, strict=True)]


def _trimmed(text: str, span: Span) -> Span:
    piece = text[span.start : span.end]
    start = span.start + len(piece) - len(piece.lstrip())
    return Span(start, start + len(piece.strip()))


def _pack(units: Sequence[_Unit], settings: ChunkSettings) -> Iterator[list[_Unit]]:
    """Fill passages up to `max_tokens`, closing early at the end of a block that the next would overflow."""
    current: list[_Unit] = []
    size = fresh = 0
    for index, unit in enumerate(units):
        too_wide = bool(current) and unit.end - current[0].start > settings.max_characters
        if fresh and _stands_alone(units, index):
            yield current
            current, size, fresh, too_wide = [], 0, 0, False
        if fresh and (too_wide or size + _needed(units, index, size, settings) > settings.max_tokens):
            yield current
            current = _overlap(current, unit, settings)
            size, fresh = sum(kept.tokens for kept in current), 0
            too_wide = bool(current) and unit.end - current[0].start > settings.max_characters
        if too_wide or size + unit.tokens > settings.max_tokens:
            current, size = [], 0
        current.append(unit)
        size, fresh = size + unit.tokens, fresh + 1
    if fresh:
        yield current


def _stands_alone(units: Sequence[_Unit], index: int) -> bool:
    """Whether a passage ends before this unit: around every record."""
    before, unit = units[index - 1].block, units[index].block
    return before is not unit and BlockKind.RECORD in (before.kind, unit.kind)


def _needed(units: Sequence[_Unit], index: int, size: int, settings: ChunkSettings) -> int:
    """Room the next unit asks for: its whole block where the passage could as well end before it."""
    at_block_start = index == 0 or units[index - 1].ends_block
    if not at_block_start or size < settings.min_tokens:
        return units[index].tokens
    total = 0
    for unit in units[index:]:
        total += unit.tokens
        if unit.ends_block or total > settings.max_tokens:
            break
    return total


def _overlap(units: Sequence[_Unit], following: _Unit, settings: ChunkSettings) -> list[_Unit]:
    """The last whole sentences of running text; list items, rows and code repeat nothing."""
    kept: list[_Unit] = []
    room = min(settings.overlap_tokens, settings.max_tokens - following.tokens)
    for unit in reversed(units[1:]):
        room -= unit.tokens
        if room < 0 or unit.block.kind is not BlockKind.PARAGRAPH:
            break
        kept.insert(0, unit)
    return kept
