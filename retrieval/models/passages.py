"""Passages of documents and their vectors."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from pgvector.django import HalfVectorField

from retrieval.models.corpora import EmbeddingSpace
from retrieval.models.documents import Document
from tenants.models import TenantKey, TenantModel
from tenants.scoping import TenantManager


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
