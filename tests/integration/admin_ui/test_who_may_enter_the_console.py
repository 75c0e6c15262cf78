"""The console is for members, and what a member may do there follows from the role."""

from __future__ import annotations

from uuid import uuid4

import pytest

from retrieval.models import Document
from tests.integration.admin_ui.rows import make_document, make_session

pytestmark = pytest.mark.django_db

PAGES = ["", "documents/", "documents/?part=list", "conversations/"]
ROLES = ["owner", "admin", "editor", "analyst"]
MANAGERS = ["owner", "admin", "editor"]


@pytest.mark.parametrize("path", PAGES)
def test_it_asks_a_stranger_to_sign_in_and_brings_them_back(tenant, browser, path):
    answer = browser(tenant).get(path)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/t/acme/login/?next=/t/acme/console/")


@pytest.mark.parametrize("path", PAGES)
def test_it_tells_somebody_elses_member_that_they_are_none_here(tenant, rival, browser, path):
    answer = browser(tenant, "owner", member_of=rival).get(path)
    assert answer.status_code == 403
    assert "not_a_member" in answer.content.decode()


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("path", PAGES)
def test_it_lets_every_role_read(tenant, browser, role, path):
    assert browser(tenant, role).get(path).status_code == 200


@pytest.mark.parametrize("action", ["upload", "retry", "delete"])
def test_it_lets_an_analyst_change_nothing(scoped, corpus, browser, action, queued):
    document = make_document(corpus, "Regions", state="failed")
    path = "documents/upload" if action == "upload" else f"documents/{document.pk}/{action}"
    answer = browser(scoped, "analyst").post(path)
    assert answer.status_code == 403
    assert "not_a_document_manager" in answer.content.decode()
    assert Document.objects.get().state == "failed"
    assert queued == []


@pytest.mark.parametrize("role", MANAGERS)
def test_it_lets_those_who_manage_documents_delete_one(scoped, corpus, browser, role):
    document = make_document(corpus, "Regions")
    assert browser(scoped, role).post(f"documents/{document.pk}/delete").status_code == 302
    assert not Document.objects.exists()


def test_it_offers_an_analyst_no_button_that_would_be_refused(scoped, corpus, browser):
    document = make_document(corpus, "Regions")
    everyone_may = browser(scoped, "owner").get(f"documents/{document.pk}/").content.decode()
    assert "Delete for good" in everyone_may
    page = browser(scoped, "analyst").get("documents/").content.decode()
    assert 'type="file"' not in page


@pytest.mark.parametrize("action", ["upload", "retry", "delete"])
def test_it_changes_nothing_by_a_mere_link(scoped, corpus, browser, action):
    document = make_document(corpus, "Regions")
    path = "documents/upload" if action == "upload" else f"documents/{document.pk}/{action}"
    assert browser(scoped, "owner").get(path).status_code == 405


def test_the_rival_finds_nothing_under_our_addresses(scoped, rival, corpus, browser):
    document, session = make_document(corpus, "Regions"), make_session(turns=1)
    theirs = browser(rival, "owner")
    assert theirs.get(f"documents/{document.pk}/").status_code == 404
    assert theirs.get(f"conversations/{session.pk}/").status_code == 404
    assert theirs.post(f"documents/{document.pk}/delete").status_code == 404
    assert Document.objects.filter(pk=document.pk).exists()


def test_the_rival_sees_none_of_our_rows(scoped, rival, corpus, browser):
    make_document(corpus, "Regions")
    make_session(turns=2, who="wile")
    for path in PAGES:
        page = browser(rival, "owner").get(path).content.decode()
        assert "Regions" not in page
        assert "About wile" not in page


def test_what_is_not_there_looks_the_same_as_what_is_not_yours(tenant, browser):
    mine = browser(tenant, "owner")
    assert mine.get(f"documents/{uuid4()}/").status_code == 404
    assert mine.get(f"conversations/{uuid4()}/").status_code == 404


@pytest.mark.parametrize("path", PAGES)
def test_its_pages_run_no_script_of_the_page_itself_nor_of_another_origin(tenant, browser, path):
    answer = browser(tenant, "owner").get(path)
    policy = answer.headers["Content-Security-Policy"]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "unsafe-inline" not in scripts
    assert "http" not in policy
    page = answer.content.decode()
    assert page.count("<script") == page.count("<script src=")
    assert 'src="http' not in page
    assert " onclick=" not in page


def test_unfolds_own_pages_stand_in_the_same_shell(tenant, browser):
    page = browser(tenant, "analyst").get("password_change/").content.decode()
    assert 'href="/t/acme/console/documents/"' in page
    assert "Old password" in page


def test_it_signs_in_on_the_products_one_page(tenant, browser):
    answer = browser(tenant).get("login/")
    assert answer.headers["Location"] == "/t/acme/login/?next=/t/acme/console/"
