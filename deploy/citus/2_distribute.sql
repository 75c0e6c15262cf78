-- Distribute the schema by tenant. After 1_keys.sql, on the coordinator, as a superuser, with no traffic.
--
-- Tables of tenants lie together, shard by shard, by tenant_id: what one turn reads and writes is on one node.
-- What they refer to and what has no tenant (accounts, groups, permissions, tenants) is copied to every node.
-- Everything else (sessions of sign-ins, the log of migrations) stays on the coordinator.
begin;

-- Row-level security and the log that can only grow are triggers and policies of the tables; Citus wants to be told
-- that triggers may run on the shards. Theirs read nothing but their own row.
set local citus.enable_unsafe_triggers = on;

do $$
declare
    step record;
    placed oid[] := '{}';
    progress boolean := true;
    first regclass;
begin
    create temporary table tenant_tables on commit drop as
    select c.oid, c.oid::regclass as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition;

    create temporary table copied on commit drop as
    with recursive referred (oid) as (
        select k.confrelid from pg_constraint k
        where k.contype = 'f' and k.conrelid in (select oid from tenant_tables)
            and k.confrelid not in (select oid from tenant_tables)
        union
        select k.confrelid from pg_constraint k join referred r on r.oid = k.conrelid where k.contype = 'f'
    )
    select oid from referred;

    -- A table after those that it refers to.
    while progress loop
        progress := false;
        for step in
            select t.oid, t.oid::regclass as name, t.oid in (select oid from copied) as is_copied
            from (select oid from copied union all select oid from tenant_tables) t
            where t.oid <> all (placed) and not exists (
                select from pg_constraint k
                where k.contype = 'f' and k.conrelid = t.oid and k.confrelid <> t.oid and k.confrelid <> all (placed)
            )
            order by 3 desc, 2
        loop
            if step.is_copied then
                perform create_reference_table(step.name::text);
            elsif first is null then
                first := step.name;
                perform create_distributed_table(step.name::text, 'tenant_id', colocate_with => 'none');
            else
                perform create_distributed_table(step.name::text, 'tenant_id', colocate_with => first::text);
            end if;
            placed := placed || step.oid;
            progress := true;
        end loop;
    end loop;

    if exists (select from tenant_tables where oid <> all (placed)) then
        raise exception 'references in a circle: %',
            (select string_agg(name::text, ', ') from tenant_tables where oid <> all (placed));
    end if;
end
$$;

commit;
