-- Verdicts by day (UTC), and by kind of turn and versions over all the days, from an index alone. Each day is a range of
-- that index: sorting a hundred thousand turns into days by their time costs more than all the rest. Rows of the second
-- sort have no day.
with cells as materialized (
    select
        days.day::date as day, found.verdict, found.kind, found.policy_version as policy,
        coalesce(found.contextualize_version, 0) as prompt, found.turns
    from generate_series(%(first)s::date::timestamp, %(last)s::date::timestamp, interval '1 day') as days (day)
    cross join lateral (
        select t.verdict, t.kind, t.policy_version, t.contextualize_version, count(*) as turns
        from conversations_turn t
        where t.tenant_id = %(tenant_id)s
          and t.created_at >= days.day at time zone 'UTC'
          and t.created_at < (days.day + interval '1 day') at time zone 'UTC'
          and t.verdict <> ''
        group by t.verdict, t.kind, t.policy_version, t.contextualize_version
    ) as found
)
select day, kind, policy, prompt, verdict, sum(turns)::integer
from cells
group by grouping sets ((day, verdict), (kind, policy, prompt, verdict))
