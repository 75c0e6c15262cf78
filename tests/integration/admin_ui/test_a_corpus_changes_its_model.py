"""The embedding model of a corpus in the console: what it would cost, starting, watching, calling off, going back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval import services, wiring
from retrieval.domain.passages import EmbeddingSpace
from retrieval.models import Corpus, Document
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db


class Older:
    space = EmbeddingSpace("test", "older", 4)


class Today:
    space = EmbeddingSpace("test", "today", 4)


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    sent = []
    monkeypatch.setattr("admin_ui.views.spaces.corpus_reembed_task.delay", lambda *ids: sent.append(ids))
    return sent


@pytest.fixture
def corpus(stack, scoped):
    with services.equipped(replace(wiring.make(), embeddings=Older())):
        made = services.corpus_create(name="Catalogue")
        make_document(made, "Opening hours", chunks=3)
    return made


@pytest.fixture(autouse=True)
def tools(stack, corpus):
    models = {Older.space: Older()}
    with services.equipped(replace(wiring.make(), embeddings=Today(), model_for=models.get)):
        yield


def model_of(console, corpus):
    page = console.get(f"access/corpora/{corpus.pk}/")
    assert page.status_code == 200
    return page.context["model"], page.content.decode()


def test_a_change_is_offered_with_its_cost_started_watched_and_called_off(
    scoped, corpus, browser, sent, django_capture_on_commit_callbacks
):
    editor = browser(scoped, "editor")
    model, html = model_of(editor, corpus)
    assert (model.now, model.passages) == ("older", 3)
    assert [(choice.name, choice.is_today) for choice in model.choices] == [("today", True)]
    assert "3 passages will be embedded again" in html
    with django_capture_on_commit_callbacks(execute=True):
        editor.post(f"access/corpora/{corpus.pk}/model", {"space": str(model.choices[0].id)})
    model, html = model_of(editor, corpus)
    assert (model.next, model.made) == ("today", 0) and "hx-trigger" in html
    part = editor.get(f"access/corpora/{corpus.pk}/model").content.decode()
    assert part.lstrip().startswith("<section") and "Call it off" in part
    with django_capture_on_commit_callbacks(execute=True):
        editor.post(f"access/corpora/{corpus.pk}/model", {"keep": "yes"})
    model, html = model_of(editor, corpus)
    assert not model.is_changing and model.keeps and "hx-trigger" not in html
    assert sent == [(str(scoped.id), str(corpus.pk))] * 2


def test_it_can_go_back_and_is_told_that_a_gone_model_leaves_words(scoped, corpus, browser, tools):
    older = corpus.space_id
    Corpus.objects.update(space=services.space_ensure())
    model, _ = model_of(browser(scoped, "editor"), corpus)
    assert [choice.id for choice in model.choices] == [older]
    Corpus.objects.update(space=older)
    with services.equipped(replace(services.equipment(), model_for=lambda space: None)):
        model, html = model_of(browser(scoped, "editor"), corpus)
    assert model.is_gone and "cannot be run here any more" in html


def test_what_is_no_model_is_refused_and_the_rival_and_analysts_change_nothing(
    scoped, rival, corpus, browser
):
    path = f"access/corpora/{corpus.pk}/model"
    editor = browser(scoped, "editor")
    for space in ("", "x", str(corpus.pk)):
        assert editor.post(path, {"space": space}).status_code == 302
    assert browser(rival, "owner").post(path, {"keep": "yes"}).status_code == 404
    assert browser(scoped, "analyst").post(path, {"keep": "yes"}).status_code == 403
    corpus.refresh_from_db()
    assert (corpus.next_space_id, corpus.keeps_model) == (None, False)
    assert Document.objects.count() == 1
