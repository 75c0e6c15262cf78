"""What a file is, by its content first and its name second."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

from retrieval.adapters.converters.decoding import is_text
from retrieval.domain.errors import (
    DocumentBinary,
    DocumentBomb,
    DocumentCorrupt,
    DocumentEmpty,
    DocumentEncrypted,
    DocumentError,
    DocumentUnsupported,
)

if TYPE_CHECKING:
    import zipfile

UNPACKED_LIMIT = 300_000_000
"""Bytes an archive may claim or unpack to before it counts as a bomb."""
ENTRIES_LIMIT = 50_000
"""Entries of an archive before it counts as a bomb: a large workbook has some thousands."""
_MANIFEST_BYTES = 1_000_000


class Format(StrEnum):
    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    XLSB = "xlsb"
    XLS = "xls"
    ODS = "ods"
    CSV = "csv"
    HTML = "html"
    MARKDOWN = "markdown"
    TEXT = "text"


_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"8BPS", "a Photoshop image"),
    (b"\x00\x00\x01\x00", "an icon image"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"{\\rtf", "a Rich Text (RTF) document"),
    (b"%!PS", "a PostScript file"),
    (b"\x7fELF", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\x00asm", "a program"),
    (b"SQLite format 3\x00", "a database"),
    (b"PAR1", "a Parquet table"),
    (b"ID3", "a sound file"),
    (b"OggS", "a sound file"),
    (b"fLaC", "a sound file"),
    (b"\x1aE\xdf\xa3", "a video"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
_RIFF = {b"WEBP": "a WebP image", b"WAVE": "a sound file", b"AVI ": "a video"}
_READABLE_PARTS = {
    "word/document.xml": Format.DOCX,
    "ppt/presentation.xml": Format.PPTX,
    "xl/workbook.xml": Format.XLSX,
    "xl/workbook.bin": Format.XLSB,
}
"""The part that makes an archive one of these; macros stand beside it and are never touched."""
_UNREADABLE_PARTS = {
    "META-INF/container.xml": "an EPUB book",
    "Index/Document.iwa": "an Apple Pages, Numbers or Keynote document",
    "AndroidManifest.xml": "a program",
    "word/": "a damaged Word document",
    "ppt/": "a damaged PowerPoint presentation",
    "xl/": "a damaged Excel workbook",
}
_OFFICE_MARKS = (
    b"[Content_Types].xml",
    b"docProps/",
    b"word/",
    b"ppt/",
    b"xl/",
    b"mimetypeapplication/vnd.oasis",
)
_SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"
_STREAMS = {
    "WordDocument": "an old Word document (DOC); save it as DOCX",
    "PowerPoint Document": "an old PowerPoint presentation (PPT); save it as PPTX",
    "__nameid_version1.0": "an Outlook message",
}
_WORKBOOK_STREAMS = ("Workbook", "Book")
_HTML_START = re.compile(rb"<(?:!doctype\s+html|html|head|body|meta|title|article|main|section)[\s>]", re.I)
_HTML_TAG = re.compile(rb"<(?:p|div|h[1-6]|ul|ol|table|span)[\s>]", re.I)
_MARKDOWN_SUFFIXES = {".md", ".markdown", ".mdown", ".mkd", ".mdx"}
_HTML_SUFFIXES = {".html", ".htm", ".xhtml"}
_CSV_SUFFIXES = {".csv", ".tsv", ".tab"}
_TEXTS = {Format.CSV, Format.HTML, Format.MARKDOWN, Format.TEXT}
_GZIP = b"\x1f\x8b"


def sniff(data: bytes, filename: str) -> Format:
    """The format to read `data` as. Raises DocumentEmpty, -Encrypted, -Bomb, -Corrupt or -Unsupported.

    Content decides between binary formats; the name decides only between kinds of text.
    """
    if not data:
        raise DocumentEmpty
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _in_archive(data)
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _in_old_office(data)
    if b"%PDF-" in data[:1024]:
        return Format.PDF
    _refuse_known_binaries(data)
    return _kind_of_text(data, PurePath(filename).suffix.lower())


def refuse_unreadable(data: bytes, filename: str) -> None:
    """Raise DocumentUnsupported or DocumentBinary for what no reader is for. Quick, and safe with hostile bytes.

    Whatever else is wrong with a file (locked, damaged, a bomb) is left to its reader, which says it.
    """
    if data.startswith(_GZIP):
        raise DocumentUnsupported(kind="a gzip archive")
    try:
        format = sniff(data, filename)
    except DocumentUnsupported:
        raise
    except DocumentError:
        return
    by_name_only = format in _TEXTS and not (format is Format.HTML and _looks_like_html(data))
    if by_name_only and not is_text(data):
        raise DocumentBinary(filename=filename)


def _kind_of_text(data: bytes, suffix: str) -> Format:
    if suffix in _CSV_SUFFIXES:
        return Format.CSV
    if suffix in _HTML_SUFFIXES or _looks_like_html(data):
        return Format.HTML
    return Format.MARKDOWN if suffix in _MARKDOWN_SUFFIXES else Format.TEXT


def _looks_like_html(data: bytes) -> bool:
    head = data[:2048].replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if head[:1] != b"<":
        return False
    return (
        bool(_HTML_START.match(head) or (head[:4] == b"<!--" and _HTML_START.search(head)))
        or (head[:5] == b"<?xml" and b"<html" in head.lower())
        or bool(_HTML_TAG.match(head))
    )


def _refuse_known_binaries(data: bytes) -> None:
    if data.startswith(_GZIP):
        _refuse_gzip_bomb(data)
        raise DocumentUnsupported(kind="a gzip archive")
    kind = _magic_kind(data)
    if kind:
        raise DocumentUnsupported(kind=kind)


def _magic_kind(data: bytes) -> str | None:
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if data[:4] == b"RIFF":
        return _RIFF.get(data[8:12], "a media file")
    if data[4:8] == b"ftyp":
        return "a video or a phone picture"
    if data[:2] == b"MZ" and b"\x00" in data[:64]:
        return "a program"
    if data[:2] == b"BM" and b"\x00" in data[:16]:
        return "a BMP image"
    if data[257:262] == b"ustar":
        return "a tar archive"
    return None


def _in_archive(data: bytes) -> Format:
    """By the parts inside, whatever the file is called. Next to nothing is unpacked."""
    import io
    import lzma
    import zipfile
    import zlib

    if data.count(b"PK\x01\x02") > ENTRIES_LIMIT:
        raise DocumentBomb
    damage = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            names = {entry.filename for entry in entries}
            kind = (
                _beginning(archive, "mimetype", 200).decode("ascii", "replace") if "mimetype" in names else ""
            )
            locked = any(entry.flag_bits & 1 for entry in entries) or _is_locked(archive, names)
    except damage as error:
        if any(mark in data for mark in _OFFICE_MARKS):
            raise DocumentCorrupt from error
        raise DocumentUnsupported(kind="a damaged ZIP archive") from error
    if sum(entry.file_size for entry in entries) > UNPACKED_LIMIT:
        raise DocumentBomb
    if locked:
        raise DocumentEncrypted
    for name, format in _READABLE_PARTS.items():
        if name in names:
            return format
    if kind.strip() == _SPREADSHEET:
        return Format.ODS
    raise DocumentUnsupported(kind=_archive_kind(names, kind))


def _is_locked(archive: zipfile.ZipFile, names: set[str]) -> bool:
    """OpenDocument encrypts its parts one by one and says so in the manifest."""
    if "META-INF/manifest.xml" not in names or "content.xml" not in names:
        return False
    return b"encryption-data" in _beginning(archive, "META-INF/manifest.xml", _MANIFEST_BYTES)


def _beginning(archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    """The first `size` bytes of an entry: no more is unpacked, whatever it claims."""
    with archive.open(name) as entry:
        return entry.read(size)


def _archive_kind(names: set[str], kind: str) -> str:
    if kind.startswith("application/vnd.oasis.opendocument"):
        return "an OpenDocument text, drawing or presentation; save it as DOCX or PDF"
    for part, what in _UNREADABLE_PARTS.items():
        if any(name.startswith(part) for name in names):
            return what
    return "a ZIP archive"


def _in_old_office(data: bytes) -> Format:
    """The old container of Word, Excel and PowerPoint; also what a password makes of a new file."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise DocumentEncrypted
    for stream, kind in _STREAMS.items():
        if stream.encode("utf-16-le") in data:
            raise DocumentUnsupported(kind=kind)
    if any(f"{stream}\0".encode("utf-16-le") in data for stream in _WORKBOOK_STREAMS):
        return Format.XLS
    raise DocumentUnsupported(kind="an old Office document")


def _refuse_gzip_bomb(data: bytes) -> None:
    """Unpack piece by piece, keeping nothing, until the end or the limit."""
    import zlib

    engine = zlib.decompressobj(wbits=31)
    total = 0
    try:
        while data and not engine.eof:
            total += len(engine.decompress(data, 1 << 20))
            data = engine.unconsumed_tail
            if total > UNPACKED_LIMIT:
                raise DocumentBomb
    except zlib.error:
        return
