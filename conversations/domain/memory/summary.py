"""Summarises older turns without a model, by their own sentences: nothing is retold, so nothing is told wrong.

A part keeps every number, proper name and decision of its turns in the fewest whole sentences, in reading order.
Parts of parts are denser: what was said twice stands once, and what holds nothing to keep is only named.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from conversations.domain.language import Analysis
from conversations.domain.memory.blocks import Block, heading, leans_back, read_blocks, render_blocks
from conversations.domain.memory.cover import cover
from conversations.domain.memory.decisions import constraint_in, is_question
from conversations.domain.memory.items import Item, is_quantity, items_in, names_in, names_known, numbers_in
from conversations.domain.memory.plan import Plan, Stretch, needed_from, plan_parts
from conversations.domain.memory.showing import shown
from conversations.domain.memory.statements import ended, statements_of
from conversations.domain.memory.values import Level, SummaryPart
from conversations.domain.state import Exchange
from conversations.domain.words import contains_key, key_of

__all__ = ["Plan", "Stretch", "deep_part", "needed_from", "plan_parts", "rolling_part", "shown", "summarised"]

Analyse = Callable[[str], Analysis]
ABOUT = 8
SMALL_TALK = "small_talk"


@dataclass(frozen=True, slots=True)
class _Line:
    """One sentence that a summary may keep. `block` is its place, `items` what it keeps."""

    block: int
    text: str
    items: frozenset[Hashable]


def rolling_part(exchanges: Sequence[Exchange], analyse: Analyse | None = None) -> SummaryPart:
    """The summary of a stretch of turns. Without `analyse`, names are found by their form alone."""
    names = tuple(dict.fromkeys(n for e in exchanges for n in _names(e, analyse)))
    abouts = [_about(exchange, names) for exchange in exchanges]
    lines = [line for i, e in enumerate(exchanges) for line in _lines(i, e, abouts[i], names)]
    kept = _kept(lines, abouts)
    for i, exchange in enumerate(exchanges):
        own = [k for k, line in enumerate(lines) if line.block == i]
        if exchange.kind != SMALL_TALK and own and (not set(own) & set(kept) or not abouts[i]):
            kept.append(own[0])
    blocks = [
        replace(block, verb=_verb(exchange))
        for block, exchange in zip(_blocks(abouts, lines, sorted(set(kept))), exchanges, strict=True)
    ]
    text = render_blocks(tuple(block for block in blocks if block.about or block.sentences))
    return SummaryPart(
        first_turn=exchanges[0].turn if exchanges else 0,
        last_turn=exchanges[-1].turn if exchanges else 0,
        text=text,
        entities=_entities(text, exchanges, names),
        chunks=tuple(dict.fromkeys(chunk for e in exchanges for chunk in e.chunks)),
    )


def deep_part(parts: Sequence[SummaryPart]) -> SummaryPart:
    """Older parts in one. Doing it to its own result changes nothing."""
    entities = tuple(dict.fromkeys(key for part in parts for key in part.entities))
    blocks = _merged([block for part in parts for block in read_blocks(part.text)])
    abouts = [block.about for block in blocks]
    lines, said = [], set[str]()
    for i, block in enumerate(blocks):
        for sentence in block.sentences:
            key = f"{block.keys if leans_back(sentence) else ''}{key_of(sentence)}"
            if key not in said:
                lines.append(_Line(i, sentence, _deep_items(sentence, block, entities)))
            said.add(key)
    chosen = _blocks(abouts, lines, sorted(set(_kept(lines, abouts))))
    headed = [replace(made, verb=block.verb) for made, block in zip(chosen, blocks, strict=True)]
    engines = dict.fromkeys(part.engine for part in parts)
    return SummaryPart(
        first_turn=min((part.first_turn for part in parts), default=0),
        last_turn=max((part.last_turn for part in parts), default=0),
        text=render_blocks(_merged([block for block in headed if block.about or block.sentences])),
        level=Level.DEEP,
        entities=entities,
        chunks=tuple(dict.fromkeys(chunk for part in parts for chunk in part.chunks)),
        engine=next(iter(engines)) if len(engines) == 1 else "offline",
    )


def summarised(
    parts: Sequence[SummaryPart],
    exchanges: Sequence[Exchange],
    turn: int,
    rolling: Callable[[Sequence[Exchange]], SummaryPart],
    deep: Callable[[Sequence[SummaryPart]], SummaryPart] = deep_part,
) -> tuple[SummaryPart, ...]:
    """The parts after everything that is due at `turn` is done; called again it changes nothing.

    `exchanges` are those from `needed_from(parts)` on, oldest first.
    """
    current = tuple(parts)
    plan = plan_parts(current, exchanges, turn)
    for stretch in plan.rolling:
        covered = [e for e in exchanges if stretch.first_turn <= e.turn <= stretch.last_turn]
        current = _with(current, rolling(covered))
    for stretch in plan_parts(current, exchanges, turn).deep:
        inside = [
            p for p in current if stretch.first_turn <= p.first_turn and p.last_turn <= stretch.last_turn
        ]
        current = _with(current, deep(inside))
    return current


def _with(parts: tuple[SummaryPart, ...], new: SummaryPart) -> tuple[SummaryPart, ...]:
    others = [p for p in parts if p.last_turn < new.first_turn or p.first_turn > new.last_turn]
    return tuple(sorted((*others, new), key=lambda part: part.first_turn))


def _names(exchange: Exchange, analyse: Analyse | None) -> tuple[str, ...]:
    if analyse is None:
        return tuple(t.text for t in (*exchange.terms, *exchange.answer_terms, *exchange.items) if t.name)
    return (*names_known(analyse(exchange.message)), *names_known(analyse(exchange.answer)))


def _about(exchange: Exchange, names: tuple[str, ...]) -> tuple[str, ...]:
    """The question in short: the things it names."""
    if exchange.kind == SMALL_TALK:
        return ()
    dates = [number.value for number in numbers_in(exchange.message)]
    named = names_in(exchange.message, names)
    offered = [*(term.text for term in (*exchange.terms, *exchange.inherited)), *named]
    found: dict[str, str] = {}
    for text in offered:
        key = key_of(text)
        counted = is_quantity(text) or any(text in date for date in dates)
        if not counted and not any(contains_key(longer, key) for longer in found):
            found[key] = heading(text)
    return tuple(found.values())[:ABOUT]


def _verb(exchange: Exchange) -> str:
    asks = any(is_question(s.text) for s in statements_of(exchange.message)) or not exchange.message
    return "Asked" if asks else "Said"


def _lines(block: int, exchange: Exchange, about: tuple[str, ...], names: tuple[str, ...]) -> list[_Line]:
    """What the user stated, numbers in questions included, in quotation marks; then what was answered.

    A question that names nothing to be asked about stands itself.
    """
    key = " | ".join(map(key_of, about))
    lines = []
    for statement in statements_of(exchange.message):
        items = items_in(statement.text, names)
        bound = constraint_in(statement.text)
        if bound and not items:
            items |= {Item("decision", key_of(bound))}
        precise = any(item.kind != "name" and not contains_key(key, item.key) for item in items)
        if precise or (items and not is_question(statement.text)) or not about:
            lines.append(_Line(block, f"“{ended(statement.text)}”", _placed(items, exchange.turn)))
    for statement in statements_of(exchange.answer):
        items = items_in(statement.text, names)
        lines.append(_Line(block, ended(statement.text), _placed(items, exchange.turn)))
    return lines


def _placed(items: Iterable[Item], place: Hashable) -> frozenset[Hashable]:
    """Names may be kept anywhere; a number says something else in every exchange."""
    return frozenset(item if item.kind == "name" else (place, item) for item in items)


def _deep_items(sentence: str, block: Block, entities: tuple[str, ...]) -> frozenset[Hashable]:
    key = key_of(sentence)
    named = {Item("name", entity) for entity in entities if contains_key(key, entity)}
    return _placed(items_in(sentence) | named, block.keys)


def _kept(lines: list[_Line], abouts: Sequence[tuple[str, ...]]) -> list[int]:
    """Indices of the lines to keep; names that a heading tells are kept already."""
    told = f" {' | '.join(key_of(text) for about in abouts for text in about)} "
    wanted = [
        {item for item in line.items if not (isinstance(item, Item) and contains_key(told, item.key))}
        for line in lines
    ]
    kept = list(cover(wanted, [len(line.text) for line in lines]))
    return [*kept, *(index for k in kept for index in _leaned_on(k, lines))]


def _leaned_on(index: int, lines: list[_Line]) -> list[int]:
    """The sentences before one that begins with "it", back to one that names its subject."""
    found = []
    while index > 0 and leans_back(lines[index].text) and lines[index - 1].block == lines[index].block:
        index -= 1
        found.append(index)
    return found


def _blocks(abouts: Sequence[tuple[str, ...]], lines: list[_Line], kept: list[int]) -> list[Block]:
    return [
        Block(about, tuple(lines[k].text for k in kept if lines[k].block == i))
        for i, about in enumerate(abouts)
    ]


def _merged(blocks: list[Block]) -> tuple[Block, ...]:
    """Neighbours about the same in one; of neighbours without a sentence only their subjects remain, in one line."""
    merged: list[Block] = []
    for block in blocks:
        last = merged[-1] if merged else None
        if last and last.verb and last.verb == block.verb and last.keys == block.keys:
            merged[-1] = replace(last, sentences=(*last.sentences, *block.sentences))
        elif last and last.verb and last.verb == block.verb and not last.sentences and not block.sentences:
            about = {key_of(text): text for text in (*last.about, *block.about)}
            merged[-1] = replace(last, about=tuple(about.values()))
        else:
            merged.append(block)
    return tuple(merged)


def _entities(text: str, exchanges: Sequence[Exchange], names: tuple[str, ...]) -> tuple[str, ...]:
    """Keys of all that the text names: names, and what the users asked about."""
    asked = [term.key for e in exchanges for term in (*e.terms, *e.inherited)]
    text_key = " | ".join(key_of(line) for line in text.splitlines())
    found = (*asked, *map(key_of, names_in(text, names)))
    return tuple(key for key in dict.fromkeys(found) if contains_key(text_key, key))
