"""Why a document could not be read, or a search not be made.

Every file that a person uploads ends in a state, and a state that is not "indexed" has a reason.
The reason is a plain sentence that says what is wrong with the file and, where there is something
to do, what to do about it. Programs read the code beside it, which never changes.
"""

from __future__ import annotations

from typing import Any

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


class DocumentWithoutValues(DocumentError):
    """Every filled cell holds a formula whose value was not saved. Open the file in a spreadsheet program, save it,
    and upload it again."""

    code = "document_without_values"


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


READABLE = ("PDF", "DOCX", "PPTX", "XLSX", "XLSB", "XLS", "ODS", "CSV", "HTML", "Markdown", "plain text")
"""The kinds of files that there is a reader for."""


class _NotReadable(DocumentError):
    """A file that no reader is for. `readable` in its data lists what there are readers for."""

    def __init__(self, **extra: Any) -> None:
        super().__init__(**{"readable": list(READABLE), **extra})


class DocumentUnsupported(_NotReadable):
    """The file is {kind}. Files of this kind cannot be read here; readable are PDF, DOCX, PPTX, XLSX, XLSB, XLS, ODS,
    CSV, HTML, Markdown and plain text."""

    code = "document_unsupported"


class DocumentBinary(_NotReadable):
    """What is inside {filename} is not text, and nothing else that can be read here: readable are PDF, DOCX, PPTX,
    XLSX, XLSB, XLS, ODS, CSV, HTML, Markdown and plain text."""

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


class RetryUseless(DomainError):
    """Reading it again would end the same way: {reason}"""

    code = "retry_useless"
    http_status = 409


class SourceError(DomainError):
    """The address could not be read."""

    code = "source_unreadable"
    http_status = 422


class SourceInvalid(SourceError):
    """{url} is not an address that can be imported. It begins with http:// or https:// and names a public site."""

    code = "source_invalid"


class SourceAddressRefused(SourceError):
    """{host} leads into a private network or to this machine. Only public sites can be imported."""

    code = "source_address_refused"


class SourcePortRefused(SourceError):
    """The address uses port {port}, and only the usual web ports can be imported from."""

    code = "source_port_refused"


class SourceHostUnknown(SourceError):
    """There is no site called {host}, or its name could not be looked up. Check the spelling, then retry."""

    code = "source_host_unknown"


class SourceUnreachable(SourceError):
    """The site could not be reached: {detail}. Check that it is up, then retry."""

    code = "source_unreachable"


class SourceUnavailable(SourceError):
    """The site is busy or out of order (status {status}); it will be asked again."""

    code = "source_unavailable"
    retryable = True


class SourceDisallowed(SourceError):
    """The site asks robots not to read {url}, in its robots.txt or by giving none that can be read."""

    code = "source_disallowed"


class SourceMissing(SourceError):
    """There is no page at this address any more (status {status})."""

    code = "source_missing"


class SourceClosed(SourceError):
    """The site does not give this page to visitors who are not signed in (status {status})."""

    code = "source_closed"


class SourceTooLarge(SourceError):
    """The page is larger than {limit_mb} MB, the most that can be imported."""

    code = "source_too_large"


class SourceTooSlow(SourceError):
    """Reading the address took longer than {seconds} seconds and was stopped."""

    code = "source_too_slow"


class SourceRedirects(SourceError):
    """The address leads from one to the next more than {limit} times."""

    code = "source_redirects"


class SourceBroken(SourceError):
    """The site's answer cannot be understood: {detail}."""

    code = "source_broken"


class SitemapInvalid(SourceError):
    """The address leads to no sitemap. Give that of a sitemap.xml or of a site's start page."""

    code = "sitemap_invalid"


class SitemapEmpty(SourceError):
    """The sitemap names no pages of its own site, so there is nothing to import."""

    code = "sitemap_empty"


class ImportGaveUp(SourceError):
    """Reading the sitemap was interrupted {failures} times in a row and is no longer tried. Import it again."""

    code = "import_gave_up"


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


class EmbeddingModelGone(DomainError):
    """The embedding model {model} cannot be run here any more. Change the corpus to another model."""

    code = "embedding_model_gone"
    http_status = 409


class PlacementBusy(DomainError):
    """The vectors cannot be moved at this moment because others are being written; it will be tried again."""

    code = "placement_busy"
    retryable = True
    http_status = 503


DOCUMENT_ERRORS: dict[str, type[DocumentError]] = {
    error.code: error
    for error in (
        DocumentError,
        DocumentEmpty,
        DocumentWithoutText,
        DocumentWithoutValues,
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

_RETRY_IS_USELESS = DOCUMENT_ERRORS.keys() - {DocumentError.code, DocumentTimeout.code, DocumentGaveUp.code}
_ADDRESS_IS_WRONG = frozenset({SourceInvalid.code, SourcePortRefused.code, SourceAddressRefused.code})


def retry_helps(code: str, *, is_fetched: bool) -> bool:
    """Whether the same file, or the page as it is now, may be read after it failed with this code."""
    return code not in (_ADDRESS_IS_WRONG if is_fetched else _RETRY_IS_USELESS)
