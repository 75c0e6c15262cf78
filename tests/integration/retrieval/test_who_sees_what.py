"""Search, lists and citations hold to the grants of this moment."""

from __future__ import annotations

import asyncio

import pytest
from django.contrib.auth.models import Group
from guardian.shortcuts import assign_perm, remove_perm

from conversations.adapters.retrieval_search import RetrievalSearch
from kernel.errors import Invalid, NotFound
from retrieval import selectors, services
from tenants.models import User
from tenants.services import audience_create


@pytest.fixture
def staff(scoped):
    return audience_create(name="Staff").group


@pytest.fixture
def visitors(scoped):
    return audience_create(name="Visitors").group


@pytest.fixture
def open_document(add):
    return add("open.md", "Opening hours are nine to five.")


@pytest.fixture
def restricted(add):
    return add("restricted.md", "The opening code of the safe is hidden.", restricted=True)


@pytest.fixture
def seen(find, principal):
    def seen(**fields):
        who = principal(**fields)
        found = {hit.filename for hit in find("opening", who=who)}
        listed = set(selectors.documents_visible_to(who).values_list("filename", flat=True))
        assert found == listed, "search and list must agree"
        return found

    return seen


def test_without_a_grant_nothing_is_seen(open_document, restricted, seen, staff):
    assert seen(group_ids=(staff.id,)) == set()
    assert seen() == set()


def test_who_manages_documents_sees_all(open_document, restricted, seen):
    assert seen(sees_all=True) == {"open.md", "restricted.md"}


def test_a_corpus_grant_shows_all_but_restricted_documents(open_document, restricted, corpus, seen, staff):
    services.corpus_grant(corpus_id=corpus.id, group_id=staff.id)
    assert seen(group_ids=(staff.id,)) == {"open.md"}


def test_a_document_grant_shows_a_restricted_document(open_document, restricted, seen, staff):
    services.document_grant(document_id=restricted.id, group_id=staff.id)
    assert seen(group_ids=(staff.id,)) == {"restricted.md"}


def test_a_grant_to_one_group_is_none_to_another(open_document, corpus, seen, staff, visitors):
    services.corpus_grant(corpus_id=corpus.id, group_id=staff.id)
    assert seen(group_ids=(visitors.id,)) == set()
    assert seen(group_ids=(visitors.id, staff.id)) == {"open.md"}


def test_a_revocation_is_in_force_at_the_next_query(open_document, restricted, corpus, seen, staff):
    services.corpus_grant(corpus_id=corpus.id, group_id=staff.id)
    services.document_grant(document_id=restricted.id, group_id=staff.id)
    assert seen(group_ids=(staff.id,)) == {"open.md", "restricted.md"}
    services.document_revoke(document_id=restricted.id, group_id=staff.id)
    assert seen(group_ids=(staff.id,)) == {"open.md"}
    services.corpus_revoke(corpus_id=corpus.id, group_id=staff.id)
    assert seen(group_ids=(staff.id,)) == set()


def test_restricting_a_document_hides_it_at_the_next_query(open_document, corpus, seen, staff):
    services.corpus_grant(corpus_id=corpus.id, group_id=staff.id)
    services.document_restrict(document_id=open_document.id, restricted=True)
    assert seen(group_ids=(staff.id,)) == set()


def test_a_grant_to_one_user(open_document, restricted, corpus, seen):
    ann, bob = (User.objects.create_user(f"{name}@acme.example") for name in ("ann", "bob"))
    services.corpus_grant(corpus_id=corpus.id, user_id=ann.id)
    services.document_grant(document_id=restricted.id, user_id=bob.id)
    assert seen(user_id=ann.id) == {"open.md"}
    assert seen(user_id=bob.id) == {"restricted.md"}


def test_granting_twice_is_granting_once(open_document, corpus, seen, staff):
    for _ in range(2):
        services.corpus_grant(corpus_id=corpus.id, group_id=staff.id)
    services.corpus_revoke(corpus_id=corpus.id, group_id=staff.id)
    assert seen(group_ids=(staff.id,)) == set()


def test_another_permission_on_the_corpus_does_not_show_it(open_document, corpus, seen, staff):
    assign_perm("retrieval.delete_corpus", staff, corpus)
    assert seen(group_ids=(staff.id,)) == set()


def test_guardians_own_calls_mean_the_same(open_document, corpus, seen):
    ann = User.objects.create_user("ann@acme.example")
    assign_perm("retrieval.view_corpus", ann, corpus)
    assert seen(user_id=ann.id) == {"open.md"}
    assert ann.has_perm("retrieval.view_corpus", corpus)
    remove_perm("retrieval.view_corpus", ann, corpus)
    assert seen(user_id=ann.id) == set()


def test_a_citation_of_a_hidden_passage_does_not_open(restricted, find, principal, staff):
    hit = find("safe code")[0]
    with pytest.raises(NotFound):
        selectors.passage_get(hit.chunk_id, principal(group_ids=(staff.id,)))
    assert selectors.passages_visible([hit.chunk_id], principal(group_ids=(staff.id,))) == frozenset()
    services.document_grant(document_id=restricted.id, group_id=staff.id)
    assert selectors.passage_get(hit.chunk_id, principal(group_ids=(staff.id,))).text == hit.text
    assert selectors.passages_visible([hit.chunk_id], principal(group_ids=(staff.id,))) == {hit.chunk_id}


def test_ranking_happens_inside_the_permitted_set(add, find, principal, staff):
    """Few permitted documents among many better ones still give a full list."""
    for number in range(12):
        add(f"secret-{number}.md", "opening opening opening", restricted=True)
    for number in range(3):
        document = add(
            f"mine-{number}.md", f"Something about opening and much else {number}.", restricted=True
        )
        services.document_grant(document_id=document.id, group_id=staff.id)
    hits = find("opening", who=principal(group_ids=(staff.id,)), limit=3, candidates=3)
    assert {hit.filename for hit in hits} == {"mine-0.md", "mine-1.md", "mine-2.md"}


def test_a_grant_needs_one_holder_and_something_that_is_there(corpus, open_document):
    with pytest.raises(Invalid):
        services.corpus_grant(corpus_id=corpus.id)
    with pytest.raises(NotFound):
        services.corpus_grant(corpus_id=open_document.id, group_id=Group.objects.create(name="x").id)


@pytest.mark.django_db(transaction=True)
def test_what_a_message_is_judged_by_is_what_may_be_seen(
    open_document, restricted, corpus, principal, staff
) -> None:
    services.corpus_grant(corpus_id=corpus.id, group_id=staff.id)
    search = RetrievalSearch(principal(group_ids=(staff.id,)))

    async def closest():
        return await search.closest("the opening code of the safe", 5)

    found = asyncio.run(closest())
    assert [candidate.passage.text for candidate in found] == ["Opening hours are nine to five."]
    assert 0 < found[0].dense_score <= 1
