"""A canary that turns up where it does not belong is a finding, once, with evidence that gives nothing away."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from conversations.audits.canaries import canaries_in, canary_new
from conversations.audits.nightly import day_check
from conversations.audits.planting import canaries_plant
from conversations.audits.records import Canary, Finding, LeakageCheckDay
from conversations.audits.scanning import scan
from conversations.models import Session, Turn, TurnTrace
from kernel.clock import now
from retrieval.models import Chunk, Document
from tenants.scoping import tenant_scope
from tests.integration.conversations.conftest import answered, asker, library  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def theirs(library, rival):  # noqa: F811
    """The words of the rival's canaries."""
    with tenant_scope(rival.id):
        return [canary.word for canary in canaries_plant()]


def test_a_canary_is_one_word_found_in_any_case():
    word = canary_new()
    assert canaries_in([f"It is {word.upper()}, they say."]) == {word}
    assert canaries_in(["cnry", "cnrything", f"x{word}"]) == frozenset()


def test_planting_twice_plants_once(library):  # noqa: F811
    assert [c.pk for c in canaries_plant()] == [c.pk for c in canaries_plant()]
    assert Document.objects.get(filename="leak-detection.md").restricted
    assert Canary.objects.count() == 2


def test_a_turn_with_another_tenants_canary_is_found_as_it_is_written(library, asker, theirs):  # noqa: F811
    with tenant_scope(asker.tenant.id):
        Chunk.objects.filter(text__contains="customer-managed").update(
            text=f"A customer-managed key costs {theirs[0]} euros per key and month."
        )
        turn = answered(asker, "How much does a customer-managed key cost?")
        found = list(Finding.objects.all())
    assert theirs[0] in turn.answer
    assert {f.where for f in found} >= {"answer"} and {f.severity for f in found} == {"critical"}
    assert all(theirs[0] not in str(f.evidence) and "…" in f.evidence["excerpt"] for f in found)
    assert {(f.session_id, f.turn) for f in found} == {(turn.session_id, turn.n)}


def test_what_the_person_typed_is_low(library, asker, theirs):  # noqa: F811
    with tenant_scope(asker.tenant.id):
        answered(asker, f"What does {theirs[1]} mean?")
        assert {f.severity for f in Finding.objects.all()} == {"low"}


def test_a_new_finding_is_told_once_in_the_log_and_without_its_words(scoped, rival, caplog):
    with tenant_scope(rival.id):
        words = [canary.word for canary in canaries_plant()]
    for _ in range(2):
        scan({"answer": f"It is {words[0]}."}, session_id=None)
    told = [record.getMessage() for record in caplog.records if "leakage finding" in record.getMessage()]
    assert len(told) == 1 and str(scoped.id) in told[0] and "critical" in told[0]
    assert words[0] not in told[0]


def test_a_conversations_own_canary_is_no_finding_but_anothers_is(library, asker):  # noqa: F811
    _, own = canaries_plant()
    assert scan({"answer": own.word}, session_id=own.session_id) == []
    other = Session.objects.create(end_user=asker.end_user, opened_by=str(uuid4()))
    [found] = scan({"answer": own.word}, session_id=other.pk, turn=3)
    assert (found.kind, found.severity) == ("session", "high")
    scan({"answer": own.word}, session_id=other.pk, turn=3)
    assert Finding.objects.count() == 1


def test_the_night_finds_what_was_written_past_the_scan_and_counts_its_checks(library, asker, rival, theirs):  # noqa: F811
    with tenant_scope(asker.tenant.id):
        turn = answered(asker, "What is the RPO in Frankfurt?")
        Turn.objects.filter(pk=turn.pk).update(answer=f"It is {theirs[0]}.")
        Chunk.objects.filter(text__contains="Dublin").update(text=f"Dublin {theirs[1]}")
    with tenant_scope(rival.id):
        foreign = str(Chunk.objects.values_list("pk", flat=True)[0])
    with tenant_scope(asker.tenant.id):
        trace = TurnTrace.objects.get(turn=turn)
        trace.data["candidates"].append({"chunk": foreign})
        trace.save()
        told = day_check(day=now().date(), tenant_ids=[asker.tenant.id, rival.id])
        kinds = sorted({(f.kind, f.where) for f in Finding.objects.all()})
        counted = dict(LeakageCheckDay.objects.values_list("kind", "checks"))
        again = day_check(day=now().date(), tenant_ids=[asker.tenant.id, rival.id])
        quiet = day_check(day=now().date() - timedelta(days=9), tenant_ids=[asker.tenant.id])
        assert Finding.objects.count() == len(kinds)
    assert kinds == [("provenance", "passage"), ("tenant", "answer"), ("tenant", "passage")]
    assert (
        told == again and counted["texts"] == told["texts"] > 10 and counted["passages"] == told["passages"]
    )
    assert quiet["turns"] == 0
    with tenant_scope(rival.id):
        assert not Finding.objects.exists()
