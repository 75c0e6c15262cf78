"""A reason is a plain sentence with a stable code."""

from __future__ import annotations

import pytest

from retrieval.domain.errors import DOCUMENT_ERRORS

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
