-- By own grants, by granted corpora, or all: each through an index of its own. The grants come first ("offset 0"):
-- the planner, which knows no sizes here, would compare each with every document of the corpus.
select d.id, d.generation, d.chunk_count as passages, d.language, c.space_id, d.corpus_id, c.language as spoken
from granted_documents g
cross join lateral (
    select d.id, d.generation, d.chunk_count, d.language, d.corpus_id
    from retrieval_document d
    where d.tenant_id = %(tenant_id)s::uuid and d.id = g.id and d.generation > 0 {filters}
    offset 0
) d
join corpora c on c.id = d.corpus_id
where not %(sees_all)s::boolean
union all
select d.id, d.generation, d.chunk_count, d.language, c.space_id, d.corpus_id, c.language
from corpora c
join retrieval_document d on d.tenant_id = %(tenant_id)s::uuid and d.corpus_id = c.id
where (
        %(sees_all)s::boolean
        or (
            not d.restricted
            and c.id in (select g.id from granted_corpora g)
            and d.id not in (select g.id from granted_documents g)
        )
    )
  and d.generation > 0 {filters}
