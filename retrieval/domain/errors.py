"""Why a document could not be read, or a search not be made.

Every file that a person uploads ends in a state, and a state that is not "indexed" has a reason.
The reason is a plain sentence that says what is wrong with the file and, where there is something
to do, what to do about it. Programs read the code beside it, which never changes.
"""

from __future__ import annotations

from kernel.errors import DomainError


class DocumentError(DomainError):
    """This file could not be read."""

    code = "document_unreadable"
    http_status = 422


class DocumentEmpty(DocumentError):
    """The file is empty: it holds 0 bytes. Check that it was saved or uploaded completely."""

    code = "document_empty"


class DocumentWithoutText(DocumentError):
    """The file opens, but there is no text in it, so there is nothing to search."""

    code = "document_without_text"


class DocumentEncrypted(DocumentError):
    """The file is protected with a password. Save it without a password and upload it again."""

    code = "document_encrypted"


class DocumentScanned(DocumentError):
    """The file holds pictures of pages (a scan) and no text. Run text recognition (OCR) on it first, then
    upload the result."""

    code = "document_scanned"


class DocumentTooLarge(DocumentError):
    """The file is {size_mb} MB, and the most that can be uploaded is {limit_mb} MB. Split it into parts."""

    code = "document_too_large"
    http_status = 413


class DocumentTooLong(DocumentError):
    """The file holds more than {limit_mb} MB of text. Split it into parts."""

    code = "document_too_long"


class DocumentTooManyPassages(DocumentError):
    """The file makes more than {limit} passages, the most that one document may have. Split it into parts."""

    code = "document_too_many_passages"


class DocumentUnreadableEncoding(DocumentError):
    """The text uses a character encoding that could not be recognised. Save it as UTF-8 and upload it again."""

    code = "document_unreadable_encoding"


class DocumentUnsupported(DocumentError):
    """The file is {kind}, which cannot be read here. Readable are PDF, HTML, Markdown and plain text."""

    code = "document_unsupported"


class DocumentBinary(DocumentError):
    """The file is named like a text ({filename}), but what is inside is not text."""

    code = "document_binary"


class DocumentCorrupt(DocumentError):
    """The file is damaged and cannot be opened. Export or download it again, then upload that copy."""

    code = "document_corrupt"


class DocumentBomb(DocumentError):
    """Unpacking the file would take far more memory than a document should, so reading was stopped. Files built
    like this are usually not documents."""

    code = "document_bomb"


class DocumentTimeout(DocumentError):
    """Reading the file took longer than {seconds} seconds and was stopped. Split it, or save it in a simpler
    form."""

    code = "document_timeout"


class DocumentGaveUp(DocumentError):
    """Indexing was interrupted {failures} times in a row and is no longer tried. Press retry to try again."""

    code = "document_gave_up"


class DocumentFileMissing(DocumentError):
    """The uploaded file is no longer stored, so it cannot be read again. Upload it once more."""

    code = "document_file_missing"


class ConverterUnavailable(DomainError):
    """The document reader could not be started; it will be tried again."""

    code = "converter_unavailable"
    retryable = True
    http_status = 503


class EmbeddingUnavailable(DomainError):
    """The embedding service does not answer at the moment; it will be tried again."""

    code = "embedding_unavailable"
    retryable = True
    http_status = 503


class EmbeddingRefused(DomainError):
    """The embedding service refused the request ({detail}). Check its address, key and model name."""

    code = "embedding_refused"
    http_status = 502


class EmbeddingInvalid(DomainError):
    """The embedding model or its answer is not what was expected: {detail}."""

    code = "embedding_invalid"
    http_status = 502


DOCUMENT_ERRORS: dict[str, type[DocumentError]] = {
    error.code: error
    for error in (
        DocumentError,
        DocumentEmpty,
        DocumentWithoutText,
        DocumentEncrypted,
        DocumentScanned,
        DocumentTooLarge,
        DocumentTooLong,
        DocumentTooManyPassages,
        DocumentUnreadableEncoding,
        DocumentUnsupported,
        DocumentBinary,
        DocumentCorrupt,
        DocumentBomb,
        DocumentTimeout,
        DocumentGaveUp,
        DocumentFileMissing,
    )
}
"""By code: how a reason crosses a process border."""
