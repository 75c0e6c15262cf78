"""What can be done with the import of a site that has ended."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from retrieval.models import SiteImport, SiteImportState


def site_import_retry(*, import_id: UUID) -> SiteImport:
    """Queue an import that failed once more; the door queues `site_import_task` when it `is_unread`. Raises NotFound."""
    with transaction.atomic():
        site = _locked(import_id)
        if site.state == SiteImportState.FAILED:
            site.state, site.failures, site.queued_at = SiteImportState.QUEUED, 0, now()
            site.reason_code = site.reason = ""
            site.lease_token = site.lease_until = site.finished_at = None
            site.save()
        return site


def site_import_dismiss(*, import_id: UUID) -> None:
    """Take an import that has ended off the list; its pages stay. Raises NotFound, Invalid while it is being read."""
    with transaction.atomic():
        site = _locked(import_id)
        if not site.can_be_dismissed:
            raise Invalid(reason="The sitemap is still being read.")
        site.delete()


def _locked(import_id: UUID) -> SiteImport:
    site = SiteImport.objects.select_for_update().filter(id=import_id).first()
    if site is None:
        raise NotFound(what="import")
    return site
