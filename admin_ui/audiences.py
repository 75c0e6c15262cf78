"""Audiences and who is in them, as the console changes them."""

from __future__ import annotations

from tenants.services.audiences import (
    AudienceBuiltIn,
    NobodyOfThatName,
    audience_add,
    audience_open,
    audience_remove,
)

__all__ = ["AudienceBuiltIn", "NobodyOfThatName", "audience_add", "audience_open", "audience_remove"]
