"""A tenant's vectors move to a partition of their own and back, and every search in between is right."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection

from retrieval import services, tasks
from retrieval.adapters.pgvector import PgvectorHomes, bare, layout, searching
from retrieval.domain.errors import PlacementBusy
from retrieval.domain.ports import Moved
from retrieval.models import ChunkEmbedding, EmbeddingSpace, Placement
from retrieval.services import promotion
from tenants.scoping import tenant_scope

pytestmark = pytest.mark.django_db(transaction=True)

WARDS = ("cardiology", "surgery", "maternity", "radiology", "oncology", "pharmacy")


@pytest.fixture
def documents(add):
    return [
        add(f"{ward}.md", f"The {ward} ward opens at {n} and visitors wait in hall {n}.")
        for n, ward in enumerate(WARDS)
    ]


@pytest.fixture
def space(documents):
    return EmbeddingSpace.objects.get()


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
def by_index(monkeypatch):
    """Search by index from the first passage on."""
    monkeypatch.setattr(searching, "EXACT_PASSAGES", -1)
    monkeypatch.setattr(searching, "INDEX_COST", 0)


def found(find):
    return [
        (hit.filename, hit.dense_rank, round(hit.dense_score, 3))
        for hit in find("which ward opens at 3", lexical=0.0)
    ]


def homes():
    rows = ChunkEmbedding.objects.order_by().values_list("home", flat=True)
    return sorted(map(str, rows.distinct()))


def test_a_promoted_tenant_finds_the_same(space, find, by_index):
    before = found(find)
    placed = services.space_promote(space_id=space.id)
    assert (placed.placement, placed.measured_recall) == (Placement.OWN, 1.0)
    assert homes() == [str(space.id)]
    assert found(find) == before and len(before) == len(WARDS)


def test_promoting_twice_promotes_once(space, find):
    first = services.space_promote(space_id=space.id)
    assert services.space_promote(space_id=space.id).placed_at == first.placed_at


def test_a_demoted_tenant_finds_the_same_and_its_partition_is_gone(space, find, by_index):
    before = found(find)
    services.space_promote(space_id=space.id)
    assert found(find) == before
    assert services.space_demote(space_id=space.id).placement == Placement.SHARED
    assert homes() == [str(layout.SHARED_HOME)]
    # This process remembers a partition that is not there any more.
    assert found(find) == before
    with connection.cursor() as cursor:
        cursor.execute("select to_regclass(%s)", [layout.partition(space.id)])
        assert cursor.fetchone() == (None,)


class Stepping(PgvectorHomes):
    """Moves one document at a time and lets somebody look after every step; stops for good when told to."""

    def __init__(self, look=lambda: None, stop_after=None):
        self.look, self.stop_after, self.steps = look, stop_after, 0

    def _step(self):
        self.look()
        self.steps += 1
        if self.stop_after is not None and self.steps > self.stop_after:
            raise KeyboardInterrupt

    def open(self, **values):
        super().open(**values)
        self._step()

    def move(self, **values) -> Moved:
        moved = super().move(**{**values, "limit": 1})
        self._step()
        return moved

    def build(self, **values):
        self._step()
        built = super().build(**values)
        self._step()
        return built

    def close(self, **values):
        self._step()
        return super().close(**values)


@pytest.fixture
def stepping(tools):
    def use(stepper):
        return services.equipped(replace(tools, homes=stepper))

    return use


def test_every_moment_of_a_move_is_searched_rightly(space, find, stepping, by_index):
    before = found(find)
    seen = []
    with stepping(Stepping(lambda: seen.append(found(find)))):
        services.space_promote(space_id=space.id)
        services.space_demote(space_id=space.id)
    assert len(seen) > 2 * len(WARDS)
    assert all(one == before for one in seen)


def test_what_is_written_during_a_move_is_found_and_ends_in_the_new_home(space, add, find, stepping):
    written = []

    def write():
        if len(written) < 4:
            written.append(
                add(f"late-{len(written)}.md", f"The late ward {len(written)} opens at noon.").filename
            )

    with stepping(Stepping(write)):
        services.space_promote(space_id=space.id)
    assert homes() == [str(space.id)]
    assert set(written) <= {hit.filename for hit in find("late ward opens at noon", lexical=0.0)}


def test_deleting_and_replacing_during_a_move(space, documents, corpus, add, find, stepping):
    todo = [
        lambda: services.document_delete(document_id=documents[0].id),
        lambda: add("surgery.md", "The surgery ward moved to hall nine."),
    ]

    with stepping(Stepping(lambda: todo.pop()() if todo else None)):
        services.space_promote(space_id=space.id)
    names = {hit.filename: hit.text for hit in find("ward hall", lexical=0.0)}
    assert "cardiology.md" not in names and "nine" in names["surgery.md"]
    assert ChunkEmbedding.objects.count() == len(WARDS) - 1


@pytest.mark.parametrize("stop_after", [1, 2, 5, 8, 9])
def test_killed_anywhere_it_goes_on(space, find, stepping, stop_after):
    before = found(find)
    with pytest.raises(KeyboardInterrupt), stepping(Stepping(stop_after=stop_after)):
        services.space_promote(space_id=space.id)
    assert found(find) == before
    with pytest.raises(KeyboardInterrupt), stepping(Stepping(stop_after=stop_after % 7)):
        services.space_demote(space_id=space.id)
    assert found(find) == before
    assert space.id in services.spaces_due()
    # The direction was turned by then: the size decides, and it is small.
    services.space_place(space_id=space.id)
    assert EmbeddingSpace.objects.get().placement == Placement.SHARED
    assert found(find) == before


def test_an_index_that_was_not_finished_is_built_again(space, find, by_index):
    before = found(find)
    services.space_promote(space_id=space.id)
    EmbeddingSpace.objects.update(placement=Placement.MOVING)
    with connection.cursor() as cursor:
        cursor.execute(f"drop index {layout.partition(space.id)}_hnsw")
    assert services.space_promote(space_id=space.id).placement == Placement.OWN
    assert found(find) == before


def test_size_decides(space, monkeypatch, settings):
    monkeypatch.setitem(settings.ANTECEDENT, "PROMOTE_PASSAGES", len(WARDS))
    assert services.spaces_due() == [space.id]
    services.space_place(space_id=space.id)
    assert EmbeddingSpace.objects.get().placement == Placement.OWN
    assert services.spaces_due() == []
    monkeypatch.setitem(settings.ANTECEDENT, "PROMOTE_PASSAGES", len(WARDS) * 5)
    assert services.spaces_due() == [space.id]
    services.space_place(space_id=space.id)
    assert EmbeddingSpace.objects.get().placement == Placement.SHARED


def test_the_wall_holds_in_a_partition(space, rival):
    services.space_promote(space_id=space.id)
    table = layout.partition(space.id)
    with connection.cursor() as cursor:
        cursor.execute("select relrowsecurity, relforcerowsecurity from pg_class where relname = %s", [table])
        assert cursor.fetchone() == (True, True)
        cursor.execute(f"select count(*) from {table}")
        assert cursor.fetchone() == (len(WARDS),)
        with tenant_scope(rival.id):
            cursor.execute(f"select count(*) from {table}")
            assert cursor.fetchone() == (0,)


def test_a_rival_in_the_same_tables_is_neither_moved_nor_found(space, find, rival):
    with tenant_scope(rival.id):
        theirs = services.corpus_create(name="Library")
        document = services.document_upload(
            corpus_id=theirs.id, filename="loan.md", data=b"The ward of books opens at 3."
        )
        services.document_index(document_id=document.id)
    services.space_promote(space_id=space.id)
    assert "loan.md" not in {hit.filename for hit in find("ward opens at 3")}
    with tenant_scope(rival.id):
        assert homes() == [str(layout.SHARED_HOME)]


def test_it_does_not_wait_long_behind_a_writer(space, monkeypatch, tools):
    monkeypatch.setattr("retrieval.adapters.pgvector.placing._LOCK_WAIT", "50ms")
    with bare.connected(space.tenant_id) as writer:
        writer.execute("begin")
        writer.execute("lock table retrieval_chunk in row exclusive mode")
        with pytest.raises(PlacementBusy):
            services.space_promote(space_id=space.id)
        writer.execute("rollback")
    assert promotion.space_promote(space_id=space.id).placement == Placement.OWN


def test_the_sweep_places_every_tenant(space, rival, monkeypatch, settings):
    monkeypatch.setitem(settings.ANTECEDENT, "PROMOTE_PASSAGES", len(WARDS))
    monkeypatch.setattr(
        tasks.space_place_task, "delay", lambda *ids: tasks.space_place_task.apply(args=ids, throw=True)
    )
    tasks.spaces_sweep()
    assert EmbeddingSpace.objects.get().placement == Placement.OWN
    tasks.spaces_sweep()
    assert EmbeddingSpace.objects.get().placement == Placement.OWN
