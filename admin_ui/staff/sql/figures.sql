-- $1 the tenant, $2 {"since"}: turns are counted from then on.
select jsonb_build_object(
    'members', (select count(*) from tenants_membership where tenant_id = $1 and until is null),
    'documents', (select count(*) from retrieval_document where tenant_id = $1),
    'turns', (
        select count(*) from conversations_turn
        where tenant_id = $1 and created_at >= ($2 ->> 'since')::timestamptz
    ),
    'last', (select max(updated_at) from conversations_session where tenant_id = $1)
)
