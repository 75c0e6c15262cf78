"""The turn benchmark: long conversations through the same service that the socket runs, and what each turn spends."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any
from uuid import UUID, uuid4

import uvloop

from config import bench_model
from config.bench_tenant import message, tenant_with_documents, visitor
from config.measuring import p95
from config.progress import Report
from config.turn_floor import floors
from config.turn_meter import Spent, metered
from config.warming import warm
from conversations import wiring
from conversations.adapters.event_log import close_client
from conversations.adapters.metered_model import MeteredModel
from conversations.adapters.openai_chat import OpenAIChat
from conversations.identity import Asker
from conversations.models import Turn, TurnState, TurnTrace
from conversations.services.answering import answer_session
from conversations.services.turns import turn_accept
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.threads import in_thread

MILESTONES = (5, 10, 50, 100, 200)
_AROUND = 2
_WARM_UP = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """`turns` of each of `concurrency` conversations at once, answered with `tokens` tokens each."""

    concurrency: int = 1
    turns: int = 200
    tokens: int = 60


@dataclass(frozen=True, slots=True)
class Measured:
    """One turn: milliseconds of the wall's clock, of the processor, and what of it went where."""

    n: int
    turn_id: UUID
    wall: float
    accept: float
    cpu: float
    spent: Spent
    bare: float

    @property
    def own(self) -> float:
        """Never less than nothing: the floor is a median, and a single call may have been quicker."""
        return max(0.0, self.wall - self.spent.embedding - min(self.bare, self.spent.model))

    @property
    def own_outside_language(self) -> float:
        return max(0.0, self.own - self.spent.language)


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """The figures as JSON. Everything that it makes is removed again."""
    script = bench_model.Script(plan.tokens)
    with bench_model.running(script) as url, tenant_with_documents() as tenant:
        model = OpenAIChat(base_url=url, api_key="bench", model="bench")
        warm()
        with (
            metered(MeteredModel(model)) as spent,
            tenant_scope(tenant.id),
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,  # what serves in production
        ):
            return runner.run(_measured(plan, url, tenant, spent, report))


async def _measured(plan: Plan, url: str, tenant: Tenant, spent: Spent, report: Report) -> dict[str, Any]:
    try:
        await _conversation(tenant, spent, {}, _WARM_UP, lambda done: None)
        floor = await floors(url, tenant.id)
        began, done = time.perf_counter(), [0]

        def more(_: int) -> None:
            done[0] += 1
            report("turns", done[0], plan.concurrency * plan.turns)

        talks = [
            _conversation(tenant, spent, floor, plan.turns, more, alone=plan.concurrency == 1)
            for _ in range(plan.concurrency)
        ]
        turns = [turn for talk in await asyncio.gather(*talks) for turn in talk]
        seconds = time.perf_counter() - began
        traces = await in_thread(_traces, [turn.turn_id for turn in turns])
    finally:
        await close_client()
        if (model := wiring.chat_model()) is not None:
            await model.aclose()
    return _figures(plan, turns, traces, floor, seconds)


async def _conversation(
    tenant: Tenant,
    spent: Spent,
    floor: dict[str, float],
    turns: int,
    done: Callable[[int], None],
    *,
    alone: bool = True,
) -> list[Measured]:
    """One visitor's conversation from its first message on."""
    asker = await in_thread(visitor, tenant, str(uuid4()))
    session_id: UUID | None = None
    measured = []
    for number in range(turns):
        one, session_id = await _turn(asker, session_id, number, spent, floor, alone=alone)
        measured.append(one)
        done(number + 1)
    return measured


async def _turn(
    asker: Asker, session_id: UUID | None, number: int, spent: Spent, floor: dict[str, float], *, alone: bool
) -> tuple[Measured, UUID]:
    before, began, cpu = spent.copy(), time.perf_counter(), time.process_time()
    accepted = await in_thread(
        turn_accept,
        end_user_id=asker.end_user_id,
        session_id=session_id,
        client_id=str(uuid4()),
        text=message(number),
    )
    accept = (time.perf_counter() - began) * 1000
    await answer_session(accepted.turn.session_id, ports_for=wiring.ports_for)
    wall, used = (time.perf_counter() - began) * 1000, (time.process_time() - cpu) * 1000
    # Side by side, what one turn spends cannot be told from what the others do: only its wall time is its own.
    own = spent.since(before) if alone else Spent()
    bare = own.replies * floor.get("httpx_reply_ms", 0) + own.streams * floor.get("httpx_stream_ms", 0)
    turn = accepted.turn
    return Measured(turn.n, turn.pk, wall, accept, used - own.embedding_cpu, own, bare), turn.session_id


def _traces(turn_ids: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
    lost = Turn.objects.filter(pk__in=turn_ids).exclude(state=TurnState.COMPLETED).count()
    if lost:
        raise RuntimeError(f"{lost} turns of the benchmark were not completed")
    return dict(TurnTrace.objects.filter(turn_id__in=turn_ids).values_list("turn_id", "data"))


def _figures(
    plan: Plan,
    turns: Sequence[Measured],
    traces: dict[UUID, dict[str, Any]],
    floor: dict[str, float],
    seconds: float,
) -> dict[str, Any]:
    return {
        "concurrency": plan.concurrency,
        "turns": plan.turns,
        "answer_tokens": plan.tokens,
        "own_ms": _spread([turn.own for turn in turns]),
        "own_outside_language_ms": _spread([turn.own_outside_language for turn in turns]),
        "own_cpu_ms": _spread([turn.cpu for turn in turns]) if plan.concurrency == 1 else None,
        "stages_ms": _stages(turns, traces),
        "by_turn": [
            _milestone(n, turns, traces) for n in MILESTONES if n <= plan.turns
        ],
        "round_trips": round(median(turn.spent.round_trips for turn in turns)),
        "turns_per_s": round(len(turns) / seconds, 2),
        "relayed_per_s": None,
        "streams_per_s": None,
        "floor": floor,
    }  # fmt: skip


def _stages(turns: Sequence[Measured], traces: dict[UUID, dict[str, Any]]) -> dict[str, float]:
    """The medians of every stage; `around` is what no stage holds: taking up, storing, announcing."""
    found: dict[str, list[float]] = defaultdict(list)
    for turn in turns:
        stages = traces[turn.turn_id]["stages"]
        for stage in stages:
            found[stage["name"]].append(stage["ms"])
        found["accept"].append(turn.accept)
        found["around"].append(turn.wall - turn.accept - sum(stage["ms"] for stage in stages))
        for name in ("embedding", "language", "model"):
            found[f"of which {name}"].append(getattr(turn.spent, name))
    return {name: round(median(values), 2) for name, values in found.items()}


def _milestone(n: int, turns: Sequence[Measured], traces: dict[UUID, dict[str, Any]]) -> dict[str, Any]:
    near = [turn for turn in turns if abs(turn.n - n) <= _AROUND]
    told = [traces[turn.turn_id] for turn in near]
    return {
        "turn": n,
        "own_p50_ms": round(median(turn.own for turn in near), 2),
        "own_cpu_p50_ms": round(median(turn.cpu for turn in near), 2),
        "prompt_tokens": round(median(sum(trace["tokens"].values()) for trace in told)),
        "round_trips": round(median(turn.spent.round_trips for turn in near)),
        "model_calls": round(sum(trace["model_calls"] for trace in told) / len(told), 2),
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"p50": round(median(values), 2), "p95": round(p95(values), 2)}
