"""Names for JSON shapes, and the quick way to write them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import orjson

JsonObject = dict[str, Any]
JsonValue: TypeAlias = "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

json_read = orjson.loads
"""Reads JSON; a whole number past 64 bits becomes a float."""

_ONLY_JSON = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def json_text(value: Any) -> str:
    """`value` as JSON; NaN and infinity are null. Raises `TypeError` for what JSON does not know.

    What orjson is too strict for, the standard library writes: numbers past 64 bits, keys that are no texts, and
    half characters, which PostgreSQL then refuses.
    """
    try:
        return orjson.dumps(value, option=_ONLY_JSON).decode()
    except TypeError:
        return json.dumps(value)
