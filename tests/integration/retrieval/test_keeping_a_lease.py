"""A lease is short: a living worker keeps it however long it waits, and a dead or stuck one loses it soon."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta
from threading import Event
from uuid import uuid4

import pytest
from django.db.utils import OperationalError

from kernel.clock import now
from retrieval import services
from retrieval.models import Document
from retrieval.services import lease_beats, leases
from retrieval.services.waiting import document_serve
from tests.browser.conftest import eventually

SHORT = timedelta(seconds=0.4)


@pytest.fixture
def document(corpus):
    return services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"Some text.")


@pytest.fixture
def held(document):
    """The one row of a try that holds its lease, as the try would name it."""
    token, until = uuid4(), now() + SHORT
    Document.objects.filter(id=document.id).update(state="embedding", lease_token=token, lease_until=until)
    return Document.objects.filter(id=document.id, lease_token=token)


def until_of(document):
    return Document.objects.values_list("lease_until", flat=True).get(id=document.id)


class Waiting:
    """Embeddings that come when `done` says so: a service that takes its time."""

    def __init__(self, inner, done):
        self.inner, self.done = inner, done
        self.space, self.count_tokens = inner.space, inner.count_tokens

    def embed_passages(self, texts):
        assert eventually(self.done, seconds=30, every=0.02)
        return self.inner.embed_passages(texts)


@pytest.mark.django_db(transaction=True)
def test_who_waits_for_longer_than_a_lease_keeps_it(document, tools, monkeypatch):
    monkeypatch.setattr(leases, "LEASE", SHORT)
    seen = []

    def renewed_past_the_first_lease():
        seen.append(until_of(document))
        return seen[-1] > seen[0] + SHORT

    waiting = Waiting(tools.embeddings, renewed_past_the_first_lease)
    with services.equipped(replace(tools, embeddings=waiting)):
        assert services.document_index(document_id=document.id) is True
    document.refresh_from_db()
    assert (document.state, document.lease_token, document.lease_until) == ("indexed", None, None)


def test_who_is_stuck_loses_it(document, held, monkeypatch):
    monkeypatch.setattr(lease_beats, "SILENCE_SECONDS", -1)
    before = until_of(document)
    lease_beats._beat(held, uuid4(), timedelta(milliseconds=4), Event())
    assert until_of(document) == before


def test_a_try_that_writes_is_not_stuck(held, monkeypatch):
    token = uuid4()
    monkeypatch.setattr(lease_beats, "_wrote", {token: 0.0})
    lease_beats.lease_written(token)
    assert lease_beats._wrote[token] > 0
    lease_beats.lease_written(uuid4())
    assert list(lease_beats._wrote) == [token], "nobody keeps a try that is not kept"


def test_a_lease_that_is_anothers_now_is_let_alone(document, held):
    Document.objects.filter(id=document.id).update(lease_token=uuid4())
    before = until_of(document)
    lease_beats._renew(held, timedelta(hours=1))
    assert until_of(document) == before


def test_an_outage_of_the_database_costs_a_beat_and_not_the_lease(held, monkeypatch, caplog):
    over, beats = Event(), []

    def renew(held, lease):
        beats.append(held)
        if len(beats) == 1:
            raise OperationalError("the server is away")
        over.set()

    token = uuid4()
    monkeypatch.setattr(lease_beats, "_renew", renew)
    monkeypatch.setattr(lease_beats, "_wrote", {token: lease_beats.time.monotonic()})
    with caplog.at_level(logging.WARNING):
        lease_beats._beat(held, token, timedelta(milliseconds=4), over)
    assert len(beats) == 2
    assert "not renewed: OperationalError" in caplog.text


def test_a_living_worker_looks_again_when_the_lease_of_another_ends(document, held):
    soon = document_serve()
    assert soon is not None and 0 < soon <= SHORT.total_seconds()
    held.update(lease_until=now() - timedelta(seconds=1))
    assert document_serve() is None
    document.refresh_from_db()
    assert document.state == "indexed"


def test_the_lease_of_a_dead_worker_ends_within_seconds():
    """What a killed worker held is searchable again half a minute later: its lease, a sweep, and the work itself."""
    assert timedelta(seconds=5) <= leases.LEASE <= timedelta(seconds=15)
