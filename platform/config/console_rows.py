"""Rows for the console's benchmark: a workspace with months of conversations and a library, written by few statements.

A page of a list costs what its queries cost, so there is of every table what lists and counts read. Traces are as long as
real ones, about 10 KB; only the latest turns have one, as no list reads more of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from config.console_work import even, work
from conversations.models import Turn
from retrieval.models import Corpus, Document
from retrieval.services import corpus_create, corpus_grant
from tenants.models import Audience
from tenants.scoping import no_scope
from tenants.services import audience_create

CORPORA = 8
DAYS = 90
TURNS_A_CONVERSATION = 10
_TABLES = (
    "conversations_session",
    "conversations_turn",
    "conversations_turntrace",
    "conversations_turnjudgement",
    "retrieval_document",
    "tenants_auditentry",
    "tenants_enduser",
    "tenants_usageday",
    "retrieval_chunk",
    "conversations_followupitem",
    "conversations_evaluationresult",
    "conversations_whatifdifference",
)


@dataclass(frozen=True, slots=True)
class Size:
    """How many turns and documents the workspace has."""

    turns: int
    documents: int


def grow(tenant_id: UUID, size: Size) -> None:
    """Bring the workspace of the current scope up to that size; what is there already stays and counts."""
    corpora = _corpora(max(2, min(CORPORA, size.documents * CORPORA // 10_000)))
    if Turn.objects.count() >= size.turns and Document.objects.count() >= size.documents:
        return
    with transaction.atomic():
        _grown(tenant_id, size, corpora)
        work(tenant_id, size.turns)
    settle()


def _grown(tenant_id: UUID, size: Size, corpora: list[UUID]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("set local synchronous_commit = off")
        there, documents = Turn.objects.count(), Document.objects.count()
        values: dict[str, Any] = {
            "tenant": tenant_id,
            "first": there // TURNS_A_CONVERSATION,
            "last": -(-size.turns // TURNS_A_CONVERSATION) - 1,
            "each": TURNS_A_CONVERSATION,
            "days": DAYS,
            "from_document": documents,
            "to_document": size.documents - 1,
            "corpora": corpora,
        }
        for statement in (_PEOPLE, _SESSIONS, _TURNS, _TRACES, _JUDGEMENTS, _ENTRIES, _DOCUMENTS):
            cursor.execute(statement, values)


def settle() -> None:
    """What autovacuum has done by the time that somebody looks. A scope would open a transaction."""
    with no_scope(), connection.cursor() as cursor:
        for table in _TABLES:
            cursor.execute(f"vacuum (analyze) {table}")


def _corpora(wanted: int) -> list[UUID]:
    """Shelves that everyone may read, each for an audience of its own besides."""
    found: list[Any] = list(Corpus.objects.order_by("name"))
    everyone = Audience.objects.get(slug=Audience.EVERYONE).group_id
    while len(found) < wanted:
        corpus = corpus_create(name=f"Shelf {len(found)}")
        readers = audience_create(name=f"Readers of shelf {len(found)}")
        for group in (everyone, readers.group_id):
            corpus_grant(corpus_id=corpus.id, group_id=group)
        found.append(corpus)
    return [corpus.id for corpus in found]


_PEOPLE = """
insert into tenants_enduser (id, tenant_id, subject, kind, name, created_at)
select gen_random_uuid(), %(tenant)s, 'bench:' || c, case when c %% 10 = 0 then 'identified' else 'anonymous' end, 'Reader ' || c, now()
from generate_series(%(first)s, %(last)s) as c where c %% 5 = 0
"""
_SESSIONS = f"""
insert into conversations_session (
    id, tenant_id, end_user_id, opened_by, title, turn_count, event_seq, last_exchange, memory_turn, created_at,
    updated_at
)
select gen_random_uuid(), %(tenant)s, u.id, 'bench-' || c, 'Loans at branch ' || (c %% 97), %(each)s, 0, 0, 0, at, at
from generate_series(%(first)s, %(last)s) as c
join tenants_enduser u on u.tenant_id = %(tenant)s and u.subject = 'bench:' || (c - c %% 5)
cross join lateral (select c as of, now() - {even("c")} * %(days)s * interval '1 day' as at) as when_
"""  # noqa: S608 (only shares of row numbers are put in)
_TURNS = f"""
insert into conversations_turn (
    id, tenant_id, session_id, n, client_id, message, state, attempts, stop_requested, kind, query, display, rewritten,
    verdict, answer, citations, engine, policy_version, prompt_versions, rating, rating_reason, created_at, finished_at
)
select gen_random_uuid(), %(tenant)s, s.id, n, 'c' || n,
       'How long can I keep book ' || md5(s.id::text || n) || '?',
       case when r < 0.01 then 'failed' else 'completed' end, 1, false,
       (array['follow_up', 'standalone', 'topic_shift', 'small_talk', 'correction'])[1 + (n %% 5)],
       'How long can book ' || md5(s.id::text || n) || ' be kept?', '', n %% 5 = 0,
       case when r < 0.01 then '' when r < 0.02 then 'contaminated' when r < 0.03 then 'invented'
            when r < 0.05 then 'diverged' else 'clean' end,
       repeat('Books are kept for three weeks and can be renewed twice [1]. ', 6),
       case when r > 0.93 then '[]'::jsonb else '[{{"n": 1, "title": "Loans", "heading_path": ["Loans"]}}]'::jsonb end,
       '{{"kind": "offline", "label": "Offline engine"}}', 1 + (n %% 3),
       jsonb_build_object('contextualize', 1 + (n %% 2), 'answer', 1),
       case when n %% 17 = 0 then 'down' when n %% 7 = 0 then 'up' else '' end, '', at, at + r * interval '6 s'
from conversations_session s
cross join generate_series(1, %(each)s) as n
cross join lateral (select split_part(s.opened_by, '-', 2)::int as c) as numbered
cross join lateral (
    select {even("c * %(each)s + n")} as r, s.created_at + n * interval '40 s' as at
) as drawn
where s.tenant_id = %(tenant)s and c between %(first)s and %(last)s
"""  # noqa: S608 (only shares of row numbers are put in)
_TRACES = """
insert into conversations_turntrace (id, tenant_id, turn_id, data, created_at)
select gen_random_uuid(), %(tenant)s, t.id,
       jsonb_build_object(
           'memory', jsonb_build_object('turn', t.n, 'slots', slots.five),
           'classification', jsonb_build_object('kind', t.kind, 'topic_shift', t.kind = 'topic_shift'),
           'scope', jsonb_build_object(
               'antecedent', greatest(t.n - 3, 1), 'closed', jsonb_build_array(slots.five -> 0), 'slots', slots.five),
           'ruling', jsonb_build_object('offending', jsonb_build_array('Brampton'))),
       t.created_at
from (
    select id, n, kind, created_at from conversations_turn t
    where tenant_id = %(tenant)s and not exists (select from conversations_turntrace x where x.turn_id = t.id)
    order by created_at desc limit 2000
) as t
cross join lateral (
    select jsonb_agg(jsonb_build_object(
        'id', 's' || i, 'name', 'Branch ' || i, 'type', 'place', 'status', 'live', 'introduced_turn', 1,
        'last_mention_turn', greatest(t.n - i, 1), 'superseded_by', null,
        'notes', (select string_agg(md5(t.id::text || i || j), ' ') from generate_series(1, 24) as j)))
    from generate_series(1, 5) as i
) as slots (five)
"""
_JUDGEMENTS = """
insert into conversations_turnjudgement (id, tenant_id, turn_id, judgement, note, at)
select gen_random_uuid(), %(tenant)s, t.id, (array['confirmed', 'dismissed'])[1 + t.n %% 2], '', t.created_at
from conversations_turn t
where t.tenant_id = %(tenant)s and t.verdict in ('contaminated', 'invented', 'diverged') and t.n %% 3 = 0
  and not exists (select from conversations_turnjudgement x where x.turn_id = t.id)
"""
_ENTRIES = """
insert into tenants_auditentry (
    id, tenant_id, seq, at, actor, actor_id, actor_label, action, target, data, previous, hash
)
select gen_random_uuid(), %(tenant)s, 1000000 + c, now() - (%(last)s - c) * interval '1 minute',
       (array['user', 'key', 'system'])[1 + c %% 3], '', 'librarian' || (c %% 40) || '@library.example',
       (array['document.uploaded', 'document.deleted', 'key.created'])[1 + c %% 3], 'bench', '{"name": "Loans"}', '', ''
from generate_series(%(first)s, %(last)s) as c
"""
_DOCUMENTS = """
insert into retrieval_document (
    tenant_id, id, corpus_id, title, title_is_given, filename, content_type, content_hash, size, blob_key, tags,
    restricted, state, progress, reason_code, reason, chunk_count, generation, attempt, failures, found, slices,
    queued_at, uploaded_at, created_at, updated_at, language, source_url, source_etag, source_modified, fetch_due, notes
)
select %(tenant)s, gen_random_uuid(), (%(corpora)s::uuid[])[1 + c %% cardinality(%(corpora)s::uuid[])],
       'Loan rules ' || c, false, 'rules-' || c || '.md', 'text/markdown', md5(c::text), 1200, '', '{loans}',
       c %% 29 = 0, case when c %% 50 = 0 then 'failed' else 'indexed' end, 1, '',
       case when c %% 50 = 0 then 'Damaged.' else '' end, 12, 1, 1, 0, '{}', 0,
       at, at, at, at, '', '', '', '', false, '{}'
from generate_series(%(from_document)s, %(to_document)s) as c
cross join lateral (select now() - c * interval '7 minutes' as at) as when_
"""
