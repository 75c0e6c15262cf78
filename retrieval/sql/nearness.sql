-- How near a vector comes to some passages, or to one up to two places beside each, as a cosine: in one round trip.
-- Lines of "--+" are where the adapter puts the parts. From the few that are asked for outwards: "offset 0" keeps the
-- planner, which knows no sizes here, from starting at all documents or passages.
--
-- 1. asked, seen: where the passages stand, and which of their documents the asker may see now in this space.
-- 2. beside: the passages of the published generation that count, each once, with the asked ones that it counts for.
-- 3. near: the cosine of each of those.
-- There is always a row, which tells where the vectors are: one without a passage when there is nothing to tell.
with
--+visible_rights
,
asked as materialized (
    select c.id, c.document_id, c.generation, c.ordinal, c.text
    from (select distinct i.id from unnest(%(chunk_ids)s::uuid[]) i (id)) i
    cross join lateral (
        select c.id, c.document_id, c.generation, c.ordinal, c.text
        from retrieval_chunk c
        where c.tenant_id = %(tenant_id)s::uuid and c.id = i.id
        offset 0
    ) c
),
seen as materialized (
    select d.id, d.generation
    from (select distinct a.document_id as id from asked a) a
    cross join lateral (
        select d.tenant_id, d.id, d.corpus_id, d.restricted, d.generation
        from retrieval_document d
        where d.tenant_id = %(tenant_id)s::uuid and d.id = a.id
        offset 0
    ) d
    where (
              select coalesce(k.space_id, %(space_id)s::uuid)
              from retrieval_corpus k
              where k.tenant_id = %(tenant_id)s::uuid and k.id = d.corpus_id
          ) = %(space_id)s::uuid
      and (
          --+visible_document
      )
),
beside as materialized (
    select n.id as chunk_id, array_agg(a.id) as asked_ids
    from asked a
    join seen s on s.id = a.document_id and s.generation = a.generation
    cross join lateral (
        select n.id
        from retrieval_chunk n
        where n.tenant_id = %(tenant_id)s::uuid and n.document_id = a.document_id and n.generation = a.generation
          and n.ordinal between a.ordinal - 2 and a.ordinal + 2
        offset 0
    ) n
    group by n.id
),
near as materialized (
    select f.chunk_id, f.asked_ids, 1 - (v.embedding <=> %(vector)s::halfvec) as cosine
    from beside f
    cross join lateral (
        --+scored
    ) v
    where v.space_id = %(space_id)s::uuid
)
select w.told, p.id, p.cosine, a.text
from (
    select (
        select
        --+told
        from retrieval_embeddingspace s
        where s.tenant_id = %(tenant_id)s::uuid and s.id = %(space_id)s::uuid
    ) as told
) w
left join (
    select a.id, max(n.cosine) as cosine
    from near n
    cross join unnest(n.asked_ids) a (id)
    group by a.id
    having bool_or(n.chunk_id = a.id)
) p on true
left join asked a on a.id = p.id
