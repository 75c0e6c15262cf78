-- The role of a person in the tenant, if they have one at this moment, and the groups of the audiences they are in.
with member as materialized (
    select m.role
    from tenants_membership m
    where m.tenant_id = %(tenant_id)s::uuid and m.user_id = %(user_id)s::integer
      and (m.until is null or m.until > %(moment)s::timestamptz)
)
select (select m.role from member m),
       array(
           select a.group_id
           from tenants_audience a
           where a.tenant_id = %(tenant_id)s::uuid
             and (
                 (a.builtin and (a.slug = 'everyone' or (a.slug = 'members' and exists (select from member))))
                 or a.id in (
                     select e.audience_id
                     from tenants_enduseraudience e
                     where e.tenant_id = %(tenant_id)s::uuid and e.end_user_id = %(end_user_id)s::uuid
                 )
             )
           order by a.group_id
       )
