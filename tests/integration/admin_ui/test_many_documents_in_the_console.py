"""Many documents at once in the console: chosen or all that fit, previewed, confirmed, and not when they changed."""

from __future__ import annotations

import pytest

from retrieval.models import Document, DocumentGroupPermission, DocumentState
from retrieval.services import corpus_grant
from tenants.models import Audience, AuditEntry
from tenants.services import audience_create
from tenants.services.end_users import end_user_for_subject
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db
PATH = "documents/bulk"


@pytest.fixture
def readers(scoped):
    audience = audience_create(name="Readers")
    end_user_for_subject(subject="ann", audiences=["Readers"])
    return audience


@pytest.fixture
def documents(corpus):
    return [make_document(corpus, f"Guide {n}", tags=["guides"]) for n in range(3)]


def chosen(documents):
    return {"document": [str(one.pk) for one in documents]}


def planned(page):
    assert page.status_code == 200, page.headers.get("Location")
    return page.context["plan"]


def confirmed(console, order):
    """As the confirmation's own form says it."""
    plan = planned(console.post(PATH, order))
    return console.post(PATH, {**order, "seen": plan.seen, "sure": "yes"})


def test_a_grant_to_many_is_previewed_and_then_given(scoped, documents, readers, browser):
    editor, order = browser(scoped, "editor"), {"what": "give", **chosen(documents)}
    assert planned(editor.post(PATH, order)).effect is None
    order |= {"audience": [str(readers.pk)]}
    plan = planned(editor.post(PATH, order))
    assert (plan.changes, plan.effect.grants, plan.effect.people) == (3, 3, 1)
    assert not DocumentGroupPermission.objects.exists()
    assert confirmed(editor, order).status_code == 302
    assert DocumentGroupPermission.objects.filter(group_id=readers.group_id).count() == 3
    assert confirmed(editor, {**order, "what": "take"}).status_code == 302
    assert not DocumentGroupPermission.objects.exists()


def test_a_preview_makes_nobody_and_an_unknown_person_is_said_to_be_unknown(
    scoped, documents, readers, browser
):
    editor, audiences = browser(scoped, "editor"), Audience.objects.count()
    order = {"what": "give", **chosen(documents), "people": "ann"}
    assert planned(editor.post(PATH, order)).effect.people == 1
    assert Audience.objects.count() == audiences
    plan = planned(editor.post(PATH, {**order, "people": "ann\nnobody", "sure": "yes"}))
    assert plan.fault.code == "end_user_not_found"
    assert not DocumentGroupPermission.objects.exists()


def test_all_that_a_filter_leaves_are_meant_and_no_others(scoped, corpus, documents, browser):
    make_document(corpus, "Price list")
    order = {"what": "restrict", "everything": "yes", "q": "guide"}
    assert confirmed(browser(scoped, "editor"), order).status_code == 302
    assert set(Document.objects.filter(restricted=True)) == set(documents)


def test_it_asks_again_when_other_documents_fit_by_now(scoped, corpus, documents, browser):
    editor, order = browser(scoped, "editor"), {"what": "delete", "everything": "yes", "q": "guide"}
    seen = planned(editor.post(PATH, order)).seen
    make_document(corpus, "Guide 4")
    page = editor.post(PATH, {**order, "seen": seen, "sure": "yes"})
    assert len(planned(page).chosen) == 4 and Document.objects.count() == 4
    assert "not the same any more" in page.content.decode()


def test_deleting_asks_first_and_takes_what_was_chosen(scoped, documents, browser):
    editor, order = browser(scoped, "editor"), {"what": "delete", **chosen(documents[:2])}
    assert "cannot be brought back" in editor.post(PATH, order).content.decode()
    assert Document.objects.count() == 3
    confirmed(editor, order)
    assert list(Document.objects.all()) == [documents[2]]
    assert AuditEntry.objects.filter(action="document.deleted").count() == 2


def test_only_what_may_be_readable_after_all_is_read_again(
    scoped, corpus, browser, queued, django_capture_on_commit_callbacks
):
    failed = {"state": DocumentState.FAILED, "blob_key": "kept", "reason": "No."}
    slow = make_document(corpus, "Slow", reason_code="document_timeout", **failed)
    locked = make_document(corpus, "Locked", reason_code="document_encrypted", **failed)
    editor, order = browser(scoped, "editor"), {"what": "retry", **chosen([slow, locked])}
    assert planned(editor.post(PATH, order)).changes == 1
    with django_capture_on_commit_callbacks(execute=True):
        confirmed(editor, order)
    assert queued == [(str(scoped.id), str(slow.pk))]
    assert "Try again" not in editor.get(f"documents/{locked.pk}/").content.decode()


def test_tags_are_put_on_many_and_edited_on_one(scoped, documents, browser):
    editor = browser(scoped, "editor")
    confirmed(editor, {"what": "tag", "tag_name": "new", **chosen(documents[:2])})
    assert [one.tags for one in Document.objects.order_by("title")] == [["guides", "new"]] * 2 + [["guides"]]
    editor.post(f"documents/{documents[0].pk}/describe", {"title": "First guide", "tags": "a, b ,, a"})
    documents[0].refresh_from_db()
    assert (documents[0].title, documents[0].tags) == ("First guide", ["a", "b"])
    found = editor.get("documents/?tag=new").context["found"]
    assert [one.title for one in found.page] == ["Guide 1"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"title": "x" * 301, "tags": "a"}, "The title has 301 characters, and at most 300"),
        ({"title": "Guide", "tags": "a," + "y" * 61}, "has 61 characters, and at most 60"),
        ({"title": "Guide", "tags": ",".join(f"tag{n}" for n in range(51))}, "These are 51 tags"),
    ],
)
def test_what_is_too_long_or_too_many_is_refused_whole_and_never_cut(scoped, documents, browser, said, words):
    editor = browser(scoped, "editor")
    editor.post(f"documents/{documents[0].pk}/describe", said)
    assert words in editor.get(f"documents/{documents[0].pk}/").content.decode()
    documents[0].refresh_from_db()
    assert (documents[0].title, documents[0].tags) == ("Guide 0", ["guides"])


def test_a_tag_for_many_that_is_too_long_is_put_on_none(scoped, documents, browser):
    editor = browser(scoped, "editor")
    editor.post(PATH, {"what": "tag", "tag_name": "x" * 61, "sure": "yes", **chosen(documents)})
    assert "The tag has 61 characters" in editor.get("documents/").content.decode()
    assert all(one.tags == ["guides"] for one in Document.objects.all())


def test_nothing_chosen_or_nothing_to_do_is_said_to_be_so(scoped, documents, browser):
    editor = browser(scoped, "editor")
    for order in ({"what": "delete"}, {"what": "fly", **chosen(documents)}):
        assert editor.post(PATH, order).status_code == 302
    assert "Choose at least one document" in editor.get("documents/").content.decode()


def test_the_rival_and_an_analyst_change_nothing(scoped, rival, corpus, documents, readers, browser):
    corpus_grant(corpus_id=corpus.pk, group_id=Audience.objects.get(slug="members").group_id)
    order = {"what": "delete", **chosen(documents), "sure": "yes"}
    assert browser(scoped, "analyst").post(PATH, order).status_code == 403
    stranger = browser(rival, "owner")
    assert stranger.post(PATH, order).status_code == 302
    assert stranger.post(PATH, {**order, "everything": "yes"}).status_code == 302
    assert Document.objects.count() == 3
    assert 'name="document"' not in browser(scoped, "analyst").get("documents/").content.decode()
