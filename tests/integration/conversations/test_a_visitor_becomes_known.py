"""What a visitor asked before signing in becomes theirs: by their device's token only, and all of it."""

from __future__ import annotations

from uuid import uuid4

import pytest

from conversations import errors, wiring
from conversations.adapters import session_cache
from conversations.identity import Asker
from conversations.models import Session, Turn
from conversations.selectors import access_session, sessions_of
from conversations.services.adoption import sessions_adopt
from conversations.services.turns import turn_accept
from tenants.devices import device_token
from tenants.models import AuditEntry
from tenants.scoping import tenant_scope
from tenants.services import end_user_for_account, end_user_for_device
from tenants.services.identities import end_user_of_identity
from tests.integration.conversations.conftest import answered, visitor
from tests.integration.tenants.signing import claims, signer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def known(library, tenant):
    return end_user_of_identity(signer().sign(claims(tenant)))


def adopt(token, end_user):
    return wiring.run_apart(sessions_adopt(device_token=token, end_user=end_user))


def hot(end_user_id, session_id):
    return wiring.run_apart(session_cache.load(end_user_id=end_user_id, session_id=session_id))


def test_the_conversation_goes_on_for_the_known_person_and_is_the_visitors_no_more(tenant, known):
    one = visitor(tenant, "one")
    first = answered(one, "What is the RPO in Frankfurt?")
    assert hot(one.end_user_id, first.session_id) is not None
    assert adopt(device_token(tenant.pk, "one"), known) == 1
    assert hot(one.end_user_id, first.session_id) is None
    with pytest.raises(errors.SessionNotFound):
        access_session(session_id=first.session_id, end_user_id=one.end_user_id)
    assert sessions_of(end_user_id=one.end_user_id) == []
    second = answered(Asker(tenant, known, None), "and in Dublin?", first.session_id)
    assert "15 minutes" in second.answer and second.session_id == first.session_id
    assert hot(known.pk, first.session_id) is not None and hot(one.end_user_id, first.session_id) is None


def test_doing_it_again_changes_nothing(tenant, known):
    answered(visitor(tenant, "one"), "What is the RPO in Frankfurt?")
    token = device_token(tenant.pk, "one")
    assert [adopt(token, known) for _ in range(3)] == [1, 0, 0]
    entry = AuditEntry.objects.get(action="sessions.adopted")
    assert (entry.actor, entry.actor_id, entry.target) == ("end_user", str(known.pk), str(known.pk))
    assert entry.data["sessions"] == 1 and "Frankfurt" not in str(entry.data)


@pytest.mark.parametrize("forge", [lambda t, r: "", lambda t, r: "one", lambda t, r: device_token(r.pk, "one"),
                                   lambda t, r: device_token(t.pk, "one")[:-1], lambda t, r: device_token(t.pk, "two"),
                                   lambda t, r: "\ud800", lambda t, r: device_token(t.pk, "account:1")])  # fmt: skip
def test_nothing_but_the_devices_own_token_moves_anything(tenant, rival, known, forge):
    turn = answered(visitor(tenant, "one"), "What is the RPO in Frankfurt?")
    assert adopt(forge(tenant, rival), known) == 0
    assert Session.objects.get().end_user_id == visitor(tenant, "one").end_user_id == turn.session.end_user_id


def test_conversations_of_other_devices_and_tenants_stay_where_they_are(tenant, rival, known):
    answered(visitor(tenant, "two"), "What is the RPO in Frankfurt?")
    with tenant_scope(rival.pk):
        theirs = turn_accept(
            end_user_id=end_user_for_device(device="one").pk,
            session_id=None,
            client_id=str(uuid4()),
            text="Aurora?",
        )
    answered(visitor(tenant, "one"), "What does a key cost?")
    assert adopt(device_token(tenant.pk, "one"), known) == 1
    assert [row["title"] for row in sessions_of(end_user_id=known.pk)] == ["What does a key cost?"]
    with tenant_scope(rival.pk):
        assert Session.objects.get().pk == theirs.turn.session_id


def test_an_account_that_has_the_device_too_takes_its_conversations_along(tenant, known, django_user_model):
    answered(visitor(tenant, "one"), "What is the RPO in Frankfurt?")
    ann = end_user_for_account(user=django_user_model.objects.create_user("ann@acme.example", "x"))
    assert adopt(device_token(tenant.pk, "one"), ann) == 1
    assert len(sessions_of(end_user_id=ann.pk)) == 1


def test_the_same_client_id_on_both_sides_is_no_obstacle(tenant, known):
    client_id = str(uuid4())
    for end_user_id in (known.pk, visitor(tenant, "one").end_user_id):
        turn_accept(
            end_user_id=end_user_id, session_id=None, client_id=client_id, text="What does a key cost?"
        )
    assert adopt(device_token(tenant.pk, "one"), known) == 1
    assert Session.objects.filter(end_user=known).count() == 2
    again = turn_accept(
        end_user_id=known.pk, session_id=None, client_id=client_id, text="What does a key cost?"
    )
    assert not again.created and Turn.objects.count() == 2


def test_a_conversation_that_changes_hands_in_mid_answer_leaves_nothing_with_the_visitor(
    tenant, known, monkeypatch
):
    from conversations.services import answering

    one, token = visitor(tenant, "one"), device_token(tenant.pk, "one")
    run = answering._run

    async def adopted_meanwhile(given, ports, live):
        assert await sessions_adopt(device_token=token, end_user=known) == 1
        await run(given, ports, live)

    monkeypatch.setattr(answering, "_run", adopted_meanwhile)
    turn = answered(one, "What is the RPO in Frankfurt?")
    assert turn.state == "completed" and turn.session.end_user_id == known.pk
    assert hot(one.end_user_id, turn.session_id) is None
