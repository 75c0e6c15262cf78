"""Corpora, and the spaces that their vectors lie in."""

from __future__ import annotations

from django.db import models

from tenants.models import TenantModel


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
    measured_recall = models.FloatField(null=True, blank=True, help_text="Recall@10 when it was measured.")
    measured_passages = models.PositiveIntegerField(
        null=True, blank=True, help_text="Passages when it was measured."
    )
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
    keeps_model = models.BooleanField(
        default=False, help_text="Not moved to another embedding model by itself."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "corpora"
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="corpus_slug_once_per_tenant")]

    def __str__(self) -> str:
        return self.name
