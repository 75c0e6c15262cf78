"""A converted document, written down.

It crosses from the process that reads files, and it waits in a file while a long document is cut slice by slice.
"""

from __future__ import annotations

import json
from typing import Any

from retrieval.domain.passages import Block, BlockKind, ConvertedDocument


def document_fields(document: ConvertedDocument) -> dict[str, Any]:
    """What `document_from` reads, ready for JSON."""
    blocks = [[b.kind.value, b.start, b.end, list(b.heading_path), b.page] for b in document.blocks]
    return {
        "text": document.text,
        "blocks": blocks,
        "title": document.title,
        "pages": document.pages,
        "format": document.format,
        "encoding": document.encoding,
        "notes": list(document.notes),
    }


def document_from(fields: dict[str, Any]) -> ConvertedDocument:
    blocks = tuple(
        Block(BlockKind(kind), start, end, tuple(path), page)
        for kind, start, end, path, page in fields.pop("blocks")
    )
    return ConvertedDocument(blocks=blocks, notes=tuple(fields.pop("notes")), **fields)


def dump_document(document: ConvertedDocument) -> bytes:
    return json.dumps(document_fields(document), ensure_ascii=False).encode("utf-8")


def load_document(data: bytes) -> ConvertedDocument:
    """Raises ValueError for what `dump_document` did not write."""
    return document_from(json.loads(data))
