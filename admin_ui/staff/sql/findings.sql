-- $1 the tenant, $2 {"state", "since", "severities", "limit", "after"}: the gravest first, then the newest; "after" is
-- null or the place {"rank", "at", "id"} to go on from. With them the findings by state, and the checks since that day.
select jsonb_build_object(
    'counts', (
        select coalesce(jsonb_object_agg(state, n), '{}')
        from (select state, count(*) as n from conversations_finding where tenant_id = $1 group by state) as counted
    ),
    'checks', (
        select coalesce(jsonb_agg(jsonb_build_array(day, kind, checks)), '[]')
        from conversations_leakagecheckday where tenant_id = $1 and day >= ($2 ->> 'since')::date
    ),
    'found', (
        select coalesce(jsonb_agg(to_jsonb(found) order by rank, created_at desc, id desc), '[]')
        from (
            select id, kind, severity, state, "where", turn, owner_id, created_at, rank
            from (
                select *, (
                    select place from jsonb_array_elements_text($2 -> 'severities') with ordinality as known (name, place)
                    where name = severity
                ) as rank
                from conversations_finding where tenant_id = $1 and state = $2 ->> 'state'
            ) as ranked
            where jsonb_typeof($2 -> 'after') = 'null'
                or rank > ($2 -> 'after' ->> 'rank')::int
                or rank = ($2 -> 'after' ->> 'rank')::int and (created_at, id)
                    < (($2 -> 'after' ->> 'at')::timestamptz, ($2 -> 'after' ->> 'id')::uuid)
            order by rank, created_at desc, id desc
            limit ($2 ->> 'limit')::int
        ) as found
    )
)
