"""Addresses of a workspace's own things, below `/api/v1/`."""

from __future__ import annotations

from django.urls import path

from tenants.api import (
    audiences,
    audit,
    data,
    keys,
    members,
    secrets,
    sign_in_providers,
    two_factor,
    usage,
    versions,
    webhooks,
    widgets,
    workspace,
)

_VERSIONED = "versions/<slug:kind>/<slug:name>"

urlpatterns = [
    path("workspace", workspace.Workspace.as_view()),
    path("workspace/retention", workspace.WorkspaceRetention.as_view()),
    path("workspace/two-factor", two_factor.WorkspaceTwoFactor.as_view()),
    path("audiences", audiences.Audiences.as_view()),
    path("audiences/<uuid:audience_id>", audiences.AudienceDetail.as_view()),
    path("audiences/<uuid:audience_id>/end-users", audiences.AudienceEndUsers.as_view()),
    path(
        "audiences/<uuid:audience_id>/end-users/<uuid:end_user_id>", audiences.AudienceEndUserDetail.as_view()
    ),
    path("end-users", audiences.EndUsers.as_view()),
    path("end-users/<uuid:end_user_id>", audiences.EndUserDetail.as_view()),
    path("end-users/<uuid:end_user_id>/erase", data.EndUserErasure.as_view()),
    path("erasures", data.Erasures.as_view()),
    path("erasures/<uuid:erasure_id>", data.ErasureDetail.as_view()),
    path("exports", data.Exports.as_view()),
    path("exports/<uuid:export_id>", data.ExportDetail.as_view()),
    path("exports/<uuid:export_id>/archive", data.ExportArchive.as_view()),
    path("members", members.Members.as_view()),
    path("members/<uuid:member_id>", members.MemberDetail.as_view()),
    path("invitations", members.Invitations.as_view()),
    path("invitations/<uuid:invitation_id>", members.InvitationDetail.as_view()),
    path("invitations/<uuid:invitation_id>/renew", members.InvitationRenewal.as_view()),
    path("sign-in-providers", sign_in_providers.SignInProviders.as_view()),
    path("sign-in-providers/<uuid:provider_id>", sign_in_providers.SignInProviderDetail.as_view()),
    path("keys", keys.Keys.as_view()),
    path("keys/<uuid:key_id>", keys.KeyDetail.as_view()),
    path("identity-keys", keys.IdentityKeys.as_view()),
    path("identity-keys/<uuid:key_id>", keys.IdentityKeyDetail.as_view()),
    path("identity-keys/<uuid:key_id>/retire", keys.IdentityKeyRetire.as_view()),
    path("widgets", widgets.Widgets.as_view()),
    path("widgets/<uuid:key_id>", widgets.WidgetDetail.as_view()),
    path("versions", versions.AllVersioned.as_view()),
    path(_VERSIONED, versions.Versions.as_view()),
    path(f"{_VERSIONED}/check", versions.VersionCheck.as_view()),
    path(f"{_VERSIONED}/compare", versions.VersionComparison.as_view()),
    path(f"{_VERSIONED}/stage", versions.StageEnd.as_view()),
    path(f"{_VERSIONED}/roll-back", versions.RollBack.as_view()),
    path(f"{_VERSIONED}/<int:number>", versions.VersionDetail.as_view()),
    path(f"{_VERSIONED}/<int:number>/publish", versions.VersionPublication.as_view()),
    path(f"{_VERSIONED}/<int:number>/stage", versions.VersionStage.as_view()),
    path("audit-log", audit.AuditLog.as_view()),
    path("audit-log/verify", audit.AuditVerification.as_view()),
    path("audit-log/export", audit.AuditExport.as_view()),
    path("secrets", secrets.Secrets.as_view()),
    path("secrets/<slug:name>", secrets.SecretDetail.as_view()),
    path("usage", usage.Usage.as_view()),
    path("quotas", usage.Quotas.as_view()),
    path("webhooks", webhooks.Webhooks.as_view()),
    path("webhooks/<uuid:webhook_id>", webhooks.WebhookDetail.as_view()),
    path("webhooks/<uuid:webhook_id>/secret", webhooks.WebhookSecret.as_view()),
    path("webhooks/<uuid:webhook_id>/test", webhooks.WebhookTest.as_view()),
    path("webhooks/<uuid:webhook_id>/deliveries", webhooks.Deliveries.as_view()),
    path("deliveries/<uuid:delivery_id>/redeliver", webhooks.Redelivery.as_view()),
]
