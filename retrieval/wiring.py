"""Which adapters serve the ports, by the settings."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from retrieval.adapters.converters.sandbox import SandboxedConverter
from retrieval.adapters.embeddings.cached import CachedEmbeddings
from retrieval.adapters.embeddings.local_minilm import LocalMiniLM
from retrieval.adapters.embeddings.openai_compatible import OpenAICompatibleEmbeddings
from retrieval.adapters.fetch.connecting import FetchPolicy
from retrieval.adapters.fetch.site import HttpSources
from retrieval.adapters.pgvector import PgvectorHomes, PgvectorIndex
from retrieval.adapters.storage.filesystem import FilesystemBlobs
from retrieval.adapters.storage.lane import FileLane
from retrieval.adapters.storage.objects import BucketBlobs
from retrieval.domain.chunking import ChunkSettings
from retrieval.domain.passages import EmbeddingSpace
from retrieval.domain.ports import BlobStore, ConversionLimits, EmbeddingPort
from retrieval.services.equipping import Equipment
from retrieval.services.equipping import install as install_equipment
from tenants.services.buckets import configured_bucket

_REMOTE_BATCH = 64
_LOCAL_BATCH = 16


def install() -> None:
    """Called once, when Django is ready; nothing is built before it is needed."""
    install_equipment(make)


def make() -> Equipment:
    options: dict[str, Any] = settings.ANTECEDENT
    limit = int(options.get("MAX_UPLOAD_BYTES", 25 * 1024 * 1024))
    # A text as large as an upload may be is never too long.
    conversion = {"text_characters": limit, **options.get("CONVERSION", {})}
    remote = bool(settings.OPENAI_EMBEDDING_MODEL)
    return Equipment(
        embeddings=CachedEmbeddings(_remote() if remote else LocalMiniLM()),
        converter=SandboxedConverter(ConversionLimits(**conversion)),
        blobs=_blobs(Path(options["BLOB_DIR"])),
        index=PgvectorIndex(),
        homes=PgvectorHomes(),
        sources=HttpSources(_fetch_policy(options.get("FETCH", {}), limit)),
        lane=FileLane(Path(options["BLOB_DIR"]) / ".large-documents"),
        max_upload_bytes=limit,
        chunks=ChunkSettings(**options.get("CHUNKS", {})),
        batch_size=_REMOTE_BATCH if remote else _LOCAL_BATCH,
        model_for=_model_for,
    )


def _blobs(folder: Path) -> BlobStore:
    bucket = configured_bucket()
    return BucketBlobs(bucket) if bucket else FilesystemBlobs(folder)


def _fetch_policy(options: dict[str, Any], limit: int) -> FetchPolicy:
    """A page may be as large as an upload. `PORTS` are those that may be asked beside the usual two."""
    usual = FetchPolicy()
    return replace(
        usual,
        max_bytes=limit,
        seconds=float(options.get("SECONDS", usual.seconds)),
        ports=usual.ports | frozenset(options.get("PORTS", ())),
        user_agent=options.get("USER_AGENT", usual.user_agent),
    )


def _remote() -> EmbeddingPort:
    return _at_the_service(settings.OPENAI_EMBEDDING_MODEL, settings.OPENAI_EMBEDDING_DIMENSIONS)


def _at_the_service(model: str, dimensions: int) -> OpenAICompatibleEmbeddings:
    return OpenAICompatibleEmbeddings(
        base_url=settings.OPENAI_BASE_URL or "https://api.openai.com/v1",
        api_key=settings.OPENAI_API_KEY,
        model=model,
        dimensions=dimensions,
    )


@lru_cache(maxsize=16)
def _model_for(space: EmbeddingSpace) -> EmbeddingPort | None:
    """A model that is not today's: the local one always runs, the service's while one is configured."""
    local = LocalMiniLM()
    if space == local.space:
        return CachedEmbeddings(local)
    if not (settings.OPENAI_EMBEDDING_MODEL and space.provider == "openai"):
        return None
    return CachedEmbeddings(_at_the_service(space.model, space.dimensions))
