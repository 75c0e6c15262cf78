"""docs/api.md lists every endpoint, and the OpenAPI description tells of each what a program has to know."""

from __future__ import annotations

import pytest
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from tests.api.endpoints import Endpoint, endpoints
from tests.docs.api_table import table, written


@pytest.fixture(scope="module")
def description():
    return SchemaGenerator(urlconf="config.api_urls").get_schema(request=None, public=True)


def test_the_page_lists_every_endpoint_as_it_is():
    assert written() == table(), "run `python -m tests.docs.api_table`"


def test_it_is_a_valid_description(description):
    validate_schema(description)
    assert set(description["components"]["securitySchemes"]) == {"apiKey", "cookie", "sessionToken"}


def test_no_two_operations_have_the_same_name(description):
    names = [told["operationId"] for methods in description["paths"].values() for told in methods.values()]
    assert len(names) == len(set(names)) > 90


@pytest.mark.parametrize("endpoint", endpoints(), ids=lambda endpoint: endpoint.key)
def test_an_operation_tells_what_it_does_needs_and_answers(description, endpoint: Endpoint):
    told = description["paths"][endpoint.path][endpoint.method.lower()]
    assert told["summary"] and len(told["tags"]) == 1 and told["security"]
    refused = told["responses"]["401"]["content"]["application/json"]["schema"]
    assert refused == {"$ref": "#/components/schemas/Error"} and "403" in told["responses"]
    good = [answer for status, answer in told["responses"].items() if status in ("200", "201", "202")]
    shown = [content.get("examples") for answer in good for content in answer["content"].values()]
    assert all(shown) or endpoint.path in WITHOUT_EXAMPLE
    body = told.get("requestBody", {}).get("content", {})
    assert all("examples" in content for kind, content in body.items() if kind == "application/json")


WITHOUT_EXAMPLE = {
    "/api/v1/evaluations/sets/{set_id}/export",
    "/api/v1/audit-log/export",
    "/api/v1/exports/{export_id}/archive",
    "/v1/chat/completions",
}
