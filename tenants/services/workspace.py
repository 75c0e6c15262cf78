"""A workspace as its people see it: name, texts, colour, and whether visitors may chat."""

from __future__ import annotations

import re
from typing import Any

from django.db import transaction

from kernel.errors import Invalid
from tenants.models import Tenant
from tenants.scoping import current_tenant_id
from tenants.services.audit import audit_record
from tenants.standing import Ground, standing_changed

MOST_QUESTIONS = 8
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@transaction.atomic
def workspace_update(
    *,
    name: str | None = None,
    tagline: str | None = None,
    greeting: str | None = None,
    suggested_questions: list[str] | None = None,
    accent: str | None = None,
    anonymous_chat: bool | None = None,
) -> Tenant:
    """Change the current tenant's profile; what is None stays. Raises `Invalid`."""
    asked: dict[str, Any] = {
        "name": name,
        "tagline": tagline,
        "greeting": greeting,
        "suggested_questions": suggested_questions,
        "accent": accent,
        "anonymous_chat": anonymous_chat,
    }
    tenant = Tenant.objects.select_for_update().get(pk=current_tenant_id())
    changed = {field: value for field, value in asked.items() if value not in (None, getattr(tenant, field))}
    _check(changed)
    for field, value in changed.items():
        setattr(tenant, field, value)
    if changed:
        tenant.save(update_fields=list(changed))
        audit_record("workspace.changed", changed=sorted(changed))
    if "anonymous_chat" in changed:
        standing_changed(Ground.TENANT, tenant.pk)
    return tenant


def _check(changed: dict[str, Any]) -> None:
    if "name" in changed and not changed["name"].strip():
        raise Invalid(reason="The workspace needs a name.")
    if "accent" in changed and not _COLOUR.fullmatch(changed["accent"]):
        raise Invalid(reason="A colour is written as # and six hexadecimal digits.")
    if len(changed.get("suggested_questions", [])) > MOST_QUESTIONS:
        raise Invalid(reason=f"At most {MOST_QUESTIONS} questions are suggested.")
