"""How a widget looks, as data: the schema that the console, REST and the frame share."""

from __future__ import annotations

from typing import Any

import jsonschema

from kernel.errors import Invalid
from kernel.json import JsonObject


def _text(longest: int) -> JsonObject:
    return {"type": "string", "maxLength": longest, "pattern": r"^[^\u0000-\u0008\u000b-\u001f]*$"}


LOOK: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "The look of a widget",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "name": {**_text(80), "description": "Above the chat; else the workspace's name."},
        "accent": {
            "type": "string",
            "maxLength": 7,
            "pattern": "^#[0-9a-fA-F]{6}$",
            "description": "Colour of buttons and links.",
        },
        "theme": {"enum": ["auto", "light", "dark"], "description": "`auto` is the browser's."},
        "position": {"enum": ["right", "left"], "description": "Side of the page that the launcher is on."},
        "greeting": {**_text(300), "description": "First words in an empty chat."},
        "suggestions": {
            "type": "array",
            "maxItems": 6,
            "items": {**_text(120), "minLength": 1},
            "description": "Questions to begin with.",
        },
        "language": {
            "type": "string",
            "maxLength": 35,
            "pattern": r"^(auto|[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*)(?![\s\S])",
            "description": "Of the buttons and notes; `auto` is the browser's.",
        },
        "launcher": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "icon": {"enum": ["chat", "help", "spark"]},
                "label": {**_text(24), "description": "Words beside the icon."},
                "open": {"type": "boolean", "description": "Open at once on wide screens."},
            },
        },
    },
}
_VALIDATOR = jsonschema.Draft202012Validator(LOOK)


def look_checked(look: Any) -> JsonObject:
    """The look if it follows the schema. Raises `Invalid` with the first thing that does not."""
    for error in _VALIDATOR.iter_errors(look):
        where = ".".join(str(step) for step in error.absolute_path) or "The look"
        raise Invalid(reason=f"{where}: {error.message[:200]}")
    return dict(look)
