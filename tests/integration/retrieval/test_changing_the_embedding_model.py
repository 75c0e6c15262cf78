"""A corpus changes its embedding model in the background and is searched rightly at every moment."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

import pytest

from kernel.errors import NotFound
from retrieval import services
from retrieval.domain.errors import EmbeddingModelGone
from retrieval.domain.passages import EmbeddingSpace
from retrieval.models import ChunkEmbedding, Corpus
from retrieval.services import reembedding
from tenants.models import AuditEntry

pytestmark = pytest.mark.django_db(transaction=True)

CARS = {
    "small.md": "Small cars cost forty a day.",
    "vans.md": "Vans carry nine people.",
    "fuel.md": "Return the fuel tank full.",
    "insurance.md": "Insurance covers glass and tyres.",
    "drivers.md": "Young drivers pay extra.",
}


def newer(words, look=lambda: None):
    """The next model: other dimensions, and other vectors for the same words."""

    class Newer(type(words)):
        space = EmbeddingSpace("test", "newer", 64)

        def embed_query(self, text):
            return tuple(reversed(super().embed_query(text)))

        def embed_passages(self, texts):
            look()
            return self.embed_queries(texts)

    return Newer()


@pytest.fixture
def documents(add):
    return [add(name, text) for name, text in CARS.items()]


@pytest.fixture
def changed(tools):
    """Inside, the newer model is today's, and the other can still be run unless it is gone."""

    @contextmanager
    def changed(look=lambda: None, *, gone=False):
        older = tools.embeddings
        models = {} if gone else {older.space: older}
        with services.equipped(
            replace(tools, embeddings=newer(older, look), model_for=models.get, batch_size=2)
        ) as equipment:
            yield equipment

    return changed


def order(find, **options):
    return [(hit.filename, hit.dense_rank) for hit in find("fuel tank full", lexical=0.0, **options)]


def spaces():
    rows = ChunkEmbedding.objects.order_by().values_list("space__model", flat=True)
    return set(rows)


def test_until_it_is_changed_a_corpus_is_searched_in_its_own_model(documents, find, changed):
    before = order(find)
    with changed():
        assert order(find) == before and before[0] == ("fuel.md", 1)


def test_it_flips_at_once_and_old_vectors_go(documents, find, changed, corpus):
    before = order(find)
    seen = []
    with changed(lambda: seen.append((order(find), Corpus.objects.get().space.model))):
        reembedding.corpus_reembed_all(corpus_id=corpus.id)
        assert order(find) == before
        assert seen and all(one == (before, "words") for one in seen)
        assert Corpus.objects.get().space.model == "newer"
        assert spaces() == {"newer"}
        assert services.corpora_to_reembed() == []


def test_it_goes_on_where_it_was_killed(documents, find, changed, corpus):
    calls = []

    def die():
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt

    before = order(find)
    with changed(die):
        with pytest.raises(KeyboardInterrupt):
            reembedding.corpus_reembed_all(corpus_id=corpus.id)
        assert order(find) == before
        assert services.corpora_to_reembed() == [corpus.id]
        reembedding.corpus_reembed_all(corpus_id=corpus.id)
        # Two batches of two before, then only what was missing.
        assert len(calls) == 4
        assert order(find) == before


def test_slices_leave_room_for_others(documents, changed, corpus):
    with changed():
        assert services.corpus_reembed_slice(corpus_id=corpus.id, seconds=0)
        rounds = 1
        while services.corpus_reembed_slice(corpus_id=corpus.id, seconds=0):
            rounds += 1
        assert rounds >= 3
        assert spaces() == {"newer"}


def test_what_is_uploaded_during_the_change_is_found_before_and_after(documents, add, find, changed, corpus):
    todo = [lambda: add("late.md", "A late fuel tank."), lambda: add("vans.md", "Vans carry a fuel tank.")]

    def upload():
        if todo:
            todo.pop()()
            assert {"vans.md", "fuel.md"} <= {name for name, _ in order(find, limit=3)}

    with changed(upload):
        reembedding.corpus_reembed_all(corpus_id=corpus.id)
        assert {"late.md", "vans.md", "fuel.md"} == {name for name, _ in order(find, limit=3)}
        assert spaces() == {"newer"}
        assert ChunkEmbedding.objects.count() == len(CARS) + 1


def test_a_try_for_the_old_model_is_made_again_for_the_new_one(documents, corpus, find, changed, tools):
    """The corpus flips while a document is being embedded: it is not published where no search looks."""
    document = services.document_upload(corpus_id=corpus.id, filename="late.md", data=b"A late fuel tank.")
    old = tools.embeddings

    class Slow(type(old)):
        def embed_passages(self, texts):
            with changed():
                reembedding.corpus_reembed_all(corpus_id=corpus.id)
            return self.embed_queries(texts)

    with services.equipped(replace(tools, embeddings=Slow())):
        done = services.document_index_slice(document_id=document.id)
    assert done.progress is services.Progress.MORE
    with changed():
        assert "late.md" not in {name for name, _ in order(find)}
        services.document_index(document_id=document.id)
        assert "late.md" in {name for name, _ in order(find)}
        assert spaces() == {"newer"}


def test_corpora_in_two_models_are_searched_together(documents, add, find, changed):
    other = services.corpus_create(name="Returns")
    add("returns.md", "Bring the fuel tank back full.", corpus_id=other.id)
    with changed():
        reembedding.corpus_reembed_all(corpus_id=other.id)
        hits = find("fuel tank full", lexical=0.0)
        assert {hit.filename for hit in hits[:2]} == {"fuel.md", "returns.md"}
        assert [hit.dense_rank for hit in hits[:2]] == [1, 1]
        assert all(hit.dense_score is not None for hit in hits)


def test_a_model_that_is_gone_leaves_words(documents, find, changed):
    with changed(gone=True):
        hits = find("fuel tank full")
        assert hits[0].filename == "fuel.md"
        assert (hits[0].dense_rank, hits[0].lexical_rank) == (None, 1)


def test_a_change_can_be_called_off(documents, find, changed, corpus, settings, monkeypatch):
    before = order(find)
    monkeypatch.setitem(settings.ANTECEDENT, "REEMBED", False)
    with changed():
        services.corpus_reembed(corpus_id=corpus.id)
        assert services.corpora_to_reembed() == [corpus.id]
        services.corpus_reembed_slice(corpus_id=corpus.id, seconds=0)
        services.corpus_keep_model(corpus_id=corpus.id)
        assert services.corpora_to_reembed() == []
        reembedding.forget_old_vectors(corpus_id=corpus.id)
        assert spaces() == {"words"}
        assert order(find) == before


def test_a_corpus_goes_back_to_an_earlier_model_and_stays_there(documents, find, changed, corpus):
    before, older = order(find), corpus.space_id
    with changed():
        reembedding.corpus_reembed_all(corpus_id=corpus.id)
        assert spaces() == {"newer"}
        services.corpus_model_choose(corpus_id=corpus.id, space_id=older)
        reembedding.corpus_reembed_all(corpus_id=corpus.id)
        assert (spaces(), order(find)) == ({"words"}, before)
        assert services.corpora_to_reembed() == []
        reembedding.corpus_reembed_all(corpus_id=corpus.id)
        assert spaces() == {"words"}
        today = services.space_ensure()
        services.corpus_model_choose(corpus_id=corpus.id, space_id=today.id)
        assert services.corpora_to_reembed() == [corpus.id]
    actions = AuditEntry.objects.filter(action="corpus.model_chosen").order_by("seq")
    assert [entry.data["model"].split("/")[1] for entry in actions] == ["words", "newer"]


def test_what_was_called_off_does_not_begin_again_by_itself(documents, find, changed, corpus):
    with changed():
        services.corpus_reembed(corpus_id=corpus.id)
        services.corpus_reembed_slice(corpus_id=corpus.id, seconds=0)
        services.corpus_keep_model(corpus_id=corpus.id)
        assert services.corpora_to_reembed() == []
        assert services.corpus_reembed_slice(corpus_id=corpus.id) is False
        assert spaces() == {"words"}


def test_a_model_that_is_gone_or_unknown_cannot_be_chosen(documents, changed, corpus):
    older = corpus.space_id
    with changed(gone=True):
        reembedding.corpus_reembed_all(corpus_id=corpus.id)
        with pytest.raises(EmbeddingModelGone):
            services.corpus_model_choose(corpus_id=corpus.id, space_id=older)
        with pytest.raises(NotFound):
            services.corpus_model_choose(corpus_id=corpus.id, space_id=uuid4())


def test_a_large_corpus_flips_to_an_index_that_is_ready(
    documents, find, changed, corpus, settings, monkeypatch
):
    before = order(find)
    monkeypatch.setitem(settings.ANTECEDENT, "PROMOTE_PASSAGES", len(CARS))
    with changed():
        reembedding.corpus_reembed_all(corpus_id=corpus.id)
        assert Corpus.objects.get().space.placement == "own"
        assert order(find) == before
        services.space_demote(space_id=Corpus.objects.get().space_id)
