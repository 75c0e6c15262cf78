-- Hybrid search of one tenant in one round trip. Lines of "--+" are where the adapter puts what fits the tenant.
--
-- 1. permitted: the documents that the asker may see now and that the filters leave. A restricted document needs
--    a grant of its own; any other is also visible by a grant on its corpus. All ranking happens inside this set.
-- 2. spaces: where the vectors are at this moment; the caller checks it against what it assumed.
-- 3. nearest, dense: cosine ranking in every space, exact or by index, for each query with a dense weight.
-- 4. lexical: full-text ranking with any of the query's words, in the language of each document.
-- 5. fused: of each ranking a share of its weight, by place or by score (retrieval.domain.fusion is its definition).
-- There is always a row: one without a passage when nothing was found.
with
--+granted
,
corpora as materialized (
    select c.id, c.language, coalesce(c.space_id, %(space_id)s::uuid) as space_id
    from retrieval_corpus c
    where c.tenant_id = %(tenant_id)s::uuid
      and (cardinality(%(corpus_ids)s::uuid[]) = 0 or c.id = any(%(corpus_ids)s::uuid[]))
),
permitted as materialized (
    --+permitted
),
spaces as materialized (
    select
    --+told
    as told
    from retrieval_embeddingspace s
    where s.tenant_id = %(tenant_id)s::uuid
      and s.id in (
          select c.space_id from corpora c
          where exists (
              select from retrieval_document d
              where d.tenant_id = %(tenant_id)s::uuid and d.corpus_id = c.id and d.generation > 0
          )
      )
),
queries as materialized (
    select q.number, q.text, q.lexical_weight, q.every_word
    from unnest(%(texts)s::text[], %(lexical_weights)s::float8[], %(every_word)s::boolean[])
        with ordinality as q (text, lexical_weight, every_word, number)
),
vectors as materialized (
    select v.number, v.space_id, v.weight, v.vector::halfvec as vector
    from unnest(
        %(vector_numbers)s::bigint[], %(vector_spaces)s::uuid[], %(vector_weights)s::float8[], %(vectors)s::text[]
    ) as v (number, space_id, weight, vector)
),
nearest as materialized (
    --+nearest
),
dense as materialized (
    select n.number, n.weight, n.chunk_id,
           row_number() over (partition by n.number, n.space_id order by n.distance, n.chunk_id) as rank
    from nearest n
),
worded as materialized (
    --+worded
),
lexical_queries as materialized (
    -- Any word counts, not all of them: a question has words that no passage repeats. A code counts as a whole.
    select q.number, q.lexical_weight as weight, l.language,
           case when q.every_word then plainto_tsquery(l.language::regconfig, q.text)
                else replace(plainto_tsquery(l.language::regconfig, q.text)::text, ' & ', ' | ')::tsquery
           end as query
    from queries q
    cross join (select distinct w.language from worded w) l
    where q.lexical_weight > 0
),
lexical as materialized (
    -- What holds a code holds all of it, however long the passage is: such a query ranks by place.
    select n.weight, n.chunk_id, n.score, n.rank,
           case when q.every_word then (%(rrf_k)s::integer + 1) / (%(rrf_k)s::integer + n.rank)::float8
                else n.score / n.best
           end as share
    from queries q
    cross join lateral (
        select m.weight, m.chunk_id, m.score, max(m.score) over () as best,
               row_number() over (order by m.score desc, m.chunk_id) as rank
        from (
            --+matching
        ) m
    ) n
    where q.lexical_weight > 0
),
fused as materialized (
    select chunk_id,
           sum(weight * share) as score,
           min(rank) filter (where kind = 'dense') as dense_rank,
           min(rank) filter (where kind = 'lexical') as lexical_rank,
           max(lexical_score) as lexical_score
    from (
        select 'dense' as kind, weight, chunk_id, rank, null::float8 as lexical_score,
               (%(rrf_k)s::integer + 1) / (%(rrf_k)s::integer + rank)::float8 as share
        from dense where rank <= %(candidates)s::bigint
        union all
        select 'lexical', weight, chunk_id, rank, score, share from lexical
    ) rankings
    group by chunk_id
    order by score desc, chunk_id
    limit %(limit)s::bigint
),
hits as materialized (
    -- From the few that were fused outwards: "offset 0" keeps the planner from starting at all permitted ones.
    select c.id, d.id as document_id, d.corpus_id, d.title, d.filename, c.heading_path, c.page, c.ordinal, c.text,
           c.token_count, f.dense_rank, s.dense_score, f.lexical_rank, f.lexical_score, f.score
    from fused f
    cross join lateral (
        select c.* from retrieval_chunk c where c.tenant_id = %(tenant_id)s::uuid and c.id = f.chunk_id offset 0
    ) c
    cross join lateral (
        select d.id, d.corpus_id, d.title, d.filename, k.space_id
        from retrieval_document d
        join corpora k on k.id = d.corpus_id
        where d.tenant_id = %(tenant_id)s::uuid and d.id = c.document_id
        offset 0
    ) d
    left join lateral (
        -- The best cosine of every hit, those found by words alone included: it decides whether it is relevant.
        select max(1 - (v.embedding <=> q.vector)) as dense_score
        from vectors q
        join (
            --+scored
        ) v on v.space_id = q.space_id
        where q.space_id = d.space_id
    ) s on true
)
select h.*, w.spaces, w.least_found
from (
    select array(select told from spaces) as spaces,
           -- An index that returned less than there is has missed something.
           (select min(n.found) from (
               select (select count(*) from nearest n where n.number = v.number and n.space_id = v.space_id) as found
               from vectors v
           ) n) as least_found
) w
left join hits h on true
order by h.score desc, h.id
