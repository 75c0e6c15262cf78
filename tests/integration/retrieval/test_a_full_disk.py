"""A disk that is full is told by its code, keeps nothing half written, and is forgotten as soon as there is room."""

from __future__ import annotations

import errno
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError

from config import views
from config.errors import as_domain_error
from kernel.disk import disk_is_full
from retrieval import services
from retrieval.adapters.storage.filesystem import FilesystemBlobs
from retrieval.domain.errors import DocumentEmpty
from retrieval.models import Document
from retrieval.services import equipment, equipped
from tenants.errors import BucketUnavailable, DatabaseUnavailable, StorageFull

pytestmark = pytest.mark.django_db
BIG = b"# Loans\n\n" + b"A book may be kept for three weeks. " * 40_000


@pytest.fixture
def disk(tmp_path):
    """A file system of one megabyte of its own; it takes root to make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip("a file system of its own needs root")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture
def on_the_disk(disk, corpus):
    with equipped(replace(equipment(), blobs=FilesystemBlobs(disk / "blobs"))):
        yield disk


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def upload(corpus, data, name="loans.md"):
    return services.document_upload(corpus_id=corpus.id, filename=name, data=data, restricted=False)


def test_an_upload_that_finds_no_room_is_refused_and_leaves_nothing(on_the_disk, corpus):
    kept = upload(corpus, b"# Hours\n\nOpen at nine.\n", "hours.md")
    before = files(on_the_disk)
    with pytest.raises(StorageFull) as caught:
        upload(corpus, BIG)
    assert caught.value.retryable and caught.value.http_status == 507
    assert files(on_the_disk) == before and list(Document.objects.values_list("id", flat=True)) == [kept.id]


def test_it_is_taken_as_soon_as_there_is_room(on_the_disk, corpus):
    (on_the_disk / "filler").write_bytes(bytes(900 * 1024))
    data = BIG[: 400 * 1024]
    with pytest.raises(StorageFull):
        upload(corpus, data)
    (on_the_disk / "filler").unlink()
    document = upload(corpus, data)
    services.document_index(document_id=document.id)
    document.refresh_from_db()
    assert document.state == "indexed"


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.ENOSPC, StorageFull),
        (errno.EDQUOT, StorageFull),
        (errno.EIO, BucketUnavailable),
        (errno.EROFS, BucketUnavailable),
    ],
)
@pytest.mark.parametrize("step", ["mkstemp", "fsync", "replace"])
def test_whatever_step_fails_nothing_stays(tmp_path, monkeypatch, number, told, step):
    def failing(*_, **__):
        raise OSError(number, os.strerror(number))

    owner = "tempfile" if step == "mkstemp" else "os"
    monkeypatch.setattr(f"retrieval.adapters.storage.filesystem.{owner}.{step}", failing)
    with pytest.raises(told):
        FilesystemBlobs(tmp_path).put("one", b"x")
    assert files(tmp_path) == []


def test_a_full_disk_of_the_database_is_one_too():
    error = OperationalError("could not extend file")
    error.__cause__ = type("DiskFull", (Exception,), {"sqlstate": "53100"})()
    assert disk_is_full(error) and isinstance(as_domain_error(error), StorageFull)
    assert isinstance(as_domain_error(OperationalError("gone")), DatabaseUnavailable)
    assert not disk_is_full(None) and not disk_is_full(DocumentEmpty())


def test_a_temporary_file_that_finds_no_room_is_told_by_the_same_code(rf, monkeypatch):
    """A large upload goes through a file of Django's own before a view sees it."""

    def full(handler, *_):
        handler.file.close()  # Django leaves it to the garbage collector, which warns of it in some later test
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("django.core.files.uploadhandler.TemporaryFileUploadHandler.receive_data_chunk", full)
    request = rf.post("/", {"file": SimpleUploadedFile("loans.md", BIG)})
    try:
        request.FILES  # noqa: B018
    except OSError:
        answer = views.server_error(request)
    assert answer.status_code == 507 and b"storage_full" in answer.content
