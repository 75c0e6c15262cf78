"""Who might see what at an earlier moment comes out of the audit log as the search itself decided it then."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.audits import permissions
from conversations.audits.past import ACTIONS, Past, names_now
from conversations.audits.permissions import permissions_check
from conversations.audits.records import Finding
from conversations.models import TurnTrace
from kernel.clock import now
from retrieval import services as documents
from retrieval.models import Document
from retrieval.selectors import documents_visible_to
from tenants.models import Audience, AuditEntry, EndUser, Membership, Role, User
from tenants.scoping import tenant_scope
from tenants.selectors import principal_for
from tenants.services import audience_create, audiences_join, end_user_for_account, membership_set
from tenants.services.audiences import audience_delete, audience_of_one, audience_remove
from tenants.services.end_users import audiences_set
from tenants.services.members import member_remove
from tests.docs.test_audit_actions_are_documented import recorded
from tests.integration.conversations.conftest import answered, library, shelve, visitor  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
STEPS, HISTORIES = 40, 6


class Story:
    """A workspace in which random things are changed about who may see what."""

    def __init__(self, seed: int) -> None:
        self.roll = random.Random(seed)
        self.owner = membership_set(user=User.objects.create_user(f"o{seed}@acme.example"), role=Role.OWNER)
        self.corpora = [documents.corpus_create(name=f"C{n}", slug=f"c{n}-{seed}") for n in range(2)]
        self.documents = [
            shelve(f"d{n}-{seed}.md", b"# One\n\nA line.\n", corpus=self.corpora[n % 2], restricted=n == 3)
            for n in range(4)
        ]
        self.audiences = [audience_create(name=f"A{n} {seed}", slug=f"a{n}-{seed}") for n in range(2)]
        self.users = [User.objects.create_user(f"u{n}-{seed}@acme.example") for n in range(2)]
        self.people = [end_user_for_account(user=user) for user in self.users]
        self.people.append(EndUser.objects.create(subject=f"id:reader-{seed}", kind="identified"))

    def step(self) -> None:
        pick = self.roll.choice
        person, audience = pick(self.people), pick(self.audiences)
        person.refresh_from_db()
        everyone = Audience.objects.get(slug=Audience.EVERYONE).group_id
        holder = pick(
            [{"group_id": audience.group_id}, {"group_id": everyone}, {"user_id": pick(self.users).pk}]
        )
        document, corpus = pick(self.documents).pk, pick(self.corpora).pk
        pick(
            [
                lambda: documents.corpus_grant(corpus_id=corpus, **holder),
                lambda: documents.corpus_revoke(corpus_id=corpus, **holder),
                lambda: documents.document_grant(document_id=document, **holder),
                lambda: documents.document_revoke(document_id=document, **holder),
                lambda: documents.documents_grant(document_ids=[document], group_ids=[audience.group_id]),
                lambda: documents.documents_revoke(document_ids=[document], group_ids=[audience.group_id]),
                lambda: documents.corpora_grant(corpus_ids=[corpus], group_ids=[audience.group_id]),
                lambda: documents.corpora_revoke(corpus_ids=[corpus], group_ids=[audience.group_id]),
                lambda: documents.document_restrict(document_id=document, restricted=pick([True, False])),
                lambda: documents.documents_restrict(document_ids=[document], restricted=pick([True, False])),
                lambda: audiences_join(end_user=person, audiences=[audience]),
                lambda: audience_remove(audience=audience, end_user_id=person.pk),
                lambda: audiences_set(end_user=person, audiences=self.roll.sample(self.audiences, 1)),
                lambda: documents.document_grant(
                    document_id=document, group_id=audience_of_one(end_user=person).group_id
                ),
                self._role,
                self._out,
            ]
        )()

    def _role(self) -> None:
        """Whoever comes back is, with the first visit, the end user they were."""
        user = self.roll.choice(self.users)
        membership_set(user=user, role=self.roll.choice([Role.ANALYST, Role.EDITOR]))
        end_user_for_account(user=user)

    def _out(self) -> None:
        member = Membership.objects.exclude(pk=self.owner.pk).order_by("created_at").last()
        if member is not None:
            member_remove(membership_id=member.pk, by=self.owner)

    def seen(self) -> set[tuple[str, str]]:
        """(person, document) as a search would decide it now."""
        found = set()
        for person in EndUser.objects.select_related("user").filter(pk__in=[one.pk for one in self.people]):
            principal = principal_for(tenant_id=person.tenant_id, user=person.user, end_user=person)
            found |= {
                (str(person.pk), str(one))
                for one in documents_visible_to(principal).values_list("pk", flat=True)
            }
        return found


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_the_log_tells_of_every_moment_what_the_search_decided_then(scoped, rival, seed):
    with tenant_scope(rival.id):
        documents.corpus_create(name="Theirs", slug="theirs")
    story = Story(seed)
    moments = [(AuditEntry.objects.latest("seq").seq, story.seen())]
    for _ in range(STEPS):
        story.step()
        moments.append((AuditEntry.objects.latest("seq").seq, story.seen()))
    past, seq, corpora = Past(names_now()), 0, dict(Document.objects.values_list("pk", "corpus_id"))
    for until, seen in moments:
        for entry in AuditEntry.objects.filter(action__in=ACTIONS, seq__gt=seq, seq__lte=until).order_by(
            "seq"
        ):
            past.read(entry)
        seq = until
        told = {
            (str(person.pk), str(one.pk))
            for person in story.people
            for one in story.documents
            if past.may_see(str(person.pk), str(one.pk), str(corpora[one.pk]), now())
        }
        assert told == seen, f"after entry {until}"
    assert len({frozenset(seen) for _, seen in moments}) > 3


@pytest.fixture(autouse=True)
def to_the_moment(monkeypatch):
    """Tests change things within milliseconds: what is a little before and after a turn counts for nothing here."""
    monkeypatch.setattr(permissions, "SLACK", timedelta(0))


def today():
    return {"since": now() - timedelta(hours=1), "until": now() + timedelta(hours=1)}


def test_what_was_allowed_then_is_allowed_although_it_was_taken_back_since(library, tenant):  # noqa: F811
    answered(visitor(tenant), "What is the RPO in Frankfurt?")
    documents.corpus_revoke(corpus_id=library.pk, group_id=Audience.objects.get(slug="everyone").group_id)
    told = permissions_check(**today())
    assert (told.allowed > 0, told.forbidden, told.untold, told.gone) == (True, 0, 0, 0)


@pytest.fixture
def leaked(library, tenant):  # noqa: F811
    """A search that gave more than it should: a restricted document is put among what a turn was shown."""
    secret = shelve("board.md", b"# Board\n\nThe board meets in May.\n", corpus=library, restricted=True)

    def shown():
        turn = answered(visitor(tenant), "What is the RPO in Frankfurt?")
        trace = TurnTrace.objects.get(turn=turn)
        trace.data["candidates"].append({"chunk": str(secret.pk), "document": str(secret.pk)})
        trace.save()
        return turn

    return secret, shown


def test_what_was_shown_to_somebody_who_might_not_see_it_is_a_finding_once(leaked):
    secret, shown = leaked
    turn = shown()
    for _ in range(2):
        assert permissions_check(**today()).forbidden == 1
    finding = Finding.objects.get()
    assert (finding.kind, finding.severity, finding.turn) == ("permission", "high", turn.n)
    assert finding.evidence == {"documents": [str(secret.pk)]} and finding.session_id == turn.session_id


def test_neither_a_grant_that_ended_before_nor_one_that_came_after_makes_it_good(leaked):
    secret, shown = leaked
    everyone = {"document_id": secret.pk, "group_id": Audience.objects.get(slug="everyone").group_id}
    documents.document_grant(**everyone)
    shown()
    assert permissions_check(**today()).forbidden == 0
    documents.document_revoke(**everyone)
    shown()
    documents.document_grant(**everyone)
    assert permissions_check(**today()).forbidden == 1


def test_what_the_log_cannot_tell_is_counted_apart_and_is_no_finding(library, tenant):  # noqa: F811
    """The audience through which the person saw it is deleted since; and a document that is gone proves nothing."""
    readers = audience_create(name="Readers")
    secret = shelve("board.md", b"# Board\n\nThe board meets in May.\n", corpus=library, restricted=True)
    documents.document_grant(document_id=secret.pk, group_id=readers.group_id)
    asker = visitor(tenant)
    audiences_join(end_user=asker.end_user, audiences=[readers])
    answered(asker, "When does the board meet?")
    assert permissions_check(**today()).untold == 0
    audience_delete(audience_id=readers.pk)
    told = permissions_check(**today())
    assert told.untold == 1 and told.forbidden == 0
    documents.document_delete(document_id=secret.pk)
    assert permissions_check(**today()).gone == 1 and not Finding.objects.exists()


def test_a_log_that_does_not_begin_with_the_workspace_proves_nothing(library, tenant, monkeypatch):  # noqa: F811
    answered(visitor(tenant), "What is the RPO in Frankfurt?")
    monkeypatch.setattr(permissions, "log_is_whole", lambda: False)
    told = permissions_check(**today())
    assert told.untold > 0 and told.allowed == told.forbidden == 0


def test_the_rivals_turns_are_not_read(library, tenant, rival):  # noqa: F811
    answered(visitor(tenant), "What is the RPO in Frankfurt?")
    with tenant_scope(rival.id):
        told = permissions_check(**today())
        assert told.allowed == told.forbidden == told.untold == told.gone == 0


def test_every_action_that_changes_who_may_see_what_is_read():
    """Of all that is recorded about audiences, members and grants only what an audience is called changes nothing."""
    about = ("membership.", "support.", "audience.", "end_user.audiences", "access.", "documents.restricted")
    named = {"audience.created", "audience.changed", "audience.deleted"}
    assert {action for action in recorded() if action.startswith(about)} - named == set(ACTIONS)


def test_a_period_without_turns_reads_no_log(library, tenant):  # noqa: F811
    with CaptureQueriesContext(connection) as asked:
        assert permissions_check(**today()) == permissions.Permissions()
    assert not [query for query in asked if AuditEntry._meta.db_table in query["sql"]]
