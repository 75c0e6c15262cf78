"""From bytes to characters: byte order marks, UTF-8, UTF-16 without a mark, then statistics."""

from __future__ import annotations

import codecs
import re

from retrieval.domain.errors import DocumentBinary, DocumentUnreadableEncoding

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 64_000
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_BINARY_SHARE = 0.02
_FOREIGN = re.compile(rb"[\x80-\xff]+")
_ALONE_SHARE = 0.8
_LIVING = (
    "gb18030", "big5", "cp932", "euc_jp", "cp949", "cp1252", "cp1251", "cp1250", "cp1254", "cp1253", "cp1255",
    "cp1256", "cp1257", "cp874", "koi8_r", "iso8859_2", "iso8859_5", "iso8859_9", "cp866", "mac_roman",
)  # fmt: skip
"""Encodings that files of people are in, the more common first: statistics alone also fit rare relatives."""
_DOUBLE_BYTE = frozenset(_LIVING[:5])
_CHAOS_TIE, _COHERENCE_TIE = 0.02, 0.15


def decode(data: bytes, filename: str = "") -> tuple[str, str]:
    """Text and the encoding it was read with. Raises DocumentBinary or DocumentUnreadableEncoding."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data, encoding), encoding
    unmarked = _utf16_without_mark(data)
    if unmarked:
        return _strict(data, unmarked), unmarked
    if _is_binary(data):
        raise DocumentBinary(filename=filename)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _by_statistics(data)


def _strict(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentUnreadableEncoding from error
    if len(_CONTROLS.findall(text[:_SAMPLE])) > _BINARY_SHARE * min(len(text), _SAMPLE):
        raise DocumentUnreadableEncoding
    return text


def _utf16_without_mark(data: bytes) -> str | None:
    """Text of mostly Latin letters has a zero in nearly every second byte."""
    sample = data[: _SAMPLE // 2 * 2]
    half = len(sample) // 2
    if half < 4:
        return None
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if odd > 0.6 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 and odd < 0.05 else None


def is_text(data: bytes) -> bool:
    """Whether `decode` takes it for text of some encoding, known or not."""
    marked = any(data.startswith(mark) for mark, _ in _MARKS)
    return marked or _utf16_without_mark(data) is not None or not _is_binary(data)


def _is_binary(data: bytes) -> bool:
    """Text holds no zero bytes and next to no control characters."""
    for start in range(0, len(data), max(_SAMPLE, len(data) // 4)):
        sample = data[start : start + _SAMPLE]
        controls = sum(sample.count(bytes([code])) for code in (*range(9), *range(14, 27), *range(28, 32)))
        if sample.count(0) or controls > _BINARY_SHARE * len(sample):
            return True
    return b"\x00" in data


def _by_statistics(data: bytes) -> tuple[str, str]:
    candidates = _plausible(data)
    for encoding in candidates:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    for encoding in candidates:
        text = data.decode(encoding, errors="replace")
        if text.count("\ufffd") <= len(text) // 1000:
            return text, encoding
    raise DocumentUnreadableEncoding


def _plausible(data: bytes) -> list[str]:
    """Best guesses first, from the part of the file that has the foreign bytes."""
    from charset_normalizer import from_bytes

    first = next((index for index, byte in enumerate(data) if byte > 127), 0)
    start = data.rfind(b"\n", 0, first) + 1
    sample = data[start : start + _SAMPLE]
    end = sample.rfind(b"\n")
    whole = end <= 0 or len(data) <= start + _SAMPLE
    sample = sample if whole else sample[:end]
    fitting = [name for name in _LIVING if name not in _DOUBLE_BYTE or not _is_single_byte(sample)]
    matches = list(from_bytes(sample, cp_isolation=fitting))
    if not matches:
        return []
    best = matches[0]
    if best.encoding in _DOUBLE_BYTE:
        return [match.encoding for match in matches]
    tied = [
        name
        for match in matches
        if match.chaos <= best.chaos + _CHAOS_TIE and match.coherence >= best.coherence - _COHERENCE_TIE
        for name in match.could_be_from_charset
        if name in _LIVING
    ]
    tied.sort(key=_LIVING.index)
    return list(dict.fromkeys((*tied, *(match.encoding for match in matches))))


def _is_single_byte(sample: bytes) -> bool:
    """Accented letters stand alone among plain ones; the bytes of a Chinese, Japanese or Korean text do not."""
    runs = [len(run) for run in _FOREIGN.findall(sample)]
    return runs.count(1) >= _ALONE_SHARE * sum(runs)
