"""Says what is wrong with the data of a version: by its schema, in words, and then by what its owner checks."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from kernel.errors import Invalid
from kernel.json import JsonObject
from kernel.problems import Problem
from tenants.versioning.differences import path_of, path_to
from tenants.versioning.registry import Versioned

LARGEST_BYTES = 64_000
DEEPEST = 20
_TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a group of settings",
}


def check_storable(data: Any) -> JsonObject:
    """The data, when it is a JSON object that can be stored; a draft need not be right yet. Raises `Invalid`."""
    if not isinstance(data, dict):
        raise Invalid(reason="The data of a version must be a JSON object.")
    if any("\x00" in text for text in _texts(data)):
        raise Invalid(reason="Texts must not contain the character U+0000.")
    try:
        size = len(json.dumps(data, allow_nan=False, ensure_ascii=False).encode())
    except (TypeError, ValueError) as error:
        raise Invalid(reason="The data of a version must be plain JSON: no NaN, no broken text.") from error
    if size > LARGEST_BYTES:
        raise Invalid(reason=f"The data of a version may take {LARGEST_BYTES} bytes, this takes {size}.")
    return data


def _texts(data: Any) -> Iterator[str]:
    """Every text and key. Raises `Invalid` for what lies deeper than any policy: recursion must not end the request."""
    waiting = [(data, 1)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise Invalid(reason=f"The data of a version may be nested {DEEPEST} deep.")
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from (key for key in value if isinstance(key, str))
            waiting.extend((inner, depth + 1) for inner in value.values())
        elif isinstance(value, list):
            waiting.extend((inner, depth + 1) for inner in value)


def problems_of(versioned: Versioned, data: JsonObject) -> tuple[Problem, ...]:
    """Everything that is wrong: by the schema, or where that is content, by the owner's own check."""
    found = Draft202012Validator(versioned.schema).iter_errors(data)
    by_schema = tuple(problem for error in sorted(found, key=_place) for problem in _told(error))
    return by_schema or tuple(versioned.check(data))


def _place(error: ValidationError) -> list[str]:
    return [str(key) for key in error.absolute_path]


def _told(error: ValidationError) -> Iterator[Problem]:
    path, kind = path_of(error.absolute_path), str(error.validator)
    if kind == "additionalProperties":
        yield from _unknown(error, path)
    elif "propertyNames" in list(error.absolute_schema_path)[-2:]:
        yield _unlisted(str(error.instance), path, allowed_by(error.schema))
    elif kind == "required":
        yield from (Problem(path_to(path, key), "This is missing.") for key in _missing(error))
    else:
        yield Problem(path, _message(kind, error), allowed_by(error.schema))


def _unknown(error: ValidationError, path: str) -> Iterator[Problem]:
    schema, given = _parts(error)
    known = list(schema.get("properties", {}))
    for key in given:
        if key not in known:
            yield _unlisted(key, path, ", ".join(known))


def _unlisted(key: str, path: str, known: str) -> Problem:
    near = difflib.get_close_matches(key, known.split(", "), n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return Problem(path_to(path, key), f"There is no such setting.{hint}", known)


def _missing(error: ValidationError) -> Iterable[str]:
    schema, given = _parts(error)
    return (key for key in schema["required"] if key not in given)


def _parts(error: ValidationError) -> tuple[dict[str, Any], Any]:
    """The schema that was not met, and what was given."""
    return cast("dict[str, Any]", error.schema), error.instance


def _message(kind: str, error: ValidationError) -> str:
    schema, value = _parts(error)
    match kind:
        case "type":
            return f"This must be {_TYPES.get(str(schema['type']), str(schema['type']))}."
        case "minimum" | "exclusiveMinimum":
            return f"{value} is too small."
        case "maximum" | "exclusiveMaximum":
            return f"{value} is too large."
        case "enum":
            return f"{json.dumps(value)} is not one of the choices."
        case "minLength":
            return "This must not be empty."
        case "maxLength":
            return f"The text is too long: {len(value)} characters."
        case "minItems" | "maxItems":
            return f"The list has the wrong length: {len(value)}."
        case "uniqueItems":
            return "The list names something twice."
    return f"This is not right: {error.message[:200]}"


def allowed_by(schema: Any) -> str:
    """What a schema allows, in words: choices, a range with its unit, or a length."""
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    unit = f" {schema['x-unit']}" if schema.get("x-unit") else ""
    if "maxLength" in schema:
        return f"{schema.get('minLength', 0)} to {schema['maxLength']} characters"
    if "maxItems" in schema:
        return f"{schema.get('minItems', 0)} to {schema['maxItems']} entries"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{low} to {high}{unit}"
    return f"{low} or more{unit}" if low is not None else f"{high} or less{unit}" if high is not None else ""
