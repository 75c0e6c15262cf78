"""Writing who owns what. Entered by name: `from tenants.services.keys import api_key_create`."""

from __future__ import annotations

from tenants.services.people import (
    BUILTIN_AUDIENCES,
    LONGEST_RETENTION_DAYS,
    audience_create,
    audiences_join,
    end_user_for_account,
    end_user_for_device,
    membership_set,
    retention_set,
    tenant_create,
)

__all__ = [
    "BUILTIN_AUDIENCES",
    "LONGEST_RETENTION_DAYS",
    "audience_create",
    "audiences_join",
    "end_user_for_account",
    "end_user_for_device",
    "membership_set",
    "retention_set",
    "tenant_create",
]
