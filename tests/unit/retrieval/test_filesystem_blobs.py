"""Files are kept whole or not at all, inside their folder."""

from __future__ import annotations

import pytest

from retrieval.adapters.storage.filesystem import FilesystemBlobs
from retrieval.domain.errors import DocumentFileMissing


def test_what_is_put_can_be_got_until_deleted(tmp_path):
    blobs = FilesystemBlobs(tmp_path)
    blobs.put("t/one", b"data")
    assert blobs.get("t/one") == b"data"
    blobs.delete("t/one")
    blobs.delete("t/one")
    with pytest.raises(DocumentFileMissing):
        blobs.get("t/one")


@pytest.mark.parametrize("key", ["../x", "/etc/passwd", "a//b", "a/../b", "", "a\x00"])
def test_a_key_cannot_leave_the_folder(tmp_path, key):
    with pytest.raises(ValueError, match="not a key"):
        FilesystemBlobs(tmp_path).get(key)


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    blobs = FilesystemBlobs(tmp_path)
    with pytest.raises(TypeError):
        blobs.put("t/one", "not bytes")  # type: ignore[arg-type]
    assert list((tmp_path / "t").iterdir()) == []
