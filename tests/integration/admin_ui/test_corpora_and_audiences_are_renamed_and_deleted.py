"""What was named badly is named anew, and what is not wanted any more is deleted, in the console, after a question."""

from __future__ import annotations

import pytest

from retrieval import services
from retrieval.models import Corpus, Document
from tenants.models import Audience, AuditEntry
from tenants.scoping import tenant_scope
from tenants.services.audiences import audience_open
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def wards(scoped):
    return audience_open(name="Wards", description="Who works there")


@pytest.fixture(params=["corpora", "audiences"])
def place(request, corpus, wards):
    """The address of a corpus or an audience, and the row."""
    row = corpus if request.param == "corpora" else wards
    return f"access/{request.param}/{row.pk}/", row


def test_it_is_renamed_from_the_form_on_its_page(scoped, browser, place):
    address, row = place
    editor = browser(scoped, "editor")
    page = editor.get(address).content.decode()
    assert f'value="{row.name}"' in page and f"/console/{address}change" in page
    assert editor.post(f"{address}change", {"name": "  Rotas ", "description": "By night"}).status_code == 302
    row.refresh_from_db()
    assert (row.name, row.description) == ("Rotas", "By night")


@pytest.mark.parametrize("name", ["", "Taken", "x" * 121, "a\u202eb"])
def test_a_name_that_will_not_do_changes_nothing_and_is_told(scoped, browser, place, name):
    address, row = place
    services.corpus_create(name="Taken")
    audience_open(name="taken")
    before = row.name
    editor = browser(scoped, "editor")
    editor.post(f"{address}change", {"name": name, "description": "new"})
    row.refresh_from_db()
    assert row.name == before and row.description != "new"
    assert 'data-level="error"' in editor.get(address).content.decode()


def test_deleting_asks_first_and_says_what_goes_with_it(scoped, corpus, wards, browser):
    make_document(corpus, "Regions")
    owner = browser(scoped, "owner")
    page = owner.get(f"access/corpora/{corpus.pk}/").content.decode()
    assert "1 document goes with it, and no search finds it any more." in page
    owner.post(f"access/corpora/{corpus.pk}/delete")
    assert not Corpus.objects.filter(pk=corpus.pk).exists() and not Document.objects.exists()
    assert "through it alone" in owner.get(f"access/audiences/{wards.pk}/").content.decode()
    owner.post(f"access/audiences/{wards.pk}/delete")
    assert not Audience.objects.filter(pk=wards.pk).exists()
    done = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"corpus.deleted", "audience.deleted"} <= done


def test_a_corpus_with_very_many_documents_is_emptied_first(scoped, corpus, browser, monkeypatch):
    monkeypatch.setattr(services, "MOST_DELETED", 1)
    for title in ("Regions", "Keys"):
        make_document(corpus, title)
    owner = browser(scoped, "owner")
    owner.post(f"access/corpora/{corpus.pk}/delete")
    assert Corpus.objects.filter(pk=corpus.pk).exists()
    assert "under Documents" in owner.get(f"access/corpora/{corpus.pk}/").content.decode()


def test_built_in_audiences_have_no_such_form_and_stay(scoped, browser):
    everyone = Audience.objects.filter(builtin=True).first()
    owner = browser(scoped, "owner")
    assert "Delete the audience" not in owner.get(f"access/audiences/{everyone.pk}/").content.decode()
    owner.post(f"access/audiences/{everyone.pk}/change", {"name": "Nobody"})
    owner.post(f"access/audiences/{everyone.pk}/delete")
    everyone.refresh_from_db()
    assert everyone.name != "Nobody"


def test_analysts_and_the_rival_change_nothing(scoped, rival, browser, place):
    address, row = place
    with tenant_scope(rival.id):
        stranger = browser(rival, "owner")
    for who, status in ((browser(scoped, "analyst"), 403), (stranger, None)):
        for action in ("change", "delete"):
            answer = who.post(f"{address}{action}", {"name": "Taken over"})
            assert status is None or answer.status_code == status
    row.refresh_from_db()
    assert row.name != "Taken over"
