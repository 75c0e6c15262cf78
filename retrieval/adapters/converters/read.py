"""One entry to all formats: bytes and a name in, a converted document out."""

from __future__ import annotations

from retrieval.adapters.converters.sniff import Format, sniff
from retrieval.domain.outline import Outline
from retrieval.domain.passages import ConvertedDocument


def read_document(data: bytes, filename: str, *, text_characters: int = 20_000_000) -> ConvertedDocument:
    """Convert in this process. Raises a DocumentError. Callers outside tests go through the sandbox.

    The readers are imported on use: a child process that reads a text need not load PDFium.
    """
    format = sniff(data, filename)
    outline = Outline(limit=text_characters)
    title: str | None = None
    pages: int | None = None
    encoding: str | None = None
    if format is Format.PDF:
        from retrieval.adapters.converters.pdf import read_pdf

        title, pages = read_pdf(data, outline)
    elif format is Format.HTML:
        from retrieval.adapters.converters.html import decode_html, read_html

        text, encoding = decode_html(data, filename)
        title = read_html(text, outline)
    else:
        title, encoding = _read_plain(data, filename, format, outline)
    return outline.document(format=format.value, title=title, pages=pages, encoding=encoding)


def _read_plain(data: bytes, filename: str, format: Format, outline: Outline) -> tuple[str | None, str]:
    from retrieval.adapters.converters.decoding import decode

    text, encoding = decode(data, filename)
    if format is Format.MARKDOWN:
        from retrieval.adapters.converters.markdown import read_markdown

        return read_markdown(text, outline), encoding
    from retrieval.adapters.converters.text import read_text

    read_text(text, outline)
    return None, encoding
