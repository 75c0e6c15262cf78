"""Addresses of the tenant console, below `/t/<tenant>/console/`."""

from __future__ import annotations

from django.urls import path

from admin_ui.data_urls import data_paths
from admin_ui.evaluation_urls import evaluation_paths
from admin_ui.sites import console
from admin_ui.version_urls import version_paths
from admin_ui.views import (
    access,
    audit_log,
    bulk,
    contamination,
    conversations,
    documents,
    keys,
    members,
    naming,
    overview,
    people,
    questions,
    search,
    sign_in_providers,
    spaces,
    turns,
    usage,
    widget_keys,
    widget_preview,
)
from admin_ui.webhook_urls import webhook_paths
from admin_ui.what_if_urls import what_if_paths

urlpatterns = [
    path("", console.admin_view(overview.overview), name="console"),
    path("documents/", console.admin_view(documents.documents), name="console-documents"),
    path("documents/upload", console.admin_view(documents.upload), name="console-documents-upload"),
    path("documents/bulk", console.admin_view(bulk.bulk), name="console-documents-bulk"),
    path("documents/import", console.admin_view(documents.import_), name="console-documents-import"),
    path("documents/<uuid:document_id>/", console.admin_view(documents.document), name="console-document"),
    path(
        "documents/<uuid:document_id>/retry",
        console.admin_view(documents.retry),
        name="console-document-retry",
    ),
    path(
        "documents/<uuid:document_id>/refresh",
        console.admin_view(documents.refresh),
        name="console-document-refresh",
    ),
    path(
        "documents/<uuid:document_id>/describe",
        console.admin_view(documents.describe),
        name="console-document-describe",
    ),
    path(
        "documents/<uuid:document_id>/delete",
        console.admin_view(documents.delete),
        name="console-document-delete",
    ),
    path(
        "documents/<uuid:document_id>/access",
        console.admin_view(access.document_access),
        name="console-document-access",
    ),
    path(
        "documents/<uuid:document_id>/seers",
        console.admin_view(people.seers),
        name="console-document-seers",
    ),
    path("search/", console.admin_view(search.search), name="console-search"),
    path("access/", console.admin_view(access.overview), name="console-access"),
    path("access/people/", console.admin_view(people.people), name="console-people"),
    path("access/seen/", console.admin_view(people.seen), name="console-seen"),
    path("access/corpora/", console.admin_view(access.corpus_new), name="console-corpus-new"),
    path("access/corpora/<uuid:corpus_id>/", console.admin_view(access.corpus), name="console-corpus"),
    path(
        "access/corpora/<uuid:corpus_id>/model",
        console.admin_view(spaces.model),
        name="console-corpus-model",
    ),
    path(
        "access/corpora/<uuid:corpus_id>/access",
        console.admin_view(access.corpus_access),
        name="console-corpus-access",
    ),
    path(
        "access/corpora/<uuid:corpus_id>/change",
        console.admin_view(naming.corpus_change),
        name="console-corpus-change",
    ),
    path(
        "access/corpora/<uuid:corpus_id>/delete",
        console.admin_view(naming.corpus_delete),
        name="console-corpus-delete",
    ),
    path("access/audiences/", console.admin_view(access.audience_new), name="console-audience-new"),
    path(
        "access/audiences/<uuid:audience_id>/change",
        console.admin_view(naming.audience_change),
        name="console-audience-change",
    ),
    path(
        "access/audiences/<uuid:audience_id>/delete",
        console.admin_view(naming.audience_remove),
        name="console-audience-delete",
    ),
    path(
        "access/audiences/<uuid:audience_id>/", console.admin_view(access.audience), name="console-audience"
    ),
    path(
        "access/audiences/<uuid:audience_id>/members",
        console.admin_view(access.audience_members),
        name="console-audience-members",
    ),
    path("turns/", console.admin_view(turns.turns), name="console-turns"),
    path("questions/", console.admin_view(questions.questions), name="console-questions"),
    path("questions/mark", console.admin_view(questions.mark), name="console-question-mark"),
    path("conversations/", console.admin_view(conversations.conversations), name="console-conversations"),
    path(
        "conversations/<uuid:session_id>/",
        console.admin_view(conversations.conversation),
        name="console-conversation",
    ),
    path("contamination/", console.admin_view(contamination.contamination), name="console-contamination"),
    path(
        "contamination/figures.csv",
        console.admin_view(contamination.figures_csv),
        name="console-contamination-figures",
    ),
    path(
        "contamination/turns.csv",
        console.admin_view(contamination.turns_csv),
        name="console-contamination-turns",
    ),
    path(
        "contamination/<uuid:turn_id>/judge",
        console.admin_view(contamination.judge),
        name="console-contamination-judge",
    ),
    *data_paths,
    path("members/", console.admin_view(members.members), name="console-members"),
    path("members/invite", console.admin_view(members.invite), name="console-invite"),
    path("members/two-factor", console.admin_view(members.two_factor), name="console-two-factor"),
    path("members/<uuid:membership_id>/role", console.admin_view(members.role), name="console-member-role"),
    path(
        "members/<uuid:membership_id>/remove",
        console.admin_view(members.remove),
        name="console-member-remove",
    ),
    path("members/support/leave", console.admin_view(members.support_over), name="console-support-leave"),
    path(
        "members/invitations/<uuid:invitation_id>/again",
        console.admin_view(members.invitation_again),
        name="console-invitation-again",
    ),
    path(
        "members/invitations/<uuid:invitation_id>/take-back",
        console.admin_view(members.invitation_back),
        name="console-invitation-back",
    ),
    path(
        "members/providers/", console.admin_view(sign_in_providers.new), name="console-sign-in-provider-new"
    ),
    path(
        "members/providers/<uuid:provider_id>/",
        console.admin_view(sign_in_providers.edit),
        name="console-sign-in-provider",
    ),
    path(
        "members/providers/<uuid:provider_id>/remove",
        console.admin_view(sign_in_providers.remove),
        name="console-sign-in-provider-remove",
    ),
    *version_paths,
    *evaluation_paths,
    *what_if_paths,
    *webhook_paths,
    path("usage/", console.admin_view(usage.usage), name="console-usage"),
    path("usage/days.csv", console.admin_view(usage.usage_csv), name="console-usage-csv"),
    path("keys/", console.admin_view(keys.keys), name="console-keys"),
    path("keys/new", console.admin_view(keys.new), name="console-key-new"),
    path("keys/<uuid:key_id>/revoke", console.admin_view(keys.revoke), name="console-key-revoke"),
    path("keys/identities/new", console.admin_view(keys.identity_new), name="console-identity-key-new"),
    path(
        "keys/identities/<uuid:key_id>/retire",
        console.admin_view(keys.identity_retire),
        name="console-identity-key-retire",
    ),
    path(
        "keys/identities/<uuid:key_id>/revoke",
        console.admin_view(keys.identity_revoke),
        name="console-identity-key-revoke",
    ),
    path("keys/widgets/new", console.admin_view(widget_keys.new), name="console-widget-key-new"),
    path(
        "keys/widgets/<uuid:key_id>/contrast",
        console.admin_view(widget_preview.contrast),
        name="console-widget-contrast",
    ),
    path(
        "keys/widgets/<uuid:key_id>/preview/<str:packed>/",
        console.admin_view(widget_preview.page),
        name="console-widget-preview",
    ),
    path(
        "keys/widgets/<uuid:key_id>/preview/<str:packed>/widget.js",
        console.admin_view(widget_preview.loader),
        name="console-widget-preview-loader",
    ),
    path(
        "keys/widgets/<uuid:key_id>/preview/<str:packed>/widget/frame",
        console.admin_view(widget_preview.frame),
        name="console-widget-preview-frame",
    ),
    path(
        "keys/widgets/<uuid:key_id>/preview/<str:packed>/api/<path:what>",
        console.admin_view(widget_preview.api),
        name="console-widget-preview-api",
    ),
    path("keys/widgets/<uuid:key_id>/", console.admin_view(widget_keys.widget), name="console-widget-key"),
    path(
        "keys/widgets/<uuid:key_id>/revoke",
        console.admin_view(widget_keys.revoke),
        name="console-widget-key-revoke",
    ),
    path("audit-log/", console.admin_view(audit_log.audit_log), name="console-audit-log"),
    path("audit-log/verify", console.admin_view(audit_log.verify), name="console-audit-log-verify"),
    path("audit-log/download", console.admin_view(audit_log.download), name="console-audit-log-download"),
    path("", console.urls),
]
