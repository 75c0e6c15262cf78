-- $1 the tenant, $2 {"documents", "turns"}: the states in which each of them waits.
select jsonb_build_object('documents', documents.depth, 'turns', turns.depth, 'oldest', least(documents.oldest, turns.oldest))
from (
    select count(*) as depth, min(queued_at) as oldest from retrieval_document
    where tenant_id = $1 and state in (select jsonb_array_elements_text($2 -> 'documents'))
) as documents, (
    select count(*) as depth, min(created_at) as oldest from conversations_turn
    where tenant_id = $1 and state in (select jsonb_array_elements_text($2 -> 'turns'))
) as turns
