"""A query parameter that is not described is refused, with its name and with those that there are."""

from __future__ import annotations

import pytest

from tests.api.endpoints import endpoints
from tests.api.programs import Program, key_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(tenant):
    return Program(key_of(tenant))


def error_in(answer):
    return answer.json()["error"]


def test_an_unknown_parameter_is_named_with_those_that_are_known(ask):
    error = error_in(ask("GET", "/api/v1/documents?limit=5&stat=failed"))
    assert error["extra"]["parameter"] == "stat"
    assert error["extra"]["known"] == ["corpus", "state", "cursor", "limit"]
    assert (
        "no query parameter stat" in error["message"] and "corpus, state, cursor, limit" in error["message"]
    )
    assert "It takes none" in error_in(ask("GET", "/api/v1/workspace?x="))["message"]


def test_every_address_takes_the_parameters_that_it_describes_and_no_other(ask):
    """Also where nothing is found: what is wrong with the address comes first."""
    refused = 0
    for endpoint in endpoints():
        if not endpoint.path.startswith("/api/v1/"):
            continue
        error = error_in(ask(endpoint.method, f"{endpoint.address()}?no_such=1", {}))
        assert error["code"] in ("unknown_parameter", "not_permitted"), endpoint.key
        refused += error["code"] == "unknown_parameter"
    assert refused > 100, "a key with every scope may do nearly everything"


def test_clients_of_openais_dialect_may_send_parameters_of_their_own(ask, tenant):
    assert ask("GET", "/v1/models?api-version=2024-10-21").status_code == 200
