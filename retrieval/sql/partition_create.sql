-- A home of its own for the vectors of one space of one tenant, behind the same wall. Empty when it is attached,
-- and without a default partition beside it, so that attaching reads nothing.
create table {partition} (
    like retrieval_chunkembedding including defaults including storage including constraints,
    constraint home_of_one check (home = '{space_id}' and space_id = '{space_id}' and tenant_id = '{tenant_id}')
);
alter table {partition} enable row level security;
alter table {partition} force row level security;
create policy tenant_wall on {partition}
    using (tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('antecedent.tenant_id', true), '')::uuid);
alter table retrieval_chunkembedding attach partition {partition} for values in ('{space_id}')
