"""The embedding model of a corpus by REST: changed, watched, called off, gone back to; no model, the rival's corpus."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from retrieval import services, wiring
from retrieval.domain.passages import EmbeddingSpace
from retrieval.models import Corpus
from tenants.models import AuditEntry
from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db


class Older:
    space = EmbeddingSpace("test", "older", 4)


class Today:
    space = EmbeddingSpace("test", "today", 4)


@pytest.fixture
def ask(tenant):
    return Program(key_of(tenant))


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    sent = []
    monkeypatch.setattr(
        "retrieval.api.embedding_models.corpus_reembed_task.delay", lambda *ids: sent.append(ids)
    )
    return sent


@pytest.fixture
def corpus(stack, tenant):
    with tenant_scope(tenant.id), services.equipped(replace(wiring.make(), embeddings=Older())):
        made = services.corpus_create(name="Catalogue")
        make_document(made, "Opening hours", chunks=3)
    return made


@pytest.fixture(autouse=True)
def tools(stack, corpus):
    models = {Older.space: Older()}
    with services.equipped(replace(wiring.make(), embeddings=Today(), model_for=models.get)):
        yield


@pytest.fixture
def path(corpus):
    return f"/api/v1/corpora/{corpus.pk}/embedding-model"


def stored(tenant, corpus):
    with tenant_scope(tenant.id):
        found = Corpus.objects.get(pk=corpus.pk)
        return str(found.next_space_id or ""), found.keeps_model


def test_a_change_is_started_watched_and_called_off(
    ask, path, tenant, corpus, sent, django_capture_on_commit_callbacks
):
    first = ask("GET", path)
    now = first.json()
    assert (now["model"]["name"], now["changing_to"], now["passages"]) == ("older", None, 3)
    [choice] = now["choices"]
    assert (choice["name"], choice["dimensions"], choice["is_today"]) == ("today", 4, True)
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(2):
            told = ask("PUT", path, {"model": choice["id"]}).json()
    assert (told["changing_to"], told["made"]) == ({"id": choice["id"], "name": "today"}, 0)
    changing = ask("GET", path, If_None_Match=first.headers["ETag"])
    assert changing.status_code == 200 and changing.json() == told
    assert ask("GET", path, If_None_Match=changing.headers["ETag"]).status_code == 304
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(2):
            kept = ask("POST", f"{path}/keep").json()
    assert (kept["changing_to"], kept["keeps"], kept["model"]["name"]) == (None, True, "older")
    assert sent == [(str(tenant.id), str(corpus.pk))] * 4
    with tenant_scope(tenant.id):
        logged = set(
            AuditEntry.objects.filter(action__startswith="corpus.model").values_list("action", flat=True)
        )
    assert logged == {"corpus.model_chosen", "corpus.model_kept"}


def test_the_way_back_is_the_earlier_model(ask, path, tenant, corpus):
    with tenant_scope(tenant.id):
        Corpus.objects.update(space=services.space_ensure())
    [older] = ask("GET", path).json()["choices"]
    assert (older["id"], older["name"], older["is_today"]) == (str(corpus.space_id), "older", False)
    told = ask("PUT", path, {"model": older["id"]}).json()
    assert (told["model"]["name"], told["changing_to"]["name"], told["keeps"]) == ("today", "older", True)


def test_a_model_that_cannot_be_run_any_more_is_told_and_not_changed_to(ask, path, tenant, corpus):
    with services.equipped(replace(services.equipment(), model_for=lambda space: None)):
        assert ask("GET", path).json()["is_gone"] is True
        refused = ask("PUT", path, {"model": str(corpus.space_id)})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "embedding_model_gone")
    assert stored(tenant, corpus) == ("", False)


@pytest.mark.parametrize(
    "body", [{}, {"model": "today"}, {"model": None}, {"space": str(uuid4())}, {"model": 7}]
)
def test_what_names_no_model_is_refused(ask, path, tenant, corpus, body):
    assert ask("PUT", path, body).status_code == 400 and stored(tenant, corpus) == ("", False)


def test_a_model_or_corpus_that_is_not_there_is_not_found(ask, path, tenant, corpus, sent):
    assert ask("PUT", path, {"model": str(corpus.pk)}).status_code == 404
    nowhere = f"/api/v1/corpora/{uuid4()}/embedding-model"
    assert ask("GET", nowhere).status_code == ask("POST", f"{nowhere}/keep").status_code == 404
    assert sent == [] and stored(tenant, corpus) == ("", False)


def test_keys_that_load_documents_watch_and_change_nothing_nor_does_the_rival(
    ask, path, tenant, corpus, rival
):
    loader = Program(key_of(tenant, "ingest"))
    assert loader("GET", path).json()["model"]["name"] == "older"
    today = ask("GET", path).json()["choices"][0]["id"]
    for program, status in (
        (loader, 403),
        (Program(key_of(tenant, "read")), 403),
        (Program(key_of(rival)), 404),
    ):
        assert program("PUT", path, {"model": today}).status_code == status
        assert program("POST", f"{path}/keep").status_code == status
    assert Program(key_of(rival))("GET", path).status_code == 404
    assert stored(tenant, corpus) == ("", False)
