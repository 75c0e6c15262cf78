"""Kind of viewer × what is granted × to whom, and the rival who sees nothing of it, on every way to a passage."""

from __future__ import annotations

import pytest

from kernel.errors import NotFound
from retrieval import selectors, services
from retrieval.domain.passages import SearchRequest, WeightedQuery
from tenants.models import EndUser, Role, User
from tenants.scoping import tenant_scope
from tenants.selectors import principal_for
from tenants.services import audience_create, audiences_join, end_user_for_account, membership_set

OPEN, RESTRICTED = "open.md", "restricted.md"
NOTHING, ALL = frozenset(), frozenset({OPEN, RESTRICTED})

# What is granted, to whom → what a signed-in end user in the audience, one outside of it, and a visitor see.
GRANTS = {
    ("corpus", "person"): ({OPEN}, NOTHING, NOTHING),
    ("corpus", "group"): ({OPEN}, NOTHING, NOTHING),
    ("corpus", "everyone"): ({OPEN}, {OPEN}, {OPEN}),
    ("open", "person"): ({OPEN}, NOTHING, NOTHING),
    ("open", "group"): ({OPEN}, NOTHING, NOTHING),
    ("open", "everyone"): ({OPEN}, {OPEN}, {OPEN}),
    ("restricted", "person"): ({RESTRICTED}, NOTHING, NOTHING),
    ("restricted", "group"): ({RESTRICTED}, NOTHING, NOTHING),
    ("restricted", "everyone"): ({RESTRICTED}, {RESTRICTED}, {RESTRICTED}),
}


@pytest.fixture
def library(corpus, add):
    """A corpus with an open and a restricted document, an audience, and a person inside and outside of it."""
    documents = {
        "open": add(OPEN, "The library opens at nine."),
        "restricted": add(RESTRICTED, "The library safe opens with a code.", restricted=True),
    }
    readers = audience_create(name="Readers")
    insider, outsider = (User.objects.create_user(f"{name}@acme.example") for name in ("in", "out"))
    audiences_join(end_user=end_user_for_account(user=insider), audiences=[readers])
    end_user_for_account(user=outsider)
    return {
        "documents": documents,
        "corpus": corpus,
        "readers": readers,
        "insider": insider,
        "outsider": outsider,
    }


def grant(library, what, whom, *, revoke=False):
    from tenants.models import Audience

    holders = {
        "person": {"user_id": library["insider"].id},
        "group": {"group_id": library["readers"].group_id},
        "everyone": {"group_id": Audience.objects.get(slug=Audience.EVERYONE).group_id},
    }
    if what == "corpus":
        call = services.corpus_revoke if revoke else services.corpus_grant
        call(corpus_id=library["corpus"].id, **holders[whom])
    else:
        call = services.document_revoke if revoke else services.document_grant
        call(document_id=library["documents"][what].id, **holders[whom])


def viewer(tenant, user):
    end_user = EndUser.objects.filter(user=user).first() if user else None
    return principal_for(tenant_id=tenant.id, user=user, end_user=end_user)


def seen(who):
    """What a search finds, and whether lists, citations and late binding agree."""
    hits = services.search(
        request=SearchRequest(queries=(WeightedQuery("library opens"),), principal=who)
    ).hits
    names = {hit.filename for hit in hits}
    assert names == set(selectors.documents_visible_to(who).values_list("filename", flat=True))
    assert sum(row.documents for row in selectors.what_can_see(who)) == len(names)
    chunks = {hit.chunk_id for hit in hits}
    assert selectors.passages_visible(list(chunks), who) == chunks
    return names


@pytest.mark.parametrize(("what", "whom"), GRANTS, ids=lambda value: value)
def test_a_grant_is_in_force_at_the_next_query_and_so_is_its_end(tenant, library, what, whom):
    viewers = [viewer(tenant, user) for user in (library["insider"], library["outsider"], None)]
    assert [seen(who) for who in viewers] == [NOTHING] * 3
    grant(library, what, whom)
    assert [seen(who) for who in viewers] == [set(names) for names in GRANTS[what, whom]]
    grant(library, what, whom, revoke=True)
    assert [seen(who) for who in viewers] == [NOTHING] * 3


@pytest.mark.parametrize("role", Role.values)
def test_roles(tenant, library, role):
    member = User.objects.create_user("member@acme.example")
    membership_set(user=member, role=role)
    manages = role in {Role.OWNER, Role.ADMIN, Role.EDITOR}
    assert seen(viewer(tenant, member)) == (ALL if manages else NOTHING)
    grant(library, "corpus", "everyone")
    assert seen(viewer(tenant, member)) == (ALL if manages else {OPEN})


@pytest.mark.parametrize(("what", "whom"), GRANTS, ids=lambda value: value)
def test_the_rival_sees_nothing_whatever_is_granted(tenant, rival, library, what, whom, find):
    grant(library, what, whom)
    chunk = find("library opens")[0].chunk_id
    with tenant_scope(rival.id):
        membership_set(user=library["insider"], role=Role.OWNER)
        for who in (
            viewer(rival, library["insider"]),
            viewer(tenant, library["insider"]),
            viewer(rival, None),
        ):
            assert seen(who) == NOTHING
            with pytest.raises(NotFound):
                selectors.passage_get(chunk, who)
        with pytest.raises(NotFound):
            selectors.who_can_see(library["documents"]["open"].id)


def test_who_can_see_a_document_is_what_searches_say(tenant, library):
    admin = User.objects.create_user("admin@acme.example")
    membership_set(user=admin, role=Role.ADMIN)
    grant(library, "corpus", "group")
    grant(library, "restricted", "person")

    def told(name):
        return {(seer.name, seer.by) for seer in selectors.who_can_see(library["documents"][name].id)}

    assert told("open") == {("Readers", "corpus"), (str(admin), "role")}
    assert told("restricted") == {(str(library["insider"]), "document"), (str(admin), "role")}


def test_many_documents_for_many_audiences_in_few_queries(
    corpus, add, django_assert_max_num_queries, seen_by
):
    documents = [add(f"{n}.md", f"Opening hours number {n}.").id for n in range(12)]
    groups = [audience_create(name=f"Group {n}").group_id for n in range(10)]
    with django_assert_max_num_queries(12):
        services.documents_grant(document_ids=documents, group_ids=groups)
    assert [seen_by(group) for group in groups] == [12] * 10
    services.documents_grant(document_ids=documents, group_ids=groups)
    with django_assert_max_num_queries(10):
        services.documents_revoke(document_ids=documents[:6], group_ids=groups[:5])
    assert [seen_by(group) for group in groups] == [6] * 5 + [12] * 5


def test_a_grant_of_many_is_all_or_nothing(corpus, add, seen_by):
    document = add("one.md", "One opening.")
    group = audience_create(name="Group").group_id
    with pytest.raises(NotFound):
        services.documents_grant(document_ids=[document.id, corpus.id], group_ids=[group])
    assert seen_by(group) == 0


@pytest.fixture
def seen_by(principal):
    return lambda group: selectors.documents_visible_to(principal(group_ids=(group,))).count()
