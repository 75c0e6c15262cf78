"""Tables of documents and their passages. Every one is a tenant table: walls and references are in migrations."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from guardian.managers import GroupObjectPermissionManager, UserObjectPermissionManager
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase
from pgvector.django import HalfVectorField

from tenants.models import TenantKey, TenantModel
from tenants.scoping import TenantManager


class Placement(models.TextChoices):
    SHARED = "shared", "With other tenants, searched exactly"
    MOVING = "moving", "Moving to a partition of its own"
    OWN = "own", "In a partition of its own, searched by index"
    RETURNING = "returning", "Moving back to the shared partition"


class EmbeddingSpace(TenantModel):
    """Where a tenant's vectors are comparable: provider, model, dimensions."""

    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=120)
    dimensions = models.PositiveIntegerField()
    placement = models.CharField(max_length=10, choices=Placement.choices, default=Placement.SHARED)
    search_width = models.PositiveIntegerField(null=True, blank=True, help_text="hnsw.ef_search.")
    measured_recall = models.FloatField(null=True, blank=True, help_text="Recall@10 when it was indexed.")
    placed_at = models.DateTimeField(null=True, blank=True, help_text="Last change of placement.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "provider", "model", "dimensions"], name="embedding_space_once_per_tenant"
            )
        ]

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}/{self.dimensions}"


class Chunking(models.TextChoices):
    STRUCTURE = "structure", "By headings, paragraphs and size"
    WHOLE = "whole", "Each document is one passage"


class Corpus(TenantModel):
    """A named collection of documents with a language and, unless a document is restricted, its permissions."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60)
    description = models.CharField(max_length=300, blank=True)
    language = models.CharField(
        max_length=63, default="english", help_text="Text search configuration of PostgreSQL."
    )
    chunking = models.CharField(max_length=10, choices=Chunking.choices, default=Chunking.STRUCTURE)
    space = models.ForeignKey(
        EmbeddingSpace, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    next_space = models.ForeignKey(
        EmbeddingSpace, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "corpora"
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="corpus_slug_once_per_tenant")]

    def __str__(self) -> str:
        return self.name


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
            )
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
    def passages_found(self) -> int:
        """How many passages the try in progress has; 0 before it knows."""
        return int(self.found.get("passages", 0))


class Chunk(TenantModel):
    """A passage of one generation of a document: `text` is characters `span_start` to `span_end` of its text."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    generation = models.PositiveIntegerField()
    ordinal = models.PositiveIntegerField()
    text = models.TextField()
    heading_path = ArrayField(models.TextField(), default=list, blank=True)
    page = models.PositiveIntegerField(null=True, blank=True)
    span_start = models.PositiveIntegerField()
    span_end = models.PositiveIntegerField()
    token_count = models.PositiveIntegerField()
    tsv = SearchVectorField(editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "document", "generation", "ordinal"], name="chunk_once_per_generation"
            )
        ]

    def __str__(self) -> str:
        return f"{self.document_id}#{self.ordinal}"


class ChunkEmbedding(models.Model):
    """The vector of a chunk in a space. The table is partitioned by `home` and written and read by SQL.

    `home` is nil in the partition that small tenants share, and the space's id in a partition of its own.
    `document` and `generation` repeat the chunk's, so that a search ranks inside the permitted set from this
    table alone.
    """

    pk = models.CompositePrimaryKey("tenant_id", "space_id", "chunk_id")
    tenant = TenantKey()
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.DO_NOTHING, related_name="+")
    chunk = models.ForeignKey(Chunk, on_delete=models.DO_NOTHING, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.DO_NOTHING, related_name="+")
    generation = models.PositiveIntegerField()
    home = models.UUIDField(default=uuid.UUID(int=0), editable=False)
    embedding = HalfVectorField()

    objects: ClassVar[TenantManager[Any]] = TenantManager()


class UserGrantManager(TenantManager[Any], UserObjectPermissionManager):
    """Guardian's manager behind the wall."""


class GroupGrantManager(TenantManager[Any], GroupObjectPermissionManager):
    """Guardian's manager behind the wall."""


class UserGrant(UserObjectPermissionBase):
    """A permission of one user on one object of a tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = TenantKey()
    objects: ClassVar[UserGrantManager] = UserGrantManager()

    class Meta:
        abstract = True


class GroupGrant(GroupObjectPermissionBase):
    """A permission of one group (an audience) on one object of a tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = TenantKey()
    objects: ClassVar[GroupGrantManager] = GroupGrantManager()

    class Meta:
        abstract = True


class CorpusUserPermission(UserGrant):
    content_object = models.ForeignKey(Corpus, on_delete=models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "user", "permission", "content_object"], name="corpus_user_grant_once"
            )
        ]


class CorpusGroupPermission(GroupGrant):
    content_object = models.ForeignKey(Corpus, on_delete=models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "group", "permission", "content_object"], name="corpus_group_grant_once"
            )
        ]


class DocumentUserPermission(UserGrant):
    content_object = models.ForeignKey(Document, on_delete=models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "user", "permission", "content_object"], name="document_user_grant_once"
            )
        ]


class DocumentGroupPermission(GroupGrant):
    content_object = models.ForeignKey(Document, on_delete=models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "group", "permission", "content_object"], name="document_group_grant_once"
            )
        ]
