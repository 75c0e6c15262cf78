"""Tables of who owns what. Every tenant table also has row-level security and composite references (migrations)."""

from __future__ import annotations

from tenants.models.audiences import Audience, EndUser, EndUserAudience, EndUserKind
from tenants.models.audit import AuditEntry, AuditHead, TenantSecret
from tenants.models.base import TenantKey, TenantModel
from tenants.models.erasures import Erasure, ErasureState, TenantErasure
from tenants.models.keys import Algorithm, ApiKey, IdentityKey, Scope, WidgetKey
from tenants.models.members import Invitation, Membership, Role, SignInProvider, User, UserManager
from tenants.models.tenant import Retention, Tenant
from tenants.models.usage import DataExport, ExportState, IdempotentRequest, UsageDay, UsageFlush
from tenants.models.versions import Version, VersionKind, VersionState
from tenants.models.webhooks import DeliveryState, Webhook, WebhookDelivery

__all__ = [
    "Algorithm",
    "ApiKey",
    "Audience",
    "AuditEntry",
    "AuditHead",
    "DataExport",
    "DeliveryState",
    "EndUser",
    "EndUserAudience",
    "EndUserKind",
    "Erasure",
    "ErasureState",
    "ExportState",
    "IdempotentRequest",
    "IdentityKey",
    "Invitation",
    "Membership",
    "Retention",
    "Role",
    "Scope",
    "SignInProvider",
    "Tenant",
    "TenantErasure",
    "TenantKey",
    "TenantModel",
    "TenantSecret",
    "UsageDay",
    "UsageFlush",
    "User",
    "UserManager",
    "Version",
    "VersionKind",
    "VersionState",
    "Webhook",
    "WebhookDelivery",
    "WidgetKey",
]
