"""Owners, admins and editors decide who sees what; analysts do not; the rival decides nothing here."""

from __future__ import annotations

from uuid import uuid4

import pytest

from retrieval.models import Corpus
from retrieval.selectors import documents_visible_to
from tenants.access import Principal
from tenants.models import Audience, EndUser, EndUserAudience, User
from tenants.scoping import tenant_scope
from tenants.services import audience_create, membership_set
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def partners(scoped):
    return audience_create(name="Partners")


@pytest.fixture
def sees(scoped):
    """Titles that an audience finds."""

    def sees(audience) -> set[str]:
        principal = Principal(tenant_id=scoped.id, group_ids=(audience.group_id,))
        return {document.title for document in documents_visible_to(principal)}

    return sees


def grant_id(page: str, place: str) -> str:
    return page.split('name="take" value="')[1].split('"')[0]


@pytest.mark.parametrize("role", ["owner", "admin"])
def test_a_corpus_is_opened_to_an_audience_and_closed_again(scoped, corpus, browser, partners, sees, role):
    make_document(corpus, "Regions")
    console = browser(scoped, role)
    console.post(f"access/corpora/{corpus.pk}/access", {"give": partners.pk})
    assert sees(partners) == {"Regions"}
    page = console.get(f"access/corpora/{corpus.pk}/").content.decode()
    assert "<b>Partners</b>" in page
    console.post(f"access/corpora/{corpus.pk}/access", {"take": grant_id(page, "Partners")})
    assert sees(partners) == set()


@pytest.mark.parametrize("role", ["owner", "admin", "editor"])
def test_a_document_is_given_restricted_and_taken(scoped, corpus, browser, partners, sees, role):
    document = make_document(corpus, "Salaries")
    console, path = browser(scoped, role), f"documents/{document.pk}/access"
    console.post(path, {"restricted": "yes"})
    document.refresh_from_db()
    assert document.restricted
    console.post(path, {"give": partners.pk})
    assert sees(partners) == {"Salaries"}
    page = console.get(f"documents/{document.pk}/").content.decode()
    console.post(path, {"take": grant_id(page, "Partners")})
    assert sees(partners) == set()
    console.post(path, {"restricted": "no"})
    document.refresh_from_db()
    assert not document.restricted


def test_a_corpus_and_an_audience_are_made(scoped, browser):
    owner = browser(scoped, "owner")
    made = owner.post("access/corpora/", {"name": "Handbuch", "language": "german"})
    assert made.headers["Location"].endswith(f"/access/corpora/{Corpus.objects.get().pk}/")
    assert Corpus.objects.get().language == "german"
    owner.post("access/audiences/", {"name": "Partners", "description": "Who sells for us"})
    page = owner.get("access/").content.decode()
    assert "Handbuch" in page
    assert "Who sells for us" in page


@pytest.mark.parametrize("name", ["", " \x00 ", "Handbuch", "x" * 121, "Hand\u202ebuch"])
@pytest.mark.parametrize("kind", ["corpora", "audiences"])
def test_a_name_that_is_none_or_taken_is_refused_in_plain_words(scoped, browser, name, kind):
    owner = browser(scoped, "owner")
    owner.post(f"access/{kind}/", {"name": "Handbuch"})
    owner.post(f"access/{kind}/", {"name": name})
    page = owner.get("access/").content.decode()
    assert 'data-level="error"' in page
    assert (Corpus if kind == "corpora" else Audience).objects.filter(name="Handbuch").count() == 1


@pytest.mark.parametrize("name", ["東京", "x" * 120, "A & B", "---"])
def test_any_name_makes_a_corpus_and_an_audience(scoped, browser, name):
    owner = browser(scoped, "owner")
    for kind in ("corpora", "audiences"):
        assert owner.post(f"access/{kind}/", {"name": name}).status_code == 302
    assert Corpus.objects.count() == 1
    assert Audience.objects.filter(builtin=False).count() == 1


def test_people_join_by_email_or_subject_and_leave(scoped, browser, partners):
    user = User.objects.create_user("wile@acme.example", name="Wile")
    membership_set(user=user, role="analyst")
    known = EndUser.objects.create(subject="crm:77", kind="identified", name="Bugs")
    owner, path = browser(scoped, "owner"), f"access/audiences/{partners.pk}/members"
    owner.post(path, {"add": "Wile@acme.example"})
    owner.post(path, {"add": "crm:77"})
    page = owner.get(f"access/audiences/{partners.pk}/").content.decode()
    assert "<b>Wile</b>" in page
    assert "<b>Bugs</b>" in page
    owner.post(path, {"remove": known.pk})
    assert "Taken out of" in owner.get(f"access/audiences/{partners.pk}/").content.decode()
    owner.post(path, {"remove": known.pk})  # a second time, as from another tab
    assert "They were not in" in owner.get(f"access/audiences/{partners.pk}/").content.decode()
    assert EndUserAudience.objects.get(audience=partners).end_user.user == user


def test_an_account_of_another_workspace_is_not_found_by_its_email(scoped, rival, browser, partners):
    with tenant_scope(rival.id):
        membership_set(user=User.objects.create_user("spy@rival.example"), role="owner")
    owner, path = browser(scoped, "owner"), f"access/audiences/{partners.pk}/members"
    for name in ("spy@rival.example", "nobody@rival.example"):
        owner.post(path, {"add": name})
        assert f"Nobody here is known as “{name}”" in owner.get("access/").content.decode()
    assert not EndUserAudience.objects.exists()


def test_a_built_in_audience_takes_nobody(scoped, browser):
    everyone = Audience.objects.get(slug="everyone")
    EndUser.objects.create(subject="crm:77", kind="identified")
    browser(scoped, "owner").post(f"access/audiences/{everyone.pk}/members", {"add": "crm:77"})
    assert not EndUserAudience.objects.exists()


def test_others_neither_see_nor_change_corpora_and_audiences(scoped, corpus, browser, partners):
    console = browser(scoped, "analyst")
    places = ("access/", f"access/corpora/{corpus.pk}/", f"access/audiences/{partners.pk}/")
    doors = ("access/corpora/", "access/audiences/", f"access/corpora/{corpus.pk}/access",
             f"access/audiences/{partners.pk}/members")  # fmt: skip
    assert {console.get(place).status_code for place in places} == {403}
    assert {console.post(door, {"name": "X", "give": partners.pk}).status_code for door in doors} == {403}
    assert "/access/" not in console.get("").content.decode()


def test_an_analyst_changes_nothing_about_a_document(scoped, corpus, browser):
    document = make_document(corpus, "Salaries")
    answer = browser(scoped, "analyst").post(f"documents/{document.pk}/access", {"restricted": "yes"})
    assert answer.status_code == 403
    document.refresh_from_db()
    assert not document.restricted


def test_the_rival_reaches_none_of_it(scoped, rival, corpus, browser, partners, sees):
    document = make_document(corpus, "Regions")
    theirs = browser(rival, "owner")
    for path in (f"access/corpora/{corpus.pk}/access", f"access/audiences/{partners.pk}/members",
                 f"documents/{document.pk}/access"):  # fmt: skip
        assert theirs.post(path, {"give": partners.pk, "add": "x"}).status_code == 404
    ours = browser(scoped, "owner")
    with tenant_scope(rival.id):
        foreign = Audience.objects.get(slug="everyone")
    ours.post(f"access/corpora/{corpus.pk}/access", {"give": foreign.pk})
    assert sees(foreign) == set()


@pytest.mark.parametrize("data", [{}, {"give": "x"}, {"take": "\x00"}, {"take": uuid4()}, {"give": uuid4()}])
def test_nonsense_is_answered_with_a_plain_message(scoped, corpus, browser, data):
    owner = browser(scoped, "owner")
    assert owner.post(f"access/corpora/{corpus.pk}/access", data).status_code == 302
    assert 'data-level="error"' in owner.get("access/").content.decode()
