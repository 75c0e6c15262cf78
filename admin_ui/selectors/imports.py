"""Reading how far the imports of whole sites are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q

from admin_ui.components.marks import SITE_IMPORT_STATES, Mark, mark_of
from kernel.clock import now
from retrieval.models import UNFINISHED, Document, DocumentState, SiteImport, SiteImportState
from retrieval.services import ImportProgress

SHOWN = 5
RECENT = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class SiteRow:
    site: SiteImport
    progress: ImportProgress

    @property
    def mark(self) -> Mark:
        if self.site.state != SiteImportState.LISTED:
            return mark_of(SITE_IMPORT_STATES, self.site.state)
        return SITE_IMPORT_STATES["importing" if self.progress.is_unfinished else "imported"]

    @property
    def percent(self) -> int:
        done = self.progress.indexed + self.progress.failed
        return round(100 * done / self.progress.taken) if self.progress.taken else 0

    @property
    def left_out(self) -> int:
        """Pages that the sitemap names and the import's limit left out."""
        return max(self.progress.listed - self.site.pages_taken, 0)

    @property
    def stamp(self) -> str:
        p = self.progress
        return f"{p.state}-{p.taken}-{p.indexed}-{p.failed}"


def site_rows() -> Sequence[SiteRow]:
    """Imports that go on, and those of the last hours, the latest first: two queries."""
    going_on = Q(state__in=(SiteImportState.QUEUED, SiteImportState.READING))
    pages = Document.objects.filter(state__in=UNFINISHED, site_import__isnull=False)
    shown = going_on | Q(pk__in=pages.values("site_import_id")) | Q(created_at__gt=now() - RECENT)
    sites = list(SiteImport.objects.filter(shown).order_by("-created_at", "id")[:SHOWN])
    counted = {
        row["site_import_id"]: row
        for row in Document.objects.filter(site_import__in=sites)
        .order_by()
        .values("site_import_id")
        .annotate(
            taken=Count("id"),
            indexed=Count("id", Q(state=DocumentState.INDEXED)),
            failed=Count("id", Q(state=DocumentState.FAILED)),
        )
    }
    return [SiteRow(site, _progress(site, counted.get(site.pk, {}))) for site in sites]


def _progress(site: SiteImport, counts: dict[str, int]) -> ImportProgress:
    return ImportProgress(
        site.state,
        site.pages_listed,
        counts.get("taken", 0),
        counts.get("indexed", 0),
        counts.get("failed", 0),
    )
