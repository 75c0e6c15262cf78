"""Whatever is done to an audit log by SQL, by somebody with every right and without the key, is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tenants.audit_chain import Reason
from tenants.models import AuditEntry, AuditHead
from tenants.scoping import tenant_scope
from tenants.selectors.audit import audit_verify
from tenants.services.audit import audit_record
from tests.integration.tenants.meddling import Meddler, guessed_seal, meddler

pytestmark = pytest.mark.django_db(transaction=True)

EDITS = {
    "at": "at + interval '1 microsecond'",
    "actor": "'staff'",
    "actor_id": "'7'",
    "actor_label": "'somebody@else.example'",
    "action": "'key.created'",
    "target": "'another ward'",
    "data": """data || '{"beds": 9}'""",
    "previous": "repeat('0', 64)",
    "hash": "repeat('0', 64)",
    "id": "gen_random_uuid()",
}


@pytest.fixture
def sql(stack, tenant, rival) -> Iterator[Meddler]:
    """A hospital's log of eight entries and the rival's of as many."""
    for one in (tenant, rival):
        with tenant_scope(one.id):
            for number in range(2, 9):
                audit_record("ward.opened", target=f"ward {number}", beds=number)
    with meddler(stack) as opened:
        yield opened


@pytest.fixture
def found(tenant, sql) -> Callable[[], list[tuple[int, Reason]]]:
    def verified() -> list[tuple[int, Reason]]:
        with tenant_scope(tenant.id):
            return [(one.seq, one.reason) for one in audit_verify().broken]

    return verified


def test_it_finds_nothing_in_an_untouched_log(found, tenant):
    assert found() == []
    with tenant_scope(tenant.id):
        assert audit_verify().entries == 8


@pytest.mark.parametrize("column", [field.column for field in AuditEntry._meta.local_fields])
def test_its_every_column_is_covered(column):
    assert column in {*EDITS, "seq", "tenant_id"}


@pytest.mark.parametrize("column", EDITS)
def test_it_finds_edited_entries(found, sql, tenant, column):
    assert sql(
        f"update tenants_auditentry set {column} = {EDITS[column]} where tenant_id = %(t)s and seq in (1, 4, 8)",
        t=tenant.id,
    )
    assert {(1, Reason.CHANGED), (4, Reason.CHANGED), (8, Reason.CHANGED)} <= set(found())


def test_it_finds_an_edit_whose_own_hash_was_made_to_fit(found, sql, tenant):
    """The row after it still holds the hash that was."""
    rows = "tenants_auditentry where tenant_id = %(t)s and seq > 4"
    sql(f"create temp table later as select * from {rows}", t=tenant.id)
    sql("update tenants_auditentry set actor_label = 'x' where tenant_id = %(t)s and seq = 4", t=tenant.id)
    sql(f"delete from {rows}", t=tenant.id)
    sql.rehash(tenant.id, 4)
    sql("insert into tenants_auditentry select * from later")
    assert found() == [(5, Reason.UNLINKED)]


def test_it_finds_a_chain_that_was_made_to_fit_from_an_edit_to_its_end(found, sql, tenant):
    sql(
        "update tenants_auditentry set action = 'ward.closed' where tenant_id = %(t)s and seq = 3",
        t=tenant.id,
    )
    sql.rehash(tenant.id)
    assert found() == [(8, Reason.HEAD_DIFFERS)]
    sql.end_at(tenant.id, 8)
    assert found() == [(8, Reason.HEAD_FORGED)]


def test_it_finds_entries_deleted_in_the_middle(found, sql, tenant):
    sql("delete from tenants_auditentry where tenant_id = %(t)s and seq in (4, 5)", t=tenant.id)
    assert found() == [(4, Reason.MISSING)]


def test_it_finds_entries_deleted_and_the_rest_moved_up(found, sql, tenant):
    sql("delete from tenants_auditentry where tenant_id = %(t)s and seq = 4", t=tenant.id)
    for seq in range(5, 9):
        sql(
            "update tenants_auditentry set seq = seq - 1 where tenant_id = %(t)s and seq = %(s)s",
            t=tenant.id,
            s=seq,
        )
    sql.rehash(tenant.id)
    assert found() == [(8, Reason.TAIL_MISSING)]
    sql.end_at(tenant.id, 7)
    assert found() == [(7, Reason.HEAD_FORGED)]


def test_it_finds_a_deleted_beginning(found, sql, tenant):
    sql("delete from tenants_auditentry where tenant_id = %(t)s and seq = 1", t=tenant.id)
    assert found() == [(1, Reason.MISSING), (2, Reason.NOT_BEGUN)]


def test_it_finds_a_deleted_tail(found, sql, tenant):
    sql("delete from tenants_auditentry where tenant_id = %(t)s and seq > 5", t=tenant.id)
    assert found() == [(6, Reason.TAIL_MISSING)]


@pytest.mark.parametrize("seal", ["kept", "guessed", "emptied"])
def test_it_finds_a_deleted_tail_whose_head_was_turned_back_by_hand(found, sql, tenant, seal):
    sql("delete from tenants_auditentry where tenant_id = %(t)s and seq > 5", t=tenant.id)
    sql.end_at(tenant.id, 5)
    forged = {"kept": "seal", "guessed": f"'{guessed_seal('5')}'", "emptied": "''"}[seal]
    sql(f"update tenants_audithead set seal = {forged} where tenant_id = %(t)s", t=tenant.id)
    assert found() == [(5, Reason.HEAD_FORGED)]


def test_it_finds_that_every_entry_was_deleted(found, sql, tenant):
    sql("delete from tenants_auditentry where tenant_id = %(t)s", t=tenant.id)
    assert found() == [(1, Reason.TAIL_MISSING)]


def test_it_finds_that_the_whole_log_was_deleted(found, sql, tenant):
    for table in ("tenants_auditentry", "tenants_audithead"):
        sql(f"delete from {table} where tenant_id = %(t)s", t=tenant.id)
    assert found() == [(0, Reason.HEAD_MISSING)]


def test_it_finds_a_truncated_table(found, sql):
    sql("truncate tenants_auditentry")
    assert found() == [(1, Reason.TAIL_MISSING)]


def test_it_finds_a_log_that_began_anew_after_it_was_deleted(found, sql, tenant):
    for table in ("tenants_auditentry", "tenants_audithead"):
        sql(f"delete from {table} where tenant_id = %(t)s", t=tenant.id)
    with tenant_scope(tenant.id):
        audit_record("ward.opened", target="ward 9")
    assert found() == [(1, Reason.NOT_BEGUN), (1, Reason.MARKED)]


def insert(sql: Meddler, tenant, seq: int) -> None:
    """An invented entry: the row before it, copied under another number."""
    assert sql(
        """insert into tenants_auditentry (id, tenant_id, seq, at, actor, actor_id, actor_label, action, target, data,
           previous, hash)
           select gen_random_uuid(), tenant_id, %(s)s, at, actor, actor_id, actor_label, action, target, data, hash, hash
           from tenants_auditentry where tenant_id = %(t)s and seq = %(b)s""",
        t=tenant.id,
        s=seq,
        b=min(seq, 9) - 1 if seq > 1 else 1,
    )


def test_it_finds_an_invented_entry_at_the_end(found, sql, tenant):
    insert(sql, tenant, 9)
    sql.rehash(tenant.id, 9)
    assert found() == [(9, Reason.BEYOND_HEAD)]
    sql.end_at(tenant.id, 9)
    assert found() == [(9, Reason.HEAD_FORGED)]


def test_it_finds_an_entry_put_in_between(found, sql, tenant):
    sql("update tenants_auditentry set seq = seq + 100 where tenant_id = %(t)s and seq >= 5", t=tenant.id)
    sql("update tenants_auditentry set seq = seq - 99 where tenant_id = %(t)s and seq >= 100", t=tenant.id)
    insert(sql, tenant, 5)
    sql.rehash(tenant.id)
    assert found() == [(9, Reason.BEYOND_HEAD)]


@pytest.mark.parametrize("seq", [0, -3])
def test_it_finds_an_entry_put_before_the_first(found, sql, tenant, seq):
    insert(sql, tenant, seq)
    assert (seq, Reason.DOUBLED) in found()


def test_it_finds_a_number_that_is_there_twice(found, sql, tenant):
    sql("alter table tenants_auditentry drop constraint audit_seq_once_per_tenant")
    try:
        insert(sql, tenant, 4)
        assert (4, Reason.DOUBLED) in found()
    finally:
        sql("delete from tenants_auditentry")
        sql("alter table tenants_auditentry add constraint audit_seq_once_per_tenant unique (tenant_id, seq)")


def test_it_finds_two_entries_that_changed_places(found, sql, tenant):
    for before, after in ((4, 99), (5, 4), (99, 5)):
        sql(
            "update tenants_auditentry set seq = %(a)s where tenant_id = %(t)s and seq = %(b)s",
            t=tenant.id,
            a=after,
            b=before,
        )
    assert {(4, Reason.CHANGED), (5, Reason.CHANGED)} <= set(found())


def test_it_finds_an_entry_of_another_tenant(found, sql, tenant, rival):
    sql("delete from tenants_auditentry where tenant_id = %(t)s and seq = 4", t=tenant.id)
    sql(
        "update tenants_auditentry set tenant_id = %(t)s where tenant_id = %(r)s and seq = 4",
        t=tenant.id,
        r=rival.id,
    )
    assert {(4, Reason.CHANGED), (4, Reason.UNLINKED)} <= set(found())


def test_it_finds_a_whole_log_of_another_tenant(found, sql, tenant, rival):
    for table in ("tenants_auditentry", "tenants_audithead"):
        sql(f"delete from {table} where tenant_id = %(t)s", t=tenant.id)
        sql(f"update {table} set tenant_id = %(t)s where tenant_id = %(r)s", t=tenant.id, r=rival.id)
    assert (8, Reason.HEAD_FORGED) in found()
    sql.rehash(tenant.id)
    sql.end_at(tenant.id, 8)
    assert found() == [(8, Reason.HEAD_FORGED)]


def test_it_finds_an_old_head_that_was_put_back(found, sql, tenant):
    old = sql.rows("select seq, hash, seal from tenants_audithead where tenant_id = %(t)s", t=tenant.id)[0]
    with tenant_scope(tenant.id):
        audit_record("ward.closed", target="ward 2")
    sql(
        "update tenants_audithead set seq = %(seq)s, hash = %(hash)s, seal = %(seal)s where tenant_id = %(t)s",
        t=tenant.id,
        **old,
    )
    assert found() == [(9, Reason.BEYOND_HEAD)]


def test_it_finds_a_log_put_back_as_a_whole_by_its_anchor(found, sql, tenant):
    old = sql.rows("select seq, hash, seal from tenants_audithead where tenant_id = %(t)s", t=tenant.id)[0]
    with tenant_scope(tenant.id):
        audit_record("ward.closed", target="ward 2")
        anchor = audit_verify().anchor
    sql("delete from tenants_auditentry where tenant_id = %(t)s and seq = 9", t=tenant.id)
    sql(
        "update tenants_audithead set seq = %(seq)s, hash = %(hash)s, seal = %(seal)s where tenant_id = %(t)s",
        t=tenant.id,
        **old,
    )
    assert found() == []  # nothing in the database tells: this is what anchors are for
    with tenant_scope(tenant.id):
        assert [(one.seq, one.reason) for one in audit_verify(anchor=anchor).broken] == [
            (9, Reason.ROLLED_BACK)
        ]
        audit_record("ward.closed", target="ward 3")
        assert [(one.seq, one.reason) for one in audit_verify(anchor=anchor).broken] == [
            (9, Reason.ROLLED_BACK)
        ]


@pytest.mark.parametrize(
    "change",
    [
        "data = '1e400'",
        "data = to_jsonb(repeat('9', 5000)::numeric)",
        "data = '[]'",
        "data = (repeat('[', 3000) || repeat(']', 3000))::jsonb",
        "at = 'infinity'",
        "at = '20260-01-01'",
        "at = '0044-03-15 BC'",
        "data = 'null'",
    ],
)
def test_it_is_not_stopped_by_values_that_cannot_be_read(found, sql, tenant, change):
    sql(f"update tenants_auditentry set {change} where tenant_id = %(t)s and seq = 4", t=tenant.id)
    assert found() == [(4, Reason.CHANGED)]


MEDDLING = {
    Reason.HEAD_MISSING: "delete from tenants_audithead where tenant_id = %(t)s",
    Reason.HEAD_FORGED: "update tenants_audithead set seq = 3 where tenant_id = %(t)s",
}


@pytest.mark.parametrize("reason", MEDDLING)
def test_it_goes_on_after_meddling_and_never_forgets_it(found, sql, tenant, reason):
    """The next change is recorded, behind a mark; its seal does not make good what was there before."""
    sql("update tenants_auditentry set actor_label = 'x' where tenant_id = %(t)s and seq = 8", t=tenant.id)
    sql.rehash(tenant.id, 8)
    sql(MEDDLING[reason], t=tenant.id)
    with tenant_scope(tenant.id):
        assert audit_record("ward.closed", target="ward 2").seq == 10
        assert AuditEntry.objects.get(seq=9).data == {"reason": reason}
    assert found() == [(9, Reason.MARKED)]


def test_it_goes_on_after_an_invented_entry_and_never_forgets_it(found, sql, tenant):
    insert(sql, tenant, 9)
    sql.rehash(tenant.id, 9)
    with tenant_scope(tenant.id):
        audit_record("ward.closed", target="ward 2")
    assert found() == [(10, Reason.MARKED)]


def test_it_goes_on_after_the_tail_was_deleted_and_shows_the_gap(found, sql, tenant):
    sql("delete from tenants_auditentry where tenant_id = %(t)s and seq > 6", t=tenant.id)
    with tenant_scope(tenant.id):
        audit_record("ward.closed", target="ward 2")
    assert found() == [(7, Reason.MISSING)]


def test_it_leaves_the_rivals_log_whole(found, sql, tenant, rival):
    sql("delete from tenants_auditentry where tenant_id = %(t)s and seq > 2", t=tenant.id)
    assert found() != []
    with tenant_scope(rival.id):
        assert audit_verify().broken == ()
        assert AuditHead.objects.count() == 1
