"""A reason is a plain sentence with a stable code."""

from __future__ import annotations

import pytest

from retrieval.domain.errors import DOCUMENT_ERRORS, SourceError

EXTRA = {
    "size_mb": "30.0",
    "limit_mb": 25,
    "limit": 50_000,
    "kind": "a PNG image",
    "filename": "a.md",
    "seconds": 60,
    "failures": 3,
}


@pytest.mark.parametrize("code, error", DOCUMENT_ERRORS.items())
def test_it_reads_as_a_sentence(code, error):
    message = error(**EXTRA).message
    assert message[0].isupper()
    assert message.endswith(".")
    assert "(" not in message.replace("(OCR)", "").replace("(a scan)", "").replace("(a.md)", "")
    assert code.startswith("document_")
    assert not error.retryable


@pytest.mark.parametrize("error", SourceError.__subclasses__(), ids=lambda error: error.code)
def test_the_reasons_of_sources_read_as_sentences_too(error):
    message = error(
        **EXTRA, url="http://a.example/", host="a.example", port=22, status=404, detail="no answer"
    ).message
    assert message.endswith(".") and "{" not in message
    assert error.code not in DOCUMENT_ERRORS
    assert error.retryable is (error.code == "source_unavailable")
