"""Files are kept whole or not at all, inside their folder."""

from __future__ import annotations

import pytest

from retrieval.adapters.storage.filesystem import FilesystemBlobs


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    blobs = FilesystemBlobs(tmp_path)
    with pytest.raises(TypeError):
        blobs.put("t/one", "not bytes")  # type: ignore[arg-type]
    assert list((tmp_path / "t").iterdir()) == []
