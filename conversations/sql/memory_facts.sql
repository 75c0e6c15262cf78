-- Of a session's ledger what a turn may draw on, the newest first: facts that hold, or were corrected a moment ago,
-- and share a word with what is open or are the person's own statements. Without words: the newest of all.
select f.entity, f.key, f.fact, f.value, f.turn, f.attribute, f.said_by, f.kind, f.chunks, f.replaced_in
from conversations_ledgerfact f
join conversations_session s on s.tenant_id = f.tenant_id and s.id = f.session_id
where f.tenant_id = %(tenant_id)s::uuid and f.session_id = %(session_id)s::uuid
  and (f.replaced_in = 0 or f.replaced_in > s.memory_turn - %(recently)s::integer)
  and (cardinality(%(words)s::text[]) = 0 or f.words && %(words)s::text[] or f.said_by = 'user')
order by f.position desc
limit %(most)s::integer
