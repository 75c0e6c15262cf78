"""Documents, and sites that they are imported from."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from retrieval.domain.errors import retry_helps
from retrieval.models.corpora import Corpus
from tenants.models import TenantModel


class DocumentState(models.TextChoices):
    QUEUED = "queued", "Waiting"
    CONVERTING = "converting", "Reading"
    EMBEDDING = "embedding", "Indexing"
    INDEXED = "indexed", "Ready"
    FAILED = "failed", "Not readable"


UNFINISHED = (DocumentState.QUEUED, DocumentState.CONVERTING, DocumentState.EMBEDDING)


class SiteImportState(models.TextChoices):
    QUEUED = "queued", "Waiting"
    READING = "reading", "Reading the sitemap"
    LISTED = "listed", "Pages listed"
    FAILED = "failed", "Not readable"


class SiteImport(TenantModel):
    """A sitemap whose pages become documents. How far the pages are is read from the documents themselves."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="site_imports")
    url = models.CharField(max_length=2000)
    page_limit = models.PositiveIntegerField(help_text="Pages taken at most.")
    tags = ArrayField(models.CharField(max_length=60), null=True, blank=True)
    restricted = models.BooleanField(null=True, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=10, choices=SiteImportState.choices, default=SiteImportState.QUEUED)
    reason_code = models.CharField(max_length=60, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    pages_listed = models.PositiveIntegerField(default=0, help_text="Pages the sitemap names.")
    pages_taken = models.PositiveIntegerField(default=0)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Interrupted tries in a row.")
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    queued_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "id"]

    def __str__(self) -> str:
        return self.url

    @property
    def can_be_retried(self) -> bool:
        return self.state == SiteImportState.FAILED and retry_helps(self.reason_code, is_fetched=True)

    @property
    def is_unread(self) -> bool:
        return self.state in (SiteImportState.QUEUED, SiteImportState.READING)

    @property
    def can_be_dismissed(self) -> bool:
        return not self.is_unread


class Document(TenantModel):
    """An uploaded file, or a page fetched from its address, and what became of it.

    `generation` names the set of chunks that searches see, 0 for none. Every try to index takes a new number
    from `attempt` for the chunks it writes, and publishes them by setting `generation` to it. A try holds a
    lease and renews it; whoever finds one expired may take over, and the late holder is refused. Once a try has
    `found` its passages, whoever takes over goes on with the same number and makes the missing vectors only.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="documents")
    title = models.CharField(max_length=300)
    title_is_given = models.BooleanField(default=False)
    filename = models.CharField(max_length=255)
    content_type = models.CharField(max_length=40, blank=True, help_text="Format found in the file.")
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of the file.")
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    blob_key = models.CharField(max_length=200, blank=True)
    source_url = models.CharField(
        max_length=2000, blank=True, default="", help_text="Where it is fetched from; empty for an upload."
    )
    source_etag = models.CharField(max_length=300, blank=True, default="", editable=False)
    source_modified = models.CharField(max_length=100, blank=True, default="", editable=False)
    fetch_due = models.BooleanField(
        default=False, editable=False, help_text="To be fetched before it is read."
    )
    fetched_at = models.DateTimeField(null=True, blank=True)
    site_import = models.ForeignKey(
        SiteImport, null=True, blank=True, on_delete=models.SET_NULL, related_name="documents"
    )
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    restricted = models.BooleanField(
        default=False, help_text="Visible by a grant on the document itself only, not by its corpus."
    )
    language = models.CharField(max_length=63, blank=True, default="", help_text="Empty: the corpus's.")
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=10, choices=DocumentState.choices, default=DocumentState.QUEUED)
    progress = models.FloatField(default=0.0, help_text="0 to 1.")
    reason_code = models.CharField(max_length=60, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    notes = ArrayField(
        models.TextField(), default=list, blank=True, help_text="What of the file could not be read."
    )
    pages = models.PositiveIntegerField(null=True, blank=True)
    chunk_count = models.PositiveIntegerField(default=0)
    generation = models.PositiveIntegerField(default=0)
    attempt = models.PositiveIntegerField(default=0)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Interrupted tries in a row.")
    found = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="What the try in progress read: its passages are stored under its number, its vectors follow.",
    )
    slices = models.PositiveIntegerField(
        default=0, editable=False, help_text="How often it has given its place in the queue to others."
    )
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    queued_at = models.DateTimeField()
    uploaded_at = models.DateTimeField()
    indexed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["title", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "corpus", "filename"], name="document_filename_once_per_corpus"
            ),
            models.UniqueConstraint(
                fields=["tenant", "corpus", "source_url"],
                name="document_source_once_per_corpus",
                condition=~models.Q(source_url=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "queued_at"],
                name="document_unfinished",
                condition=models.Q(state__in=UNFINISHED),
            ),
            models.Index(
                fields=["tenant", "-uploaded_at", "id"],
                include=["state", "corpus", "restricted"],
                name="document_by_upload",
            ),
            models.Index(
                fields=["tenant", "-updated_at"], name="document_failed", condition=models.Q(state="failed")
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_searchable(self) -> bool:
        """Whether some version of this document is in searches, be it the one before a failed replacement."""
        return self.generation > 0

    @property
    def is_unfinished(self) -> bool:
        return self.state in UNFINISHED

    @property
    def can_be_retried(self) -> bool:
        """Whether trying again may help: never for a file that will be refused for the same reason."""
        kept = bool(self.blob_key or self.source_url)
        helps = retry_helps(self.reason_code, is_fetched=bool(self.source_url))
        return self.state == DocumentState.FAILED and kept and helps

    @property
    def passages_found(self) -> int:
        """How many passages the try in progress has; 0 before it knows."""
        return int(self.found.get("passages", 0))
