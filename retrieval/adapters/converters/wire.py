"""How a converted document, or the reason why there is none, crosses from the child process."""

from __future__ import annotations

import json

from retrieval.domain.errors import DOCUMENT_ERRORS, DocumentError
from retrieval.domain.keeping import document_fields, document_from
from retrieval.domain.passages import ConvertedDocument


def dump_document(document: ConvertedDocument) -> bytes:
    return json.dumps({"document": document_fields(document)}, ensure_ascii=False).encode("utf-8")


def dump_error(error: DocumentError) -> bytes:
    return json.dumps({"error": error.code, "extra": dict(error.extra)}).encode("utf-8")


def load(answer: bytes) -> ConvertedDocument:
    """The document, or the child's DocumentError raised here. Raises ValueError on anything else."""
    message = json.loads(answer)
    if "error" in message:
        raise DOCUMENT_ERRORS[message["error"]](**message["extra"])
    return document_from(message["document"])
