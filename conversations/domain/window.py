"""What the model gets to read for one turn, section by section, each within its own budget.

Old conversation never crowds out the passages or the question, and turn 50 costs what turn 10 costs.
Passages, summaries and earlier turns are quoted as data between marks that they cannot imitate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from conversations.domain.answer.units import sentences
from conversations.domain.answer.values import Passage
from conversations.domain.compression import compress
from conversations.domain.prompts import ANSWER
from conversations.domain.quoting import one_line, quoted
from retrieval.domain.tokens import estimate_tokens

Count = Callable[[str], int]

SYSTEM_PROMPT = ANSWER.system


@dataclass(frozen=True, slots=True)
class Budgets:
    """Tokens each section may take. `assistant_turn` is the share of one earlier answer.

    Summary and facts share `memory`. There is no summary at first, and the facts have the room; later the summary
    takes up to `summary` of it. So turn 200 costs what turn 10 costs.
    """

    system: int = 800
    resume: int = 80
    correction: int = 100
    memory: int = 220
    summary: int = 120
    recent: int = 900
    assistant_turn: int = 300
    passages: int = 2000
    message: int = 1500


@dataclass(frozen=True, slots=True)
class RecentTurn:
    """One earlier exchange as it was said; `assistant` may be empty when no answer came."""

    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Background:
    """What memory adds to a turn, what is closed or forbidden left out already. `facts` are most important first."""

    resume_note: str = ""
    correction_note: str = ""
    summary: str = ""
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """Chat messages in the OpenAI shape, tokens by section, and the passages shown, in marker order."""

    messages: list[dict[str, str]]
    tokens: dict[str, int]
    passages: tuple[Passage, ...]


def build_window(
    *,
    message: str,
    query: str = "",
    passages: Sequence[Passage] = (),
    system: str = SYSTEM_PROMPT,
    resume_note: str = "",
    correction_note: str = "",
    summary: str = "",
    facts: Sequence[str] = (),
    recent: Sequence[RecentTurn] = (),
    budgets: Budgets | None = None,
    count: Count = estimate_tokens,
) -> Window:
    """Builds the window. `recent` is oldest first, `facts` and `passages` are most important first.

    `query` is shown when it differs from the message, so that a short follow-up is understood. Only
    whole sentences, whole facts and whole exchanges are left out; `tokens` counts what was put in.
    """
    limits = budgets or Budgets()
    shown = fit_passages(passages, limits.passages, count, query or message)
    turns = _fit_turns(recent, limits, count)
    summed = _section("summary", cut(quoted(summary), limits.summary, count))
    room = limits.memory - (count(summed) if summed else 0)
    parts = {
        "resume": _section("notes", cut(quoted(resume_note), limits.resume, count)),
        "correction": _section("notes", cut(quoted(correction_note), limits.correction, count)),
        "summary": summed,
        "ledger": _section("facts", _fit_lines(facts, room, count)),
        "passages": _section("passages", "\n".join(_passage(n, p) for n, p in enumerate(shown, 1))),
        "message": _message(message, query, limits.message, count),
    }
    system_text = cut(system, limits.system, count)
    tokens = {"system": count(system_text), "recent": sum(count(m["content"]) for m in turns)}
    tokens |= {name: count(text) if text else 0 for name, text in parts.items()}
    last = "\n\n".join(text for text in parts.values() if text)
    messages = [{"role": "system", "content": system_text}, *turns, {"role": "user", "content": last}]
    return Window(messages, tokens, shown)


def cut(text: str, budget: int, count: Count) -> str:
    """As many whole sentences from the start as fit; of a first sentence that is too long, as many words."""
    if count(text) <= budget:
        return text
    kept: list[str] = []
    left = budget
    for line in text.splitlines():
        for position, sentence in enumerate(sentences(line)):
            cost = count(sentence) + 1
            if cost > left:
                return _joined(kept) if kept else _cut_words(sentence, budget, count)
            kept.append(("\n" if position == 0 and kept else "") + sentence)
            left -= cost
    return _joined(kept)


def fit_passages(
    passages: Sequence[Passage], budget: int, count: Count, query: str = ""
) -> tuple[Passage, ...]:
    """The passages that fit, shortened to what speaks of the query; the last one is cut at a whole sentence.

    Order and so numbers are kept.
    """
    shown: list[Passage] = []
    left = budget
    shorter = compress(passages, query, budget, lambda passage: count(_passage(1, passage)) + 1)
    for number, passage in enumerate(shorter, 1):
        room = left - count(_passage(number, replace(passage, text=""))) - 1
        text = cut(passage.text, room, count) if room > 0 else ""
        if not text or (shown and len(text) < 40 < len(passage.text)):
            break
        shown.append(replace(passage, text=text))
        left = room - count(text)
    return tuple(shown)


def _fit_turns(recent: Sequence[RecentTurn], limits: Budgets, count: Count) -> list[dict[str, str]]:
    """Newest first until the budget is used; an exchange is shown whole or not at all."""
    kept: list[list[dict[str, str]]] = []
    left = limits.recent
    for turn in reversed(recent):
        said = [
            ("user", _ends(turn.user, limits.assistant_turn, count)),
            ("assistant", cut(turn.assistant, limits.assistant_turn, count)),
        ]
        exchange = [{"role": role, "content": quoted(text)} for role, text in said if text.strip()]
        cost = sum(count(m["content"]) for m in exchange)
        if cost > left:
            break
        kept.append(exchange)
        left -= cost
    return [message for exchange in reversed(kept) for message in exchange]


def _fit_lines(lines: Iterable[str], budget: int, count: Count) -> str:
    kept: list[str] = []
    for line in lines:
        fact = f"- {' '.join(quoted(line).split())}"
        if count("\n".join([*kept, fact])) > budget:
            break
        kept.append(fact)
    return "\n".join(kept)


def _message(message: str, query: str, budget: int, count: Count) -> str:
    """The person's own words last; the resolved query only where it says more than they do."""
    asked = quoted(_ends(message, budget, count))
    differs = query and query.strip().casefold() != message.strip().casefold()
    resolved = _section("searched_for", cut(quoted(query), budget // 4, count)) if differs else ""
    return f"{resolved}\n\n{asked}".strip()


def _passage(number: int, passage: Passage) -> str:
    where = [f'title="{_attribute(passage.title)}"']
    if passage.heading_path:
        where.append(f'section="{_attribute(" > ".join(passage.heading_path))}"')
    if passage.page is not None:
        where.append(f'page="{passage.page}"')
    return f'<passage n="{number}" {" ".join(where)}>\n{quoted(passage.text)}\n</passage>'


def _attribute(text: str) -> str:
    return one_line(text.replace('"', "'"))[:160]


def _section(mark: str, text: str) -> str:
    return f"<{mark}>\n{text}\n</{mark}>" if text.strip() else ""


def _ends(text: str, budget: int, count: Count) -> str:
    """A very long message keeps its beginning and its end, where the question usually stands."""
    if count(text) <= budget:
        return text
    parts = text.split(" ")
    low, high = 0, len(parts) // 2
    while low < high:
        middle = (low + high + 1) // 2
        fits = count(_around(parts, middle)) <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return _around(parts, low) if low else _cut_characters(text, budget, count)


def _around(parts: list[str], each: int) -> str:
    return f"{' '.join(parts[:each])} […] {' '.join(parts[len(parts) - each :])}"


def _cut_words(text: str, budget: int, count: Count) -> str:
    parts = text.split(" ")
    low, high = 0, len(parts)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count(" ".join(parts[:middle]) + " …") <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return " ".join(parts[:low]) + " …" if low else _cut_characters(text, budget, count)


def _cut_characters(text: str, budget: int, count: Count) -> str:
    """For text without spaces."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count(text[:middle] + "…") <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return text[:low] + "…" if low else ""


def _joined(kept: list[str]) -> str:
    return "".join(k if k.startswith("\n") or not i else f" {k}" for i, k in enumerate(kept))
