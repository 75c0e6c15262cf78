"""What a scenario is told as: the JSON of the interface, and tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import asdict, dataclass

from rich.table import Table

from conversations.evaluation.scenarios.costs import growth, tokens_by_section
from conversations.evaluation.scenarios.held import HeldConversation, HeldTurn
from conversations.evaluation.scenarios.measuring import Passages, carried, passages, session_metrics
from conversations.evaluation.scenarios.surviving import Survival
from kernel.json import JsonObject

ANSWER_SHOWN = 300
# A longer session is told turn by turn in the JSON only.
ROWS = 40


@dataclass(frozen=True, slots=True)
class ScenarioReport:
    """A held conversation with what survives of it: now, and once every turn is summarised."""

    held: HeldConversation
    survival: Survival
    closed: Survival

    @property
    def fact_survival(self) -> float:
        return min(self.survival.share, self.closed.share)

    def as_json(self) -> JsonObject:
        held, given = self.held, passages(self.held.turns)
        return {
            "scenario": held.script.name,
            "engine": held.engine,
            "token_vocabulary": held.turns[-1].trace.get("token_vocabulary", "estimate"),
            "turns": [_turn(turn, {*held.script.judged, held.turns[-1].n}) for turn in held.turns],
            "fact_survival": self.fact_survival,
            "survival": {"now": _survival(self.survival), "all_summarised": _survival(self.closed)},
            "chunks": {"unique": given.unique, "repeated": given.repeated, "novelty": list(given.novelty)},
            "tokens": tokens_by_section(held.turns),
            "metrics": session_metrics(held) | {"prompt_tokens": growth(held.turns)},
            "needed": [{"turn": n, "fact": name, "at_hand": hit} for n, name, hit in carried(held)],
        }

    def tables(self) -> Iterator[Table]:
        """The deliverables in their order, then the metrics."""
        held = self.held
        yield _turn_table(held)
        for n in held.script.judged:
            yield _judged_table(held.turns[n - 1])
        yield _fact_table(self.survival, self.closed)
        yield _chunk_table(held, passages(held.turns))
        yield _token_table(held)
        yield _metric_table(self)


def _turn(turn: HeldTurn, in_detail: Set[int]) -> JsonObject:
    judgement = turn.judgement
    told: JsonObject = {
        "n": turn.n,
        "message": turn.script.message,
        "query": turn.query,
        "verdict": turn.verdict,
        "expected": asdict(turn.script.expected),
        "ok": judgement.ok,
        "missing": list(judgement.missing),
        "unwanted": list(judgement.unwanted),
        "gold_found": judgement.found,
        "display": turn.display,
        "kind": turn.kind,
        "rewritten": turn.rewritten,
        "searched": list(turn.searched),
        "retrieved": [passage.name for passage in turn.found],
        "answer": turn.answer,
        "prompt_tokens": turn.prompt_tokens,
        "model_calls": turn.model_calls,
        "recall@5": asdict(turn.compared) if turn.compared else None,
    }
    if turn.n in in_detail:
        told["passages"] = [passage.text for passage in turn.found]
        told["evidence"] = turn.trace.get("classification", {}).get("evidence", [])
        told["scope"] = turn.trace.get("scope")
        told["memory_shown"] = asdict(turn.background)
    return told


def _survival(survival: Survival) -> JsonObject:
    return {
        "covered_turns": survival.covered,
        "key_facts": round(survival.key_facts, 4),
        "items": round(survival.items, 4),
        "lost": [f"{item.kind}: {item.key}" for item in survival.gone],
        "facts": [
            {
                "name": fact.fact.name,
                "turn": fact.fact.turn,
                "ok": fact.ok,
                "found_in": list(fact.where[:2]),
                "outdated": list(fact.outdated),
            }
            for fact in survival.facts
        ],
    }


def _turn_table(held: HeldConversation) -> Table:
    table = _titled(f"{held.script.title} ({held.engine})")
    for column in ("turn", "message", "query", "verdict", "ok", "at fault"):
        table.add_column(column, justify="right" if column == "turn" else "left")
    for turn in held.turns[:ROWS]:
        table.add_row(str(turn.n), turn.script.message, turn.query, turn.verdict, *_ok(turn))
    return table


def _ok(turn: HeldTurn) -> tuple[str, str]:
    judgement = turn.judgement
    faults = [f"lacks {term}" for term in judgement.missing] + [f"has {term}" for term in judgement.unwanted]
    if judgement.found == 0:
        faults.append("passage not found")
    return "yes" if judgement.ok else "no", "; ".join(faults)


def _judged_table(turn: HeldTurn) -> Table:
    expected, judgement = turn.script.expected, turn.judgement
    table = _titled(f"Turn {turn.n}: {expected.why}")
    table.add_column("", no_wrap=True)
    table.add_column("")
    found = "none named" if judgement.found is None else f"{judgement.found:.0%} of the right passages"
    rows = {
        "message": turn.script.message,
        "query": turn.query,
        "must have": ", ".join(expected.required),
        "lacks": ", ".join(judgement.missing) or "nothing",
        "must not have": ", ".join(expected.forbidden),
        "has of that": ", ".join(judgement.unwanted) or "nothing",
        "retrieved": f"{found}: {', '.join(dict.fromkeys(passage.name for passage in turn.found))}",
        "answer": turn.answer[:ANSWER_SHOWN],
        "judgement": "ok" if judgement.ok else "not ok",
    }
    for name, text in rows.items():
        table.add_row(name, text)
    return table


def _fact_table(survival: Survival, closed: Survival) -> Table:
    table = _titled(
        f"What survives: {survival.items:.1%} of numbers, names and decisions of turns 1 to {survival.covered}, "
        f"{closed.items:.1%} once all {closed.covered} are summarised"
    )
    for column in ("key fact", "said in turn", "kept", "kept when all is summarised", "found in", "outdated"):
        table.add_column(column)
    for now, then in zip(survival.facts, closed.facts, strict=True):
        kept = ["yes" if fact.ok else "no" for fact in (now, then)]
        outdated = next(iter((*now.outdated, *then.outdated)), "")
        table.add_row(now.fact.name, str(now.fact.turn), *kept, next(iter(now.where), ""), outdated)
    return table


def _chunk_table(held: HeldConversation, given: Passages) -> Table:
    table = _titled(f"Passages given: {given.unique} different ones, {given.repeated} given again")
    for column in ("turn", "passages", "new"):
        table.add_column(column, justify="right")
    for turn, share in list(zip(held.turns, given.novelty, strict=True))[:ROWS]:
        table.add_row(str(turn.n), str(len(turn.chunks)), "" if share is None else f"{share:.0%}")
    return table


def _token_table(held: HeldConversation) -> Table:
    told = tokens_by_section(held.turns)
    table = _titled("Prompt tokens by section")
    table.add_column("section")
    for name in told:
        table.add_column(name.replace("_", " "), justify="right")
    for section in dict.fromkeys(section for tokens in told.values() for section in tokens):
        table.add_row(section, *(str(tokens.get(section, 0)) for tokens in told.values()))
    table.add_section()
    table.add_row("all", *(str(sum(tokens.values())) for tokens in told.values()))
    return table


def _metric_table(report: ScenarioReport) -> Table:
    table = _titled("Session")
    table.add_column("figure")
    table.add_column("value", justify="right")
    figures = {"fact survival": report.fact_survival} | report.as_json()["metrics"]
    for name, value in _flat(figures):
        table.add_row(name, "none" if value is None else str(value))
    return table


def _flat(figures: JsonObject, before: str = "") -> Iterator[tuple[str, object]]:
    for name, value in figures.items():
        title = f"{before}{name.replace('_', ' ')}"
        if isinstance(value, dict):
            yield from _flat(value, f"{title}: ")
        else:
            yield title, value


def _titled(title: str) -> Table:
    """A table at least as wide as its title."""
    return Table(title=title, title_justify="left", min_width=len(title))
