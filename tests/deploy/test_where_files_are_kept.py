"""One contract for every place that keeps files: a folder, and a bucket of a server that speaks S3."""

from __future__ import annotations

import socket
from io import BytesIO
from uuid import uuid4

import boto3
import pytest
from s3transfer.exceptions import RetriesExceededError

from retrieval.adapters.storage.filesystem import FilesystemBlobs
from retrieval.adapters.storage.objects import BucketBlobs
from retrieval.domain.errors import DocumentFileMissing
from tenants.adapters.archive_bucket import BucketArchives
from tenants.adapters.archive_folder import FolderArchives
from tenants.adapters.bucket import Bucket
from tenants.errors import BucketUnavailable


@pytest.fixture(params=["folder", "bucket"])
def blobs(request, tmp_path, bucket):
    return FilesystemBlobs(tmp_path) if request.param == "folder" else BucketBlobs(bucket)


@pytest.fixture(params=["folder", "bucket"])
def archives(request, tmp_path, bucket):
    return FolderArchives(tmp_path) if request.param == "folder" else BucketArchives(bucket)


@pytest.fixture
def silent_address():
    """Where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_what_is_put_can_be_got_until_deleted(blobs):
    blobs.put("t/one", b"data \x00\xff")
    assert blobs.get("t/one") == b"data \x00\xff"
    blobs.put("t/one", b"")
    assert blobs.get("t/one") == b""
    blobs.delete("t/one")
    blobs.delete("t/one")
    with pytest.raises(DocumentFileMissing):
        blobs.get("t/one")


@pytest.mark.parametrize("key", ["../x", "/etc/passwd", "a//b", "a/../b", "", "a\x00"])
def test_a_key_cannot_leave_its_place(blobs, key):
    for use in (blobs.get, blobs.delete, lambda key: blobs.put(key, b"")):
        with pytest.raises(ValueError, match="not a key"):
            use(key)


def test_an_archive_is_there_when_it_was_written_to_its_end(archives):
    tenant, export = uuid4(), uuid4()
    assert archives.opened(tenant, export) is None
    with archives.written(tenant, export) as path:
        path.write_bytes(b"PK")
    with archives.opened(tenant, export) as file:
        assert file.read() == b"PK"
    archives.remove(tenant, export)
    archives.remove(tenant, export)
    assert archives.opened(tenant, export) is None


def test_an_archive_that_broke_off_is_not_there(archives):
    tenant, export = uuid4(), uuid4()
    with pytest.raises(ZeroDivisionError), archives.written(tenant, export) as path:
        path.write_bytes(b"PK")
        raise ZeroDivisionError
    assert archives.opened(tenant, export) is None
    assert archives.remove_all(tenant) == 0


def test_removing_all_of_a_tenant_leaves_the_rivals(archives):
    tenant, rival = uuid4(), uuid4()
    export = uuid4()
    for owner in (tenant, rival):
        with archives.written(owner, export) as path:
            path.write_bytes(b"PK")
    assert archives.remove_all(tenant) == 1
    assert archives.opened(tenant, export) is None
    with archives.opened(rival, export) as file:
        assert file.read() == b"PK"


def test_a_bucket_keeps_everything_below_its_prefix(bucket, s3):
    BucketBlobs(bucket).put("one", b"x")
    listed = boto3.client("s3", endpoint_url=s3, region_name="us-east-1").list_objects_v2(Bucket="antecedent")
    assert [item["Key"] for item in listed["Contents"]] == ["chat/documents/one"]
    assert list(bucket.keys()) == ["documents/one"]


def test_a_storage_that_does_not_answer_can_be_asked_again(silent_address, monkeypatch):
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    blobs = BucketBlobs(Bucket(name="antecedent", endpoint=silent_address))
    with pytest.raises(BucketUnavailable) as caught:
        blobs.get("one")
    assert caught.value.retryable


def test_a_bucket_that_is_not_there_is_no_missing_file(s3, tmp_path):
    """Who set the wrong bucket must not read that a document has lost its file."""
    with pytest.raises(BucketUnavailable):
        BucketBlobs(Bucket(name="another", endpoint=s3)).get("one")
    (tmp_path / "file").write_bytes(b"PK")
    with pytest.raises(BucketUnavailable):
        Bucket(name="another", endpoint=s3).upload("one", tmp_path / "file")


def test_a_download_that_breaks_off_again_and_again_can_be_asked_again(bucket, monkeypatch):
    def broken(*_):
        raise RetriesExceededError(ConnectionResetError())

    monkeypatch.setattr(bucket._client, "download_fileobj", broken)
    with pytest.raises(BucketUnavailable):
        bucket.download("one", BytesIO())
