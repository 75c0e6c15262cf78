"""Person by person: who sees a document and through what, and what somebody sees and through what."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from retrieval.services import corpus_grant, document_grant, document_restrict
from tenants.models import Audience, User
from tenants.services import audience_create, end_user_for_device, membership_set
from tenants.services.audiences import audience_add
from tenants.services.end_users import end_user_for_subject
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def ward(scoped, corpus):
    """A document that nurses see by its corpus, ann by an audience of its own, and cem by a grant of his own."""
    document = make_document(corpus, "Night shifts")
    nurses, friends = audience_create(name="Nurses"), audience_create(name="Friends")
    end_user_for_subject(subject="ann", name="Ann", audiences=["Nurses", "Friends"])
    end_user_for_subject(subject="ben", name="Ben", audiences=["Nurses"])
    end_user_for_subject(subject="dan", name="Dan")
    cem = User.objects.create_user("cem@hospital.example", name="Cem")
    membership_set(user=cem, role="analyst")
    corpus_grant(corpus_id=corpus.pk, group_id=nurses.group_id)
    document_grant(document_id=document.pk, group_id=friends.group_id)
    document_grant(document_id=document.pk, user_id=cem.pk)
    return document


def people(console, document, **query):
    page = (
        console.get(f"documents/{document.pk}/seers", data=query)
        if query
        else console.get(f"documents/{document.pk}/seers")
    )
    assert page.status_code == 200
    found = page.context["found"]
    return {row.name: [(way.by, way.audience) for way in row.through] for row in found.rows}, found


def test_every_person_is_listed_with_every_reason(ward, scoped, browser):
    editor = browser(scoped, "editor")
    rows, found = people(editor, ward)
    assert rows == {"Ann": [("document", "Friends"), ("corpus", "Nurses")], "Ben": [("corpus", "Nurses")]}
    members, _ = people(editor, ward, kind="members")
    assert members == {"Cem": [("document", "")], "Editor": [("role", "Editor")]}
    assert {kind: n for kind, _, n in found.kinds} == {"end-users": 2, "members": 2}
    assert list(people(editor, ward, q="be")[0]) == ["Ben"]


def test_a_restriction_leaves_those_with_a_grant_of_its_own(ward, scoped, browser):
    document_restrict(document_id=ward.pk, restricted=True)
    rows, _ = people(browser(scoped, "editor"), ward)
    assert rows == {"Ann": [("document", "Friends")]}


def test_a_member_in_an_audience_is_listed_as_a_member(ward, scoped, browser):
    audience_add(audience=Audience.objects.get(name="Nurses"), known_as="cem@hospital.example")
    editor = browser(scoped, "editor")
    assert people(editor, ward, kind="members")[0]["Cem"] == [("document", ""), ("corpus", "Nurses")]
    assert "Cem" not in people(editor, ward)[0]


def test_what_is_open_to_everyone_says_so_and_lists_everybody_known(ward, scoped, browser):
    end_user_for_device(device="a-device")
    everyone = Audience.objects.get(slug="everyone")
    corpus_grant(corpus_id=ward.corpus_id, group_id=everyone.group_id)
    rows, found = people(browser(scoped, "editor"), ward)
    assert found.everyone and set(rows) == {"Ann", "Ben", "Dan"}
    assert rows["Dan"] == [("corpus", "Everyone")]


def seen(console, key):
    page = console.get(f"access/seen/?as={key}")
    assert page.status_code == 200
    found = page.context["found"]
    return {row.document.title: [(way.by, way.audience) for way in row.through] for row in found.rows}


def test_what_a_person_an_audience_and_a_member_see(ward, scoped, corpus, browser):
    make_document(corpus, "Rota", restricted=True)
    editor = browser(scoped, "editor")
    ann = end_user_for_subject(subject="ann")
    assert seen(editor, f"end-user:{ann.pk}") == {
        "Night shifts": [("document", "Friends"), ("corpus", "Nurses")]
    }
    nurses = Audience.objects.get(name="Nurses")
    assert seen(editor, f"audience:{nurses.pk}") == {"Night shifts": [("corpus", "Nurses")]}
    cem = User.objects.get(email="cem@hospital.example")
    assert seen(editor, f"member:{cem.pk}") == {"Night shifts": [("document", "")]}
    assert seen(editor, "anonymous") == {}
    assert seen(editor, "me") == {
        "Night shifts": [("role", "")],
        "Rota": [("role", "")],
    }


def test_what_is_told_of_somebody_stands_apart_from_the_figures(ward, scoped, corpus, browser):
    member = browser(scoped, "owner")
    page = member.get("access/seen/?as=anonymous").content.decode()
    lede = re.search(r'<p class="ac-lede">(.*?)</p>', page, re.S)
    assert lede and re.fullmatch(
        r"\d+ documents? in \d+ corp(us|ora)(, .*)? · with what everyone may see", lede[1]
    )


def test_everybody_known_is_found_by_a_part_of_the_name(ward, scoped, browser):
    page = browser(scoped, "editor").get("access/people/?q=an")
    assert {row.name for row in page.context["found"].rows} == {"Ann", "Dan"}


def test_the_rival_and_an_analyst_read_none_of_it(ward, scoped, rival, browser):
    ann = end_user_for_subject(subject="ann")
    stranger, analyst = browser(rival, "owner"), browser(scoped, "analyst")
    assert stranger.get(f"documents/{ward.pk}/seers").status_code == 404
    assert stranger.get(f"access/seen/?as=end-user:{ann.pk}").status_code == 404
    assert not stranger.get("access/people/").context["found"].rows
    for path in (f"documents/{ward.pk}/seers", "access/seen/", "access/people/"):
        assert analyst.get(path).status_code == 403


def test_more_people_and_more_documents_cost_no_more_queries(ward, scoped, corpus, browser):
    editor = browser(scoped, "editor")
    ann = end_user_for_subject(subject="ann")
    paths = [f"documents/{ward.pk}/seers", f"documents/{ward.pk}/seers?kind=members", "access/people/"]
    paths += [f"access/seen/?as=end-user:{ann.pk}"]

    def costs():
        found = []
        for path in paths:
            editor.get(path)
            with CaptureQueriesContext(connection) as asked:
                assert editor.get(path).status_code == 200
            texts = [str(query["sql"]) for query in asked]
            found.append(len([text for text in texts if not text.startswith(("SAVEPOINT", "RELEASE"))]))
        return found

    few = costs()
    for n in range(6):
        end_user_for_subject(subject=f"nurse-{n}", audiences=["Nurses", "Friends"])
        user = User.objects.create_user(f"n{n}@hospital.example", name=f"N {n}")
        membership_set(user=user, role="analyst")
        document_grant(document_id=ward.pk, user_id=user.pk)
        document_grant(
            document_id=make_document(corpus, f"Plan {n}").pk,
            group_id=Audience.objects.get(name="Friends").group_id,
        )
    assert costs() == few
