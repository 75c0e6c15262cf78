"""How a widget looks, as data: the schema that the console, REST and the frame share."""

from __future__ import annotations

from typing import Any

import jsonschema
from jsonschema.exceptions import ValidationError

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
_CALLED = {
    "name": "The name above the chat",
    "accent": "The accent",
    "theme": "The theme",
    "position": "The side of the page",
    "greeting": "The greeting",
    "suggestions": "The list of questions to begin with",
    "language": "The language of the buttons",
    "launcher": "The launcher",
    "launcher.icon": "The launcher's icon",
    "launcher.label": "The text beside the icon",
    "launcher.open": "Whether it opens by itself",
}
_KINDS = {"string": "a text", "array": "a list", "object": "an object", "boolean": "true or false"}
_LIKE = {
    "accent": "a colour such as #2563eb: # and six digits from 0 to f",
    "language": "a language such as en or pt-BR, or auto",
}


def look_checked(look: Any) -> JsonObject:
    """The look if it follows the schema. Raises `Invalid` with the first thing that does not, and its `field`."""
    for error in _VALIDATOR.iter_errors(look):
        path = [str(step) for step in error.absolute_path]
        raise Invalid(reason=_in_words(error, path), field=".".join(path))
    return dict(look)


def _in_words(error: ValidationError, path: list[str]) -> str:
    """What is wrong, for who sees the form and for who sends JSON."""
    field = ".".join(path)
    allowed: Any = error.validator_value
    said: Any = error.instance
    schema: Any = error.schema
    who = (
        f"Question {int(path[1]) + 1} to begin with"
        if len(path) > 1 and path[1].isdigit()
        else _CALLED.get(field, "The look")
    )
    if field in _LIKE:
        return f"{who} is {_LIKE[field]}."
    match error.validator:
        case "maxLength":
            return f"{who} has {len(said)} characters, and at most {allowed} fit. Shorten it."
        case "maxItems":
            return f"{who} has {len(said)} lines, and at most {allowed} are shown. Take some away."
        case "minLength":
            return f"{who} is empty. Leave it out or say something."
        case "pattern":
            return f"{who} holds characters that cannot be seen. Type it anew instead of pasting it."
        case "enum":
            return f"{who} is one of: {', '.join(allowed)}."
        case "type":
            return f"{who} is {_KINDS[allowed]}."
    unknown = sorted(set(said) - set(schema["properties"]))
    return f"{who} has no setting called {', '.join(unknown)[:200]}."
