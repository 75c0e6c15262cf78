"""How a chat looks: the widget's look over the workspace's own."""

from __future__ import annotations

from typing import Any

from kernel.json import JsonObject
from tenants.models import Tenant, WidgetKey


def look_shown(tenant: Tenant, widget_key: WidgetKey | None) -> JsonObject:
    """Every field of `tenants.look.LOOK`, filled in."""
    own: dict[str, Any] = {
        "name": tenant.name,
        "accent": tenant.accent,
        "theme": "auto",
        "position": "right",
        "greeting": tenant.greeting,
        "suggestions": tenant.suggested_questions,
        "language": "auto",
        "launcher": {"icon": "chat", "label": "", "open": False},
    }
    look: JsonObject = widget_key.look if widget_key else {}
    return {**own, **look, "launcher": {**own["launcher"], **look.get("launcher", {})}}
