"""What the guard flagged is judged by REST: confirmed, dismissed, put back; twice, not flagged, too long, the rival's."""

from __future__ import annotations

from uuid import uuid4

import pytest

from conversations.audits.records import TurnJudgement
from conversations.models import Turn
from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of
from tests.integration.admin_ui.rows import make_session

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(tenant, person):
    return Program(key_of(tenant, by=person(tenant, "ada@acme.example", "owner")))


@pytest.fixture
def flagged(tenant):
    with tenant_scope(tenant.id):
        session = make_session(turns=2)
        turns = list(Turn.objects.filter(session=session).order_by("n"))
        Turn.objects.filter(pk=turns[0].pk).update(verdict="contaminated")
        Turn.objects.filter(pk=turns[1].pk).update(verdict="clean")
        return [f"/api/v1/turns/{turn.pk}/judgement" for turn in turns]


def stored(tenant):
    with tenant_scope(tenant.id):
        return list(TurnJudgement.objects.values_list("judgement", "note"))


def test_the_last_judgement_holds_and_a_turn_goes_back_into_the_queue(ask, flagged, tenant):
    first = ask("PUT", flagged[0], {"judgement": "confirmed", "note": "  The other   product's price. "})
    assert first.status_code == 200 and first.json()["note"] == "The other product's price."
    assert ask("PUT", flagged[0], {"judgement": "dismissed"}).json()["judgement"] == "dismissed"
    assert stored(tenant) == [("dismissed", "")]
    for _ in range(2):
        assert ask("PUT", flagged[0], {"judgement": "open"}).json()["judgement"] == "open"
    assert stored(tenant) == []


@pytest.mark.parametrize(
    "body",
    [{}, {"judgement": "maybe"}, {"judgement": "confirmed", "note": "x" * 501}, {"judgement": ["open"]}],
)
def test_what_is_no_judgement_is_refused(ask, flagged, tenant, body):
    assert ask("PUT", flagged[0], body).status_code == 400 and stored(tenant) == []


def test_a_turn_that_was_not_flagged_is_not_found_nor_one_of_another_tenant(ask, flagged, tenant, rival):
    assert ask("PUT", flagged[1], {"judgement": "confirmed"}).status_code == 404
    assert ask("PUT", f"/api/v1/turns/{uuid4()}/judgement", {"judgement": "open"}).status_code == 404
    theirs = Program(key_of(rival))
    for judgement in ("confirmed", "open"):
        assert theirs("PUT", flagged[0], {"judgement": judgement}).status_code == 404
    assert stored(tenant) == []
