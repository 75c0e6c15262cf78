"""An erased person is gone from every table, every key and every archive; the others are as they were."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings

from conversations.models import Session, Turn
from conversations.services import owning
from kernel.clock import now
from kernel.errors import NotFound
from tenants import tasks
from tenants.acting import Actor, acting_as
from tenants.models import AuditEntry, EndUser, EndUserAudience, Erasure
from tenants.scoping import no_scope, tenant_scope
from tenants.services import end_user_for_device
from tenants.services.audit import audit_record
from tenants.services.data import data_serve
from tenants.services.erasing import end_user_erase_request, erasure_serve
from tenants.services.exports import export_request
from tests.integration.memory.searching import keys_with, tables_with

pytestmark = pytest.mark.django_db(transaction=True)


def erased(end_user_id) -> Erasure:
    erasure = end_user_erase_request(end_user_id=end_user_id)
    assert data_serve() is None
    erasure.refresh_from_db()
    return erasure


def archived() -> int:
    return len(list((Path(settings.ANTECEDENT["BLOB_DIR"]) / "exports").rglob("*.zip")))


def test_nothing_of_the_person_is_left_and_everything_of_the_others(inside, theirs, stack):
    person = inside.first
    for text in ("Quillworthy Ada", str(person.pk)):
        assert tables_with(text, stack) and keys_with(text), "it must be where it is looked for"
    others = tables_with("Quillworthy Bea", stack), tables_with("Ostermarsh Ada", stack)
    assert all(others)
    erasure = erased(person.pk)
    assert (erasure.state, erasure.progress) == ("done", 1.0)
    assert tables_with("Quillworthy Ada", stack) == set() == keys_with("Quillworthy Ada")
    assert tables_with(person.subject + '"', stack) == set()
    assert keys_with(str(inside.sessions[0])) <= {
        key for key in keys_with(str(inside.sessions[0])) if key.endswith(":seq")
    }
    assert (tables_with("Quillworthy Bea", stack), tables_with("Ostermarsh Ada", stack)) == others
    assert not EndUser.objects.filter(pk=person.pk).exists()
    assert Session.objects.count() == Turn.objects.count() == 1


def test_the_receipt_counts_and_names_nobody(inside):
    person = inside.first
    with acting_as(Actor("user", "7", "head@quillworthy.example")):
        erasure = end_user_erase_request(end_user_id=person.pk)
    data_serve()
    erasure.refresh_from_db()
    assert {"Session": 1, "Turn": 1, "TurnTrace": 1, "people": 1}.items() <= erasure.counts.items()
    assert erasure.counts["audience memberships"] == 1
    assert (erasure.actor, erasure.actor_id, erasure.end_user_id, erasure.subject) == ("user", "7", None, "")
    assert erasure.finished_at is not None
    entries = AuditEntry.objects.filter(target=str(erasure.pk))
    assert [entry.action for entry in entries] == ["end_user.erased", "end_user.erasure_requested"]
    for entry in entries:
        assert str(person.pk) not in json.dumps(entry.data) and person.subject not in json.dumps(entry.data)


def test_archives_of_the_person_go_and_others_stay(inside):
    before = archived()
    for wanted in ({"subject": inside.first.subject}, {"subject": "device:two"}):
        export_request(**wanted)
    data_serve(), data_serve()
    assert archived() == before + 2
    assert erased(inside.first.pk).counts["archives"] == 1
    assert archived() == before + 1


def test_what_their_device_was_before_they_signed_in_goes_too(inside):
    visitor = end_user_for_device(device="before")
    audit_record("sessions.adopted", target=str(inside.first.pk), visitor=str(visitor.pk), sessions=1)
    Session.objects.filter(pk=inside.sessions[1]).update(end_user=visitor)
    assert erased(inside.first.pk).counts["people"] == 2
    assert set(EndUser.objects.values_list("subject", flat=True)) == {"device:two"}
    assert Session.objects.count() == 0


def test_asked_for_twice_it_is_one_erasure(inside):
    person = inside.first
    first = end_user_erase_request(end_user_id=person.pk)
    assert end_user_erase_request(end_user_id=person.pk).pk == first.pk
    data_serve()
    with pytest.raises(NotFound):
        end_user_erase_request(end_user_id=person.pk)


class Killed(BaseException):
    """Stands for `kill -9`."""


@pytest.mark.parametrize("dies_at", [1, 2, 3])
def test_killed_anywhere_it_goes_on_and_counts_once(inside, monkeypatch, dies_at):
    """A batch of one conversation, so that there is something between two batches."""
    person = inside.first
    for word in ("Ada again", "Ada once more"):
        inside.people[0].asks(word)
    monkeypatch.setattr("conversations.services.retention.ERASED_AT_ONCE", 1)
    monkeypatch.setattr(
        owning, "sessions_erase", lambda condition, record: retention_erase(condition, record=record, batch=1)
    )
    from conversations.services import retention

    retention_erase = retention.sessions_erase
    steps = [0]
    delete = retention.sessions_delete

    def dying(*given, **more):
        steps[0] += 1
        if steps[0] == dies_at:
            raise Killed
        return delete(*given, **more)

    erasure = end_user_erase_request(end_user_id=person.pk)
    with monkeypatch.context() as patched:
        patched.setattr(retention, "sessions_delete", dying)
        with pytest.raises(Killed):
            erasure_serve()
    assert Session.objects.filter(end_user_id=person.pk).count() == 3 - (dies_at - 1)
    assert erasure_serve() is False, "its worker's lease has not run out"
    Erasure.objects.update(lease_until=now() - timedelta(seconds=1))
    woken = []
    monkeypatch.setattr(tasks._data, "wake", woken.append)
    with no_scope():
        tasks.data_sweep()
    assert woken == [inside.tenant.id]
    assert erasure_serve() is True
    erasure.refresh_from_db()
    assert (erasure.state, erasure.counts["Session"], erasure.counts["Turn"]) == ("done", 3, 3)


def test_a_late_worker_deletes_nothing_that_another_counts(inside, monkeypatch):
    erasure = end_user_erase_request(end_user_id=inside.first.pk)
    from conversations.services import retention

    delete = retention.sessions_delete

    def taken_over(*given, **more):
        Erasure.objects.update(lease_token=inside.document.id)
        return delete(*given, **more)

    monkeypatch.setattr(retention, "sessions_delete", taken_over)
    erasure_serve()
    erasure.refresh_from_db()
    assert erasure.counts == {} and Session.objects.count() == 2


def test_the_rival_cannot_erase_them(inside, theirs):
    person = inside.first
    with tenant_scope(theirs.tenant.id):
        with pytest.raises(NotFound):
            end_user_erase_request(end_user_id=person.pk)
        assert erasure_serve() is False
    end_user_erase_request(end_user_id=person.pk)
    with tenant_scope(theirs.tenant.id):
        assert erasure_serve() is False
    assert EndUser.objects.filter(pk=person.pk).exists()
    assert EndUserAudience.objects.count() == 1
