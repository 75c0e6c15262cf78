"""One entry to all formats: bytes and a name in, a converted document out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrieval.adapters.converters.sniff import Format, sniff
from retrieval.domain.outline import Outline
from retrieval.domain.passages import ConvertedDocument


def read_document(data: bytes, filename: str, *, text_characters: int = 20_000_000) -> ConvertedDocument:
    """Convert in this process. Raises a DocumentError. Callers outside tests go through the sandbox.

    The readers are imported on use: a child process that reads a text need not load PDFium.
    """
    format = sniff(data, filename)
    outline = Outline(limit=text_characters)
    about = _READERS[format](data, filename, outline)
    return outline.document(
        format=format.value,
        title=about.title,
        pages=about.pages,
        encoding=about.encoding,
        headed=about.headed,
        notes=about.notes,
    )


@dataclass(frozen=True, slots=True)
class _About:
    """What a reader found beside the text. Without `headed` the first heading is not the document's title."""

    title: str | None = None
    pages: int | None = None
    encoding: str | None = None
    headed: bool = True
    notes: tuple[str, ...] = ()


def _pdf(data: bytes, filename: str, outline: Outline) -> _About:
    from retrieval.adapters.converters.pdf import read_pdf

    return _About(*read_pdf(data, outline))


def _docx(data: bytes, filename: str, outline: Outline) -> _About:
    from retrieval.adapters.converters.docx import read_docx

    return _About(*read_docx(data, outline))


def _pptx(data: bytes, filename: str, outline: Outline) -> _About:
    from retrieval.adapters.converters.pptx import read_pptx

    return _About(*read_pptx(data, outline))


def _workbook(data: bytes, filename: str, outline: Outline) -> _About:
    from retrieval.adapters.converters.workbook import read_workbook

    pages, notes = read_workbook(data, outline)
    return _About(None, pages, headed=False, notes=notes)


def _csv(data: bytes, filename: str, outline: Outline) -> _About:
    from retrieval.adapters.converters.csv_rows import read_csv
    from retrieval.adapters.converters.decoding import decode

    text, encoding = decode(data, filename)
    read_csv(text, filename, outline)
    return _About(encoding=encoding)


def _html(data: bytes, filename: str, outline: Outline) -> _About:
    from retrieval.adapters.converters.html import decode_html, read_html

    text, encoding = decode_html(data, filename)
    return _About(read_html(text, outline), None, encoding)


def _markdown(data: bytes, filename: str, outline: Outline) -> _About:
    from retrieval.adapters.converters.decoding import decode
    from retrieval.adapters.converters.markdown import read_markdown

    text, encoding = decode(data, filename)
    return _About(read_markdown(text, outline), None, encoding)


def _text(data: bytes, filename: str, outline: Outline) -> _About:
    from retrieval.adapters.converters.decoding import decode
    from retrieval.adapters.converters.text import read_text

    text, encoding = decode(data, filename)
    read_text(text, outline)
    return _About(encoding=encoding)


_READERS: dict[Format, Callable[[bytes, str, Outline], _About]] = {
    Format.PDF: _pdf,
    Format.DOCX: _docx,
    Format.PPTX: _pptx,
    Format.XLSX: _workbook,
    Format.XLSB: _workbook,
    Format.XLS: _workbook,
    Format.ODS: _workbook,
    Format.CSV: _csv,
    Format.HTML: _html,
    Format.MARKDOWN: _markdown,
    Format.TEXT: _text,
}
