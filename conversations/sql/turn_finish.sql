-- A turn's end, all or nothing: its outcome, its trace, what the session remembers and the exchange itself, and the
-- lease given back. Nothing at all, and no row, when the lease was lost: then another process's outcome counts.
-- What is null stays as it is; what an earlier attempt left makes room. The row says whether a later turn has
-- come meanwhile: this one is the last that the session has counted, or it is not.
with held as (
    update conversations_session s
    set lease_token = null,
        lease_until = null,
        event_seq = greatest(s.event_seq, %(event_seq)s::bigint),
        last_exchange = coalesce(%(exchange_n)s::integer, s.last_exchange),
        last_turn_at = case when %(exchange_n)s::integer is null then s.last_turn_at else %(moment)s::timestamptz end
    where s.tenant_id = %(tenant_id)s::uuid and s.id = %(session_id)s::uuid and s.lease_token = %(lease)s::uuid
    returning s.turn_count
),
ended as (
    update conversations_turn t
    set (state, kind, query, display, rewritten, verdict, answer, citations, engine, notice, error, policy_version,
         prompt_versions, finished_at) = (
        select r.state, r.kind, r.query, r.display, r.rewritten, r.verdict, r.answer, r.citations, r.engine,
               r.notice, r.error, r.policy_version, r.prompt_versions, %(moment)s::timestamptz
        from jsonb_populate_record(t, %(outcome)s::jsonb) r
    )
    where t.tenant_id = %(tenant_id)s::uuid and t.id = %(turn_id)s::uuid and exists (select from held)
),
retraced as (
    update conversations_turntrace r
    set data = %(trace)s::jsonb, created_at = %(moment)s::timestamptz
    where r.tenant_id = %(tenant_id)s::uuid and r.turn_id = %(turn_id)s::uuid
      and %(trace)s::jsonb is not null and exists (select from held)
),
traced as (
    insert into conversations_turntrace (id, tenant_id, turn_id, data, created_at)
    select %(trace_id)s::uuid, %(tenant_id)s::uuid, %(turn_id)s::uuid, %(trace)s::jsonb, %(moment)s::timestamptz
    from held
    where %(trace)s::jsonb is not null
      and not exists (
          select from conversations_turntrace r
          where r.tenant_id = %(tenant_id)s::uuid and r.turn_id = %(turn_id)s::uuid
      )
),
remembered as (
    update conversations_sessionstate r
    set version = %(version)s::integer, data = %(state)s::jsonb
    where r.tenant_id = %(tenant_id)s::uuid and r.session_id = %(session_id)s::uuid
      and r.version < %(version)s::integer and exists (select from held)
),
first_remembered as (
    insert into conversations_sessionstate (id, tenant_id, session_id, version, data)
    select %(state_id)s::uuid, %(tenant_id)s::uuid, %(session_id)s::uuid, %(version)s::integer, %(state)s::jsonb
    from held
    where %(state)s::jsonb is not null
      and not exists (
          select from conversations_sessionstate r
          where r.tenant_id = %(tenant_id)s::uuid and r.session_id = %(session_id)s::uuid
      )
),
archived as (
    insert into conversations_archivedexchange (id, tenant_id, session_id, turn_id, n, keys, vector, data)
    select %(archive_id)s::uuid, %(tenant_id)s::uuid, %(session_id)s::uuid, %(turn_id)s::uuid,
           %(exchange_n)s::integer, %(keys)s::text[], %(vector)s::bytea, %(exchange)s::jsonb
    from held
    where %(exchange_n)s::integer is not null
    on conflict (tenant_id, session_id, n)
    do update set turn_id = excluded.turn_id, keys = excluded.keys, vector = excluded.vector, data = excluded.data
)
select h.turn_count > %(n)s::integer from held h
