-- The passages that are ranked by words: all that are permitted, or, where those are too many, the nearest ones.
-- No index helps here: row-level security lets only leakproof operators use one, and full text has none.
select p.id as document_id, p.generation, null::uuid as chunk_id,
       coalesce(nullif(p.language, ''), p.spoken) as language
from permitted p
where (select sum(p.passages) from permitted p) <= %(wordy)s::bigint
union all
{near}
