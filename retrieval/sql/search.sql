-- Hybrid search of one tenant in one round trip.
--
-- 1. permitted: the documents that the asker may see now and that the filters leave. A restricted document needs
--    a grant of its own; any other is also visible by a grant on its corpus. All ranking happens inside this set.
-- 2. dense: exact cosine ranking of every vector of the permitted documents, for each query with a dense weight.
-- 3. lexical: full-text ranking with any of the query's words, in the language of each corpus.
-- 4. fused: weighted reciprocal rank fusion of all rankings (retrieval.domain.fusion is its definition).
with
granted_corpora as materialized (
    select g.content_object_id as id
    from retrieval_corpususerpermission g
    join auth_permission p on p.id = g.permission_id and p.codename = 'view_corpus'
    where g.tenant_id = %(tenant_id)s and g.user_id = %(user_id)s
    union
    select g.content_object_id
    from retrieval_corpusgrouppermission g
    join auth_permission p on p.id = g.permission_id and p.codename = 'view_corpus'
    where g.tenant_id = %(tenant_id)s and g.group_id = any(%(group_ids)s::integer[])
),
granted_documents as materialized (
    select g.content_object_id as id
    from retrieval_documentuserpermission g
    join auth_permission p on p.id = g.permission_id and p.codename = 'view_document'
    where g.tenant_id = %(tenant_id)s and g.user_id = %(user_id)s
    union
    select g.content_object_id
    from retrieval_documentgrouppermission g
    join auth_permission p on p.id = g.permission_id and p.codename = 'view_document'
    where g.tenant_id = %(tenant_id)s and g.group_id = any(%(group_ids)s::integer[])
),
permitted as materialized (
    select d.id, d.generation, c.language
    from retrieval_document d
    join retrieval_corpus c on c.tenant_id = d.tenant_id and c.id = d.corpus_id
    where d.tenant_id = %(tenant_id)s
      and d.generation > 0
      and (
          %(sees_all)s
          or d.id in (select id from granted_documents)
          or (not d.restricted and d.corpus_id in (select id from granted_corpora))
      )
      and (cardinality(%(corpus_ids)s::uuid[]) = 0 or d.corpus_id = any(%(corpus_ids)s::uuid[]))
      and (cardinality(%(document_ids)s::uuid[]) = 0 or d.id = any(%(document_ids)s::uuid[]))
      and (cardinality(%(tags)s::text[]) = 0 or d.tags && %(tags)s::varchar[])
      and (%(uploaded_from)s::timestamptz is null or d.uploaded_at >= %(uploaded_from)s)
      and (%(uploaded_until)s::timestamptz is null or d.uploaded_at < %(uploaded_until)s)
),
queries as materialized (
    select q.number, q.text, q.dense_weight, q.lexical_weight, q.vector::halfvec as vector
    from unnest(
        %(texts)s::text[], %(dense_weights)s::float8[], %(lexical_weights)s::float8[], %(vectors)s::text[]
    ) with ordinality as q (text, dense_weight, lexical_weight, vector, number)
),
dense as materialized (
    select q.number, q.dense_weight as weight, n.chunk_id, n.rank
    from queries q
    cross join lateral (
        select e.chunk_id, row_number() over (order by e.distance, e.chunk_id) as rank
        from (
            select v.chunk_id, v.embedding <=> q.vector as distance
            from retrieval_chunkembedding v
            join permitted p on p.id = v.document_id and p.generation = v.generation
            where v.tenant_id = %(tenant_id)s
              and v.space_id = %(space_id)s
              and v.chunk_id <> all (%(excluded)s::uuid[])
            order by distance, v.chunk_id
            limit %(candidates)s
        ) e
    ) n
    where q.vector is not null
),
lexical_queries as materialized (
    -- Any word counts, not all of them: a question has words that no passage repeats.
    select q.number, q.lexical_weight as weight, l.language,
           replace(plainto_tsquery(l.language::regconfig, q.text)::text, ' & ', ' | ')::tsquery as query
    from queries q
    cross join (select distinct language from permitted) l
    where q.lexical_weight > 0
),
lexical as materialized (
    select q.number, n.weight, n.chunk_id, n.score, n.rank
    from queries q
    cross join lateral (
        select m.weight, m.chunk_id, m.score, row_number() over (order by m.score desc, m.chunk_id) as rank
        from (
            select lq.weight, c.id as chunk_id, ts_rank(c.tsv, lq.query, 1) as score
            from lexical_queries lq
            join permitted p on p.language = lq.language
            join retrieval_chunk c
              on c.tenant_id = %(tenant_id)s and c.document_id = p.id and c.generation = p.generation
            where lq.number = q.number
              and numnode(lq.query) > 0
              and c.tsv @@ lq.query
              and c.id <> all (%(excluded)s::uuid[])
            order by score desc, c.id
            limit %(candidates)s
        ) m
    ) n
    where q.lexical_weight > 0
),
fused as materialized (
    select chunk_id,
           sum(weight / (%(rrf_k)s + rank)) as score,
           min(rank) filter (where kind = 'dense') as dense_rank,
           min(rank) filter (where kind = 'lexical') as lexical_rank,
           max(lexical_score) as lexical_score
    from (
        select 'dense' as kind, weight, chunk_id, rank, null::float8 as lexical_score from dense
        union all
        select 'lexical', weight, chunk_id, rank, score from lexical
    ) rankings
    group by chunk_id
    order by score desc, chunk_id
    limit %(limit)s
)
select c.id, d.id, d.corpus_id, d.title, d.filename, c.heading_path, c.page, c.ordinal, c.text, c.token_count,
       f.dense_rank, s.dense_score, f.lexical_rank, f.lexical_score, f.score
from fused f
join retrieval_chunk c on c.tenant_id = %(tenant_id)s and c.id = f.chunk_id
join retrieval_document d on d.tenant_id = %(tenant_id)s and d.id = c.document_id
left join lateral (
    -- The best cosine of every hit, those found by words alone included: it decides whether a hit is relevant.
    select max(1 - (v.embedding <=> q.vector)) as dense_score
    from retrieval_chunkembedding v
    cross join queries q
    where v.tenant_id = %(tenant_id)s
      and v.space_id = %(space_id)s
      and v.chunk_id = c.id
      and q.vector is not null
) s on true
order by f.score desc, c.id
