-- Keys that Citus can distribute by tenant. For a schema that is migrated and not yet distributed, run as its owner:
-- nothing but the catalog is read, so a table that a later version adds is treated like all others.
--
-- Why: in a distributed table every unique key, the primary one included, and every reference to another distributed
-- table has to hold the column it is distributed by. The product's own keys do: (tenant_id, id) is unique everywhere,
-- and references are composite. Django's, by id alone, stand beside them and go here. Ids are random or generated, so
-- nothing that the application relies on is lost; it never learns of it.
begin;

do $$
declare
    found record;
begin
    create temporary table tenant_tables on commit drop as
    select c.oid, c.oid::regclass as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition;

    create temporary table loose on commit drop as
    select k.oid, k.conrelid::regclass as owner, k.conname, k.contype, k.conkey, k.conindid
    from pg_constraint k join tenant_tables t on t.oid = k.conrelid
    where not exists (
        select from pg_attribute a
        where a.attrelid = k.conrelid and a.attnum = any (k.conkey) and a.attname = 'tenant_id'
    ) and (
        k.contype in ('p', 'u') or (k.contype = 'f' and k.confrelid in (select oid from tenant_tables))
    );

    -- References first: they hang on the keys.
    for found in select * from loose where contype = 'f' loop
        -- Its composite twin has to be there, or a row could point at nothing.
        if not exists (
            select from pg_constraint twin join pg_constraint own on own.oid = found.oid
            where twin.contype = 'f' and twin.conrelid = own.conrelid and twin.confrelid = own.confrelid
                and twin.conkey @> own.conkey and twin.oid <> own.oid and cardinality(twin.conkey) = 2
        ) then
            raise exception '% of % has no composite twin', found.conname, found.owner;
        end if;
        execute format('alter table %s drop constraint %I', found.owner, found.conname);
    end loop;

    for found in select * from loose where contype = 'p' loop
        execute format('alter table %s drop constraint %I', found.owner, found.conname);
        -- Rows are still told apart, for moving shards too.
        execute format('alter table %s replica identity using index %I', found.owner, found.owner || '_tenant_key');
    end loop;

    for found in
        select l.owner, l.conname, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
        from loose l join pg_attribute a on a.attrelid = l.owner and a.attnum = any (l.conkey)
        where l.contype = 'u' group by 1, 2
    loop
        execute format('alter table %s drop constraint %I', found.owner, found.conname);
        execute format(
            'alter table %s add constraint %I unique (tenant_id, %s)', found.owner, found.conname, found.columns
        );
    end loop;
end
$$;

commit;
