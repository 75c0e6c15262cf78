"""More rows for the console's benchmark: passages that are searched, evaluations, what-if replays, days of usage.

One of each kind of work, made once for a workspace, in a size that grows with it: what an admin has after some months.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import connection, transaction

from conversations.evaluation.records import EvaluationRun, FollowUpSet
from conversations.evaluation.what_if import Counts, Selection
from conversations.evaluation.what_if_records import WhatIfReplay
from conversations.models import Session
from conversations.selectors.in_force import SCOPE
from kernel.clock import now
from retrieval.models import Document
from tenants.models import VersionKind
from tenants.versioning.registry import versioned_of

STRATEGIES = ("policy", "typed", "window2")
_STRATA = ("first_turn", "near_followup", "topic_return", "correction", "long_range")
_TURNS_AN_ITEM = 200
_MOST_REPLAYED = 2000


def landmarks() -> dict[str, str]:
    """Ids of the rows that single pages are about: the latest of each kind in the workspace of the current scope."""
    runs = EvaluationRun.objects.order_by("-created_at").values_list("pk", flat=True)
    session = Session.objects.order_by("-updated_at").values_list("pk", flat=True)
    document = Document.objects.filter(generation__gt=0).order_by("-uploaded_at").values_list("pk", flat=True)
    found = {
        "session": session[0],
        "document": document[0],
        "replay": WhatIfReplay.objects.values_list("pk", flat=True)[0],
        "run": runs[0],
        "earlier": runs[1],
        "set": FollowUpSet.objects.values_list("pk", flat=True)[0],
    }
    return {name: str(pk) for name, pk in found.items()}


def work(tenant_id: UUID, turns: int) -> None:
    """Passages for every indexed document, and the rest once. `turns` is how many the workspace has."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_PASSAGES, {"tenant": tenant_id})
        cursor.execute(_VECTORS, {"tenant": tenant_id})
        cursor.execute(_USAGE, {"tenant": tenant_id})
        if FollowUpSet.objects.exists():
            return
        items = max(50, turns // _TURNS_AN_ITEM)
        followups = FollowUpSet.objects.create(name="What readers ask", note="Grown from conversations.")
        cursor.execute(
            _ITEMS, {"tenant": tenant_id, "set": followups.pk, "items": items, "strata": list(_STRATA)}
        )
        for _ in range(2):
            run = _run(followups, items)
            ids = {"tenant": tenant_id, "run": run.pk, "set": followups.pk}
            cursor.execute(_RESULTS, {**ids, "strategies": list(STRATEGIES)})
        replayed = min(_MOST_REPLAYED, turns // 5)
        cursor.execute(_DIFFERENCES, {"tenant": tenant_id, "replay": _replay().pk, "turns": replayed})


def _run(followups: FollowUpSet, items: int) -> EvaluationRun:
    figures = {
        "n": items // len(_STRATA),
        "recall@5": 0.91,
        "recall@10": 0.95,
        "ndcg@5": 0.8,
        "ci95": [0.85, 0.95],
    }
    figures |= {"contamination": 0.01, "invented": 0.0, "required": 0.9, "rewritten": 0.6, "model_calls": 0.0}
    table = {"overall": {**figures, "n": items}, "strata": dict.fromkeys(_STRATA, figures), "failed": 0}
    at = now()
    return EvaluationRun.objects.create(
        of_set=followups,
        strategies=list(STRATEGIES),
        policy_number=0,
        policy=_policy(),
        prompt_number=0,
        prompt={},
        state="done",
        total=items * len(STRATEGIES),
        done=items * len(STRATEGIES),
        report={"set": followups.name, "strategies": dict.fromkeys(STRATEGIES, table)},
        passed=True,
        started_at=at,
        finished_at=at,
    )


def _replay() -> WhatIfReplay:
    policy = _policy()
    after = {**policy, "strategy": "window"}
    kept = {"kind": VersionKind.POLICY, "name": SCOPE, "before_number": 0, "before": policy, "after": after}
    selection = Selection(most=_MOST_REPLAYED).to_json()
    summary = Counts(compared=_MOST_REPLAYED, changed=_MOST_REPLAYED // 2).to_json()
    return WhatIfReplay.objects.create(
        selection=selection, summary=summary, state="done", finished_at=now(), **kept
    )


def even(number: str) -> str:
    """SQL for a share in [0, 1) of the row with that number: as even as chance, and the same in every run.

    Multiples of the golden ratio fill the unit interval evenly, every nth of them too, so that a rare kind of row is
    there in a small workspace as well.
    """
    return f"mod(({number}) * 0.6180339887498949, 1)::float8"


def _policy() -> dict[str, Any]:
    return dict(versioned_of(VersionKind.POLICY.value, SCOPE).complete({}))


_PASSAGES = """
insert into retrieval_chunk (
    tenant_id, id, document_id, generation, ordinal, text, heading_path, span_start, span_end, token_count, tsv
)
select %(tenant)s, gen_random_uuid(), d.id, d.generation, 0, said.text, '{Loans}', 0, length(said.text), 40,
       to_tsvector('english', said.text)
from retrieval_document d
cross join lateral (
    select 'Books of branch ' || d.filename || ' are kept for three weeks. ' || md5(d.id::text) || ' can be renewed.'
) as said (text)
where d.tenant_id = %(tenant)s and d.generation > 0
  and not exists (select from retrieval_chunk c where c.tenant_id = %(tenant)s and c.document_id = d.id)
"""
_VECTORS = """
insert into retrieval_chunkembedding (tenant_id, space_id, chunk_id, document_id, generation, embedding)
select %(tenant)s, o.space_id, c.id, c.document_id, c.generation,
       (select array_agg(random() - 0.5 + 0 * (n + c.ordinal)) from generate_series(1, s.dimensions) as n)::halfvec
from retrieval_chunk c
join retrieval_document d on d.tenant_id = %(tenant)s and d.id = c.document_id
join retrieval_corpus o on o.tenant_id = %(tenant)s and o.id = d.corpus_id
join retrieval_embeddingspace s on s.tenant_id = %(tenant)s and s.id = o.space_id
where c.tenant_id = %(tenant)s
  and not exists (select from retrieval_chunkembedding v where v.tenant_id = %(tenant)s and v.chunk_id = c.id)
"""
_USAGE = """
insert into tenants_usageday (id, tenant_id, day, metric, value)
select gen_random_uuid(), %(tenant)s, current_date - n, metric, 1000 + n
from generate_series(0, 180) as n
cross join unnest('{turns,model_tokens,requests,documents,bytes}'::text[]) as metric
on conflict do nothing
"""
_ITEMS = """
insert into conversations_followupitem (
    id, tenant_id, of_set_id, key, stratum, prefix, follow_up, gold, required, forbidden, more, created_at, updated_at
)
select gen_random_uuid(), %(tenant)s, %(set)s, 'item-' || n, (%(strata)s::text[])[1 + n %% cardinality(%(strata)s::text[])],
       jsonb_build_array(jsonb_build_object('role', 'user', 'content', 'How long are books kept?'),
                         jsonb_build_object('role', 'assistant', 'content', repeat('Three weeks. ', 20))),
       'And in branch ' || n || '?', '["rules-1.md"]', '["branch"]', '["desk"]', '{}', now(), now()
from generate_series(1, %(items)s) as n
"""
_RESULTS = f"""
insert into conversations_evaluationresult (
    id, tenant_id, run_id, item_id, strategy, position, stratum, state, query, display, kind, verdict, rewritten, hit,
    contaminated, score, found
)
select gen_random_uuid(), %(tenant)s, %(run)s, i.id, s.name, row_number() over (order by i.key, s.name) - 1, i.stratum,
       'done', i.follow_up || ' books ' || (r * 5)::int, '', 'follow_up', case when r < 0.05 then 'contaminated' else 'clean' end,
       r > 0.5, r > 0.1, r < 0.05, '{{"recall@5": 1.0}}', '[{{"title": "Loans", "gold": true}}]'
from conversations_followupitem i
cross join unnest(%(strategies)s::text[]) with ordinality as s (name, ordinal)
cross join lateral (select {even("split_part(i.key, '-', 2)::int * 7 + s.ordinal")} as r) as drawn
where i.tenant_id = %(tenant)s and i.of_set_id = %(set)s
"""  # noqa: S608 (only shares of row numbers are put in)
_DIFFERENCES = f"""
insert into conversations_whatifdifference (
    id, tenant_id, replay_id, turn_id, position, stratum, state, rewrite, verdict, top_passage, passages, scope,
    stored_differs, verdict_before, verdict_after, before, after
)
select gen_random_uuid(), %(tenant)s, %(replay)s, t.id, row_number() over (order by t.created_at desc), t.kind,
       case when t.r < 0.6 then 'changed' else 'same' end, t.r < 0.5, t.r < 0.05, t.r < 0.3, t.r < 0.4, t.r < 0.2, false,
       'clean', case when t.r < 0.05 then 'contaminated' else 'clean' end,
       case when t.r < 0.6 then side.data end, case when t.r < 0.6 then side.data || '{{"query": "books kept how long"}}' end
from (
    select id, kind, query, created_at, {even("row_number() over (order by created_at desc, id)")} as r
    from conversations_turn
    where tenant_id = %(tenant)s and verdict <> '' order by created_at desc limit %(turns)s
) as t
cross join (
    select jsonb_agg(id) as ids
    from (select id from retrieval_chunk where tenant_id = %(tenant)s limit 5) as few
) as found
cross join lateral (
    select jsonb_build_object(
        'query', t.query, 'display', '', 'kind', t.kind, 'verdict', 'clean', 'origin', '', 'turns', '[1]'::jsonb,
        'slots', '[["Ashford", "live"]]'::jsonb, 'passages', found.ids, 'trouble', '') as data
) as side
"""  # noqa: S608 (only shares of row numbers are put in)
