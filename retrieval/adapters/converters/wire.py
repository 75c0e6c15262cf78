"""How a converted document, or the reason why there is none, crosses from the child process."""

from __future__ import annotations

import json
from typing import Any

from retrieval.domain.errors import DOCUMENT_ERRORS, DocumentError
from retrieval.domain.passages import Block, BlockKind, ConvertedDocument


def dump_document(document: ConvertedDocument) -> bytes:
    blocks = [[b.kind.value, b.start, b.end, list(b.heading_path), b.page] for b in document.blocks]
    fields = {
        "text": document.text,
        "blocks": blocks,
        "title": document.title,
        "pages": document.pages,
        "format": document.format,
        "encoding": document.encoding,
    }
    return json.dumps({"document": fields}, ensure_ascii=False).encode("utf-8")


def dump_error(error: DocumentError) -> bytes:
    return json.dumps({"error": error.code, "extra": dict(error.extra)}).encode("utf-8")


def load(answer: bytes) -> ConvertedDocument:
    """The document, or the child's DocumentError raised here. Raises ValueError on anything else."""
    message = json.loads(answer)
    if "error" in message:
        raise DOCUMENT_ERRORS[message["error"]](**message["extra"])
    return _document(message["document"])


def _document(fields: dict[str, Any]) -> ConvertedDocument:
    blocks = tuple(
        Block(BlockKind(kind), start, end, tuple(path), page)
        for kind, start, end, path, page in fields.pop("blocks")
    )
    return ConvertedDocument(blocks=blocks, **fields)
