"""Fields that take what the description says and nothing that merely resembles it, and store what can be stored."""

from __future__ import annotations

import json
import re
from typing import Any, cast
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from kernel.json import JsonObject

_DEEPEST = 40


class Text(serializers.CharField):
    """A string; a number or a truth value is none."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class Whole(serializers.IntegerField):
    """A whole number; a text with digits is none."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return int(super().to_internal_value(data))


class Id(serializers.UUIDField):
    """A UUID, written as one; a number is none."""

    def to_internal_value(self, data: Any) -> UUID:
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        found: UUID = super().to_internal_value(data)
        return found


class Flag(serializers.BooleanField):
    """True or false; "yes" and 1 are neither."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Choice(serializers.ChoiceField):
    """One of some strings."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=data)
        return super().to_internal_value(data)


_HALF = re.compile("[\ud800-\udfff]")


def holds_half_characters(text: str) -> bool:
    """Whether a text was cut in the middle of a character, such as an emoji: half of one is no text and is not stored."""
    return _HALF.search(text) is not None


def whole_characters(value: Any) -> None:
    """A validator of any JSON. Raises where a text in it holds half a character."""
    if holds_half_characters(json.dumps(value, ensure_ascii=False)):
        raise serializers.ValidationError(
            "A text in it holds half a character, as when an emoji is cut in two."
        )


@extend_schema_field(OpenApiTypes.OBJECT)
class JsonObjectField(serializers.Field):  # type: ignore[type-arg]
    """An object that PostgreSQL can hold."""

    default_error_messages = {
        "not_an_object": "An object is expected.",
        "too_large": "The object is larger than {limit} characters or deeper than 40 levels.",
        "unstorable": "The object holds a character that cannot be stored.",
    }

    def __init__(self, *, most_characters: int = 100_000, **options: Any) -> None:
        super().__init__(**options)
        self._most = most_characters

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("not_an_object")
        if _depth(data) > _DEEPEST or len(text := json.dumps(data, ensure_ascii=False)) > self._most:
            self.fail("too_large", limit=self._most)
        if "\\u0000" in text or holds_half_characters(text):
            self.fail("unstorable")
        return cast(dict[str, Any], data)

    def to_representation(self, value: Any) -> Any:
        return value


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level and deepest <= _DEEPEST:
        deepest += 1
        inner = [list(v.values()) if isinstance(v, dict) else v for v in level if isinstance(v, dict | list)]
        level = [item for items in inner for item in items]
    return deepest


class Input(serializers.Serializer):  # type: ignore[type-arg]
    """What a request holds. A field that is not described is refused, so that a typing error is not lost."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := [name for name in data if name not in self.fields]):
            told = {str(name)[:80]: ["There is no such field."] for name in unknown[:20]}
            raise serializers.ValidationError(cast(Any, told))
        return super().to_internal_value(data)


class Output(serializers.Serializer):  # type: ignore[type-arg]
    """What an answer holds. Every field is there, always."""


def shown(output: serializers.BaseSerializer[Any]) -> JsonObject:
    """An answer, as plain data."""
    data: Any = output.data
    return dict(data)
