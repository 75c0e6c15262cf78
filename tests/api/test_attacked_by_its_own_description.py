"""Schemathesis reads the OpenAPI description and attacks the API by it: no 500, and every answer as described.

Each operation is asked with values that fit the description and with values that do not, half of them about things
that are there. Bounded and the same each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of
from tests.integration.conversations.conftest import library, visitor  # noqa: F401

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.unsupported_method,
]
EXAMPLES = {GenerationMode.POSITIVE: 3, GenerationMode.NEGATIVE: 2}
BOUNDED = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def there(library: Any, tenant: Any) -> dict[str, Any]:  # noqa: F811
    """Things that exist, by the name of the parameter that they are found by."""
    from tests.integration.conversations.conftest import answered

    turn = answered(visitor(tenant), "What is the RPO in Frankfurt?")
    ask = Program(key_of(tenant))
    audience = ask("POST", "/api/v1/audiences", {"name": "Nurses"}).json()
    widget = ask("POST", "/api/v1/widgets", {"name": "Site"}).json()
    with tenant_scope(tenant.id):
        document = library.documents.first()
        return {
            "corpus_id": str(library.pk),
            "document_id": str(document.pk),
            "passage_id": str(document.chunks.first().pk),
            "session_id": str(turn.session_id),
            "turn_id": str(turn.pk),
            "end_user_id": str(turn.session.end_user_id),
            "audience_id": audience["id"],
            "key_id": widget["id"],
            "kind": "policy",
            "name": "scope",
            "number": 0,
            "model": tenant.slug,
        }


def attack(described: Any, there: dict[str, Any], headers: dict[str, str]) -> list[str]:
    """What was found, by operation."""
    found = []
    for result in described.get_all_operations():
        operation = result.ok()
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            try:
                attacked(operation.as_strategy(generation_mode=mode), there, headers, EXAMPLES[mode])()
            except Exception as failure:
                found.append(f"{operation.label} ({mode.value}): {told(failure)}")
    return found


def told(failure: BaseException) -> str:
    """With what is inside: a failure that depends on what is there by then does not come a second time."""
    inner = failure.exceptions if isinstance(failure, BaseExceptionGroup) else ()
    because = [failure.__cause__] if failure.__cause__ else []
    return "; ".join([f"{type(failure).__name__} {failure}", *map(told, [*inner, *because])])


def attacked(cases: Any, there: dict[str, Any], headers: dict[str, str], examples: int) -> Callable[[], None]:
    @settings(BOUNDED, max_examples=examples)
    @given(case=cases, real=st.booleans())
    def run(case: Any, real: bool) -> None:
        if real and case.meta.generation.mode is GenerationMode.POSITIVE and case.method.upper() != "DELETE":
            names = case.path_parameters or {}
            names.update({name: there[name] for name in names if name in there})
        response = case.call(headers=headers)
        case.validate_response(response, checks=CHECKS)

    return run


@pytest.mark.takes(35)
@pytest.mark.django_db(transaction=True)
def test_it_finds_no_server_error_and_no_answer_that_is_not_described(there, tenant, settings):
    settings.QUOTAS = {**settings.QUOTAS, "key_requests_per_minute": None}
    app = get_wsgi_application()
    described = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    headers = {"Authorization": f"Bearer {key_of(tenant)}"}
    assert attack(described, there, headers) == []
