"""A tenant moves to its own partition and back while others search, and while the mover is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from retrieval import services
from retrieval.adapters.pgvector import PgvectorHomes, bare, layout, searching
from retrieval.models import ChunkEmbedding, EmbeddingSpace, Placement
from retrieval.services import promotion
from tenants.scoping import tenant_scope

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[3]
CARS = 40
ASKED = "which car is at the station"


@pytest.fixture(autouse=True)
def no_partitions_left(stack, db):
    yield
    with connection.cursor() as cursor:
        cursor.execute(
            "select inhrelid::regclass::text from pg_inherits"
            " where inhparent = 'retrieval_chunkembedding'::regclass"
        )
        for (name,) in cursor.fetchall():
            if name != layout.SHARED:
                cursor.execute(f"drop table {name}")


@pytest.fixture
def cars(add):
    return [
        add(f"car-{n}.md", f"Car number {n} waits at the station of town {n % 7} at {n % 5} o'clock.")
        for n in range(CARS)
    ]


@pytest.fixture
def space(cars):
    return EmbeddingSpace.objects.get()


@pytest.fixture
def by_index(monkeypatch):
    monkeypatch.setattr(searching, "EXACT_PASSAGES", -1)
    monkeypatch.setattr(searching, "INDEX_COST", 0)


def ask(find):
    return sorted((round(hit.dense_score, 3), hit.filename) for hit in find(ASKED, lexical=0.0, limit=CARS))


class Searchers:
    """Threads that search again and again, with connections of their own; `wait` until all have answered again."""

    def __init__(self, tenant_id, find, threads=2, pause=0.0):
        self.tenant_id, self.find, self.pause = tenant_id, find, pause
        self.answers: list[list] = [[] for _ in range(threads)]
        self.failures: list[BaseException] = []
        self.ended = threading.Event()

    def search(self, answers):
        try:
            with tenant_scope(self.tenant_id):
                while not self.ended.wait(self.pause):
                    answers.append(ask(self.find))
        except BaseException as error:
            self.failures.append(error)
        finally:
            connection.close()

    def wait(self):
        """One that was under way may have begun before: two more of each have not."""
        wanted = [len(answers) + 2 for answers in self.answers]
        deadline = time.monotonic() + 60
        while any(len(answers) < least for answers, least in zip(self.answers, wanted, strict=True)):
            assert not self.failures and time.monotonic() < deadline, self.failures
            time.sleep(0.002)

    @contextmanager
    def running(self) -> Iterator[Searchers]:
        threads = [threading.Thread(target=self.search, args=(one,)) for one in self.answers]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self.ended.set()
            for thread in threads:
                thread.join(30)
        assert not self.failures

    def all_said(self, answer):
        return all(one == answer for answers in self.answers for one in answers)


class Waiting(PgvectorHomes):
    """Every step, be it only one document, is followed by searches of everybody."""

    def __init__(self, searchers):
        self.searchers, self.steps = searchers, 0

    def _step(self):
        self.searchers.wait()
        self.steps += 1

    def open(self, **values):
        super().open(**values)
        self._step()

    def move(self, **values):
        moved = super().move(**{**values, "limit": 3})
        self._step()
        return moved

    def build(self, **values):
        built = super().build(**values)
        self._step()
        return built

    def close(self, **values):
        closed = super().close(**values)
        self._step()
        return closed


def test_searches_beside_a_move_are_right_at_every_moment_both_ways(space, tenant, find, tools, by_index):
    before = ask(find)
    assert len(before) == CARS
    with Searchers(tenant.id, find).running() as searchers:
        stepper = Waiting(searchers)
        with services.equipped(replace(tools, homes=stepper)):
            assert services.space_promote(space_id=space.id).placement == Placement.OWN
            searchers.wait()
            assert services.space_demote(space_id=space.id).placement == Placement.SHARED
            searchers.wait()
    assert stepper.steps > 2 * CARS / 3
    assert searchers.all_said(before)


def test_a_search_inside_a_transaction_survives_a_partition_that_is_gone(space, find, by_index):
    before = ask(find)
    services.space_promote(space_id=space.id)
    assert ask(find) == before
    services.space_demote(space_id=space.id)
    with transaction.atomic():
        # This process remembers the partition; its statement fails and is asked again.
        assert ask(find) == before
        assert EmbeddingSpace.objects.count() == 1


def command(slug, *options):
    url = connection.settings_dict
    login = f"{quote(url['USER'])}:{quote(url['PASSWORD'])}" if url["PASSWORD"] else quote(url["USER"])
    where = f"{quote(url['HOST'], safe='')}:{url['PORT']}/{url['NAME']}"
    return subprocess.Popen(
        [sys.executable, ROOT / "manage.py", "promote_tenant", slug, *options],
        env={
            **os.environ,
            "DATABASE_URL": f"postgresql://{login}@{where}",
            "VALKEY_URL": "redis://127.0.0.1:1/0",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finished(process):
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 0, said
    return said


@contextmanager
def held(space, document_id):
    """Somebody holds the vectors of one document, so that whoever moves them stands still in the middle."""
    with bare.connected(space.tenant_id) as holder:
        holder.execute("begin")
        holder.execute(
            "select 1 from retrieval_chunkembedding where document_id = $1 for update", [document_id]
        )
        yield
        holder.execute("rollback")


def until_it_waits():
    """Until some other connection waits for a row."""
    deadline = time.monotonic() + 60
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute(
                "select count(*) from pg_locks where not granted and locktype in ('transactionid', 'tuple')"
            )
            if cursor.fetchone()[0]:
                return
            time.sleep(0.05)
    raise AssertionError("nobody waits")


def homes():
    return {str(home) for home in ChunkEmbedding.objects.order_by().values_list("home", flat=True)}


def killed_in_the_middle(space, tenant, cars, *options):
    """Run the command, and kill it while it moves documents of a later round than the first."""
    late = sorted(car.id for car in cars)[promotion._DOCUMENTS_AT_ONCE + 3]
    with held(space, late):
        mover = command(tenant.slug, *options)
        try:
            until_it_waits()
        finally:
            mover.kill()
            mover.communicate(timeout=30)


@pytest.mark.takes(25)
@pytest.mark.slow
def test_the_command_that_is_killed_in_the_middle_goes_on_both_ways(space, tenant, cars, find, by_index):
    before = ask(find)
    both = {str(space.id), str(layout.SHARED_HOME)}
    with Searchers(tenant.id, find, threads=1, pause=0.1).running() as searchers:
        killed_in_the_middle(space, tenant, cars)
        assert EmbeddingSpace.objects.get().placement == Placement.MOVING and homes() == both
        searchers.wait()
        finished(command(tenant.slug))
        assert EmbeddingSpace.objects.get().placement == Placement.OWN and homes() == {str(space.id)}
        searchers.wait()
        killed_in_the_middle(space, tenant, cars, "--back")
        assert EmbeddingSpace.objects.get().placement == Placement.RETURNING and homes() == both
        searchers.wait()
        finished(command(tenant.slug, "--back"))
        searchers.wait()
    placed = EmbeddingSpace.objects.get()
    assert (placed.placement, placed.search_width) == (Placement.SHARED, None)
    assert homes() == {str(layout.SHARED_HOME)}
    assert searchers.all_said(before)
    with connection.cursor() as cursor:
        cursor.execute("select to_regclass(%s)", [layout.partition(space.id)])
        assert cursor.fetchone() == (None,)


def test_the_command_shows_where_a_tenant_is_and_names_one_that_is_unknown(space, tenant, rival, capsys):
    call_command("promote_tenant", tenant.slug)
    assert "own" in capsys.readouterr().out
    call_command("promote_tenant", tenant.slug, "--back")
    assert "shared" in capsys.readouterr().out
    call_command("promote_tenant", rival.slug)
    assert "own" not in capsys.readouterr().out
    with pytest.raises(CommandError, match="no workspace"):
        call_command("promote_tenant", "nobody")
