"""An archive holds all that is the tenant's and nothing else, is open to few, and is gone after a week."""

from __future__ import annotations

import hashlib
import io
import json
import tracemalloc
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings

from kernel.clock import now
from kernel.errors import Forbidden, NotFound
from tenants import tasks
from tenants.errors import ExportNotReady
from tenants.models import AuditEntry, DataExport, EndUser
from tenants.scoping import current_tenant_id, no_scope, tenant_scope
from tenants.services import archiving, exports
from tenants.services.archiving import archive_write, safe_path
from tenants.services.data import data_serve
from tenants.services.export_sections import Section
from tenants.services.exports import (
    export_delete,
    export_open,
    export_request,
    export_serve,
    exports_expire,
)
from tests.integration.data.conftest import FILE

pytestmark = pytest.mark.django_db(transaction=True)


def made(**wanted) -> DataExport:
    export = export_request(**wanted)
    assert data_serve() is None
    export.refresh_from_db()
    assert export.state == "ready", export.reason
    return export


def contents(export: DataExport) -> dict[str, bytes]:
    _, file = export_open(export_id=export.pk, role="owner")
    with file, zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def rows(files: dict[str, bytes], table: str) -> list[dict]:
    return [json.loads(line) for line in files[f"{table}.jsonl"].splitlines()]


def stored() -> list[Path]:
    folder = Path(settings.ANTECEDENT["BLOB_DIR"]) / "exports" / str(current_tenant_id())
    return [path for path in folder.rglob("*") if path.is_file()]


def test_it_holds_everything_of_the_workspace(inside):
    files = contents(made())
    assert {row["message"] for row in rows(files, "turns")} == {
        "When may I visit Quillworthy Ada?",
        "When may I visit Quillworthy Bea?",
    }
    assert len(rows(files, "sessions")) == len(rows(files, "traces")) == len(rows(files, "memory")) == 2
    assert rows(files, "ledger") is not None and len(rows(files, "summaries")) == 2
    assert [row["title"] for row in rows(files, "documents")] == ["Quillworthy visits"]
    assert files[f"files/{inside.document.id}/visits.md"] == FILE
    assert rows(files, "members")[0]["user__email"] == "head@quillworthy.example"
    people = {row["subject"]: row["audiences"] for row in rows(files, "end_users")}
    assert people == {"device:one": ["quillworthy-nurses"], "device:two": []}
    (grant,) = rows(files, "grants")
    assert grant["may"] == "view_corpus" and grant["holder"].endswith("/everyone")
    assert {row["metric"] for row in rows(files, "usage")} == {"turns"}
    assert "webhook.created" in {row["action"] for row in rows(files, "audit_log")}
    assert b"turns.jsonl" in files["README.txt"]


def test_the_manifest_names_every_file_with_its_size_sum_and_rows(inside):
    export = made()
    files = contents(export)
    manifest = json.loads(files.pop("manifest.json"))
    assert set(manifest["files"]) == set(files)
    for name, data in files.items():
        entry = manifest["files"][name]
        assert (entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        if name.endswith(".jsonl"):
            assert entry["rows"] == len(data.splitlines())
    assert export.manifest["turns"] == 2 and export.manifest["files"] == 1
    assert export.bytes == stored()[0].stat().st_size


def test_it_holds_nothing_of_the_rival_and_no_secret(theirs, inside):
    everything = b"".join(contents(made()).values())
    assert b"Quillworthy" in everything
    assert b"Ostermarsh" not in everything and str(theirs.tenant.id).encode() not in everything
    for secret in (inside.secret[-20:], "argon2", "whsec_", "secret_hash"):
        assert secret.encode() not in everything


def test_one_persons_holds_theirs_alone(inside):
    files = contents(made(subject=inside.first.subject))
    everything = b"".join(files.values())
    assert b"Quillworthy Ada" in everything and b"Quillworthy Bea" not in everything
    assert [row["subject"] for row in rows(files, "end_users")] == ["device:one"]
    assert not {"documents.jsonl", "members.jsonl", "usage.jsonl"} & set(files)
    assert not any(name.startswith("files/") for name in files)
    assert json.loads(files["manifest.json"])["of"] == "end_user"


@pytest.mark.parametrize(
    "who",
    [{}, {"role": None}, {"role": "editor"}, {"role": "analyst"}, {"scopes": ["read", "ingest", "chat"]}],
)
def test_it_is_open_to_nobody_who_may_not_manage_data(inside, who):
    with pytest.raises(Forbidden):
        export_open(export_id=made().pk, **who)


@pytest.mark.parametrize("who", [{"role": "owner"}, {"role": "admin"}, {"scopes": ["admin"]}])
def test_who_fetched_it_is_in_the_audit_log(inside, who):
    export = made()
    name, file = export_open(export_id=export.pk, **who)
    file.close()
    assert name.startswith("antecedent-workspace-") and name.endswith(".zip")
    entry = AuditEntry.objects.first()
    assert (entry.action, entry.target) == ("export.downloaded", str(export.pk))


def test_the_rival_can_neither_fetch_nor_delete_it(inside, theirs):
    export = made()
    with tenant_scope(theirs.tenant.id):
        for attempt in (
            lambda: export_open(export_id=export.pk, role="owner"),
            lambda: export_delete(export_id=export.pk),
        ):
            with pytest.raises(NotFound):
                attempt()
        assert export_serve() is False
    assert len(stored()) == 1


def test_it_is_asked_for_once_while_it_is_on_its_way(inside):
    first = export_request()
    assert export_request().pk == first.pk
    assert export_request(subject="device:one").pk != first.pk
    with pytest.raises(ExportNotReady, match="waiting"):
        export_open(export_id=first.pk, role="owner")
    with pytest.raises(NotFound):
        export_request(subject="device:nobody")


def test_after_a_week_it_is_gone_with_its_file(inside, monkeypatch):
    export = made()
    assert timedelta(days=6.9) < export.expires_at - now() <= timedelta(days=7)
    assert exports_expire() == 0 and stored()
    DataExport.objects.update(expires_at=now())
    with pytest.raises(NotFound):
        export_open(export_id=export.pk, role="owner")
    with no_scope():
        tasks.data_sweep()
    assert stored() == [] and DataExport.objects.count() == 0


def test_deleting_one_deletes_its_file(inside):
    export_delete(export_id=made().pk)
    assert stored() == [] and DataExport.objects.count() == 0


class Killed(BaseException):
    """Stands for `kill -9`."""


def test_one_whose_worker_dies_is_made_anew(inside, monkeypatch):
    export = export_request()

    def kill(*_, **__):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(archiving, "_add_rows", kill)
        with pytest.raises(Killed):
            export_serve()
    assert export_serve() is False, "its maker's lease has not run out"
    DataExport.objects.update(lease_until=now() - timedelta(seconds=1))
    woken = []
    monkeypatch.setattr(tasks._data, "wake", woken.append)
    with no_scope():
        tasks.data_sweep()
    assert woken == [inside.tenant.id]
    assert export_serve() is True
    export.refresh_from_db()
    assert (export.state, export.failures) == ("ready", 1)
    assert len(stored()) == 1


def test_a_late_worker_does_not_finish_what_another_has_taken_over(inside, monkeypatch):
    export = export_request()
    write = archiving.archive_write

    def taken_over(path, **more):
        manifest = write(path, **more)
        DataExport.objects.update(lease_token=inside.document.id)
        return manifest

    monkeypatch.setattr(exports, "archive_write", taken_over)
    export_serve()
    export.refresh_from_db()
    assert export.state == "running" and stored() == []


def test_one_that_was_deleted_while_it_was_made_leaves_no_file(inside, monkeypatch):
    export_request()
    write = archiving.archive_write

    def deleted(path, **more):
        manifest = write(path, **more)
        DataExport.objects.all().delete()
        return manifest

    monkeypatch.setattr(exports, "archive_write", deleted)
    export_serve()
    assert stored() == []


def test_what_fails_again_and_again_ends_with_a_reason(inside, monkeypatch):
    export = export_request()

    def broken(path, **_):
        raise RuntimeError("disk full")

    monkeypatch.setattr(exports, "archive_write", broken)
    for _ in range(3):
        assert export_serve() is True
    assert export_serve() is False
    export.refresh_from_db()
    assert (export.state, export.reason) == ("failed", "Something went wrong on our side.")
    assert stored() == []


def test_an_archive_of_somebody_who_is_gone_says_so(inside):
    export = export_request(subject="device:two")
    EndUser.objects.filter(subject="device:two").delete()
    export_serve()
    export.refresh_from_db()
    assert export.state == "failed" and "no such end user" in export.reason


def test_memory_does_not_grow_with_the_tenant(inside, monkeypatch, tmp_path):
    def peak(count: int) -> int:
        many = Section(
            "many",
            "Rows.",
            lambda who: ({"n": n, "text": "x" * 200} for n in range(count)),
            lambda who: count,
        )
        monkeypatch.setattr(archiving, "sections_for", lambda who: [many])
        monkeypatch.setattr(archiving, "files_for", lambda who: [])
        tracemalloc.start()
        archive_write(tmp_path / "out.zip", end_user=None, progress=lambda share: None)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(20_000) < 1.5 * peak(2_000) + 100_000


def test_progress_only_grows_and_ends_below_one(inside, monkeypatch, tmp_path):
    monkeypatch.setattr(archiving, "_BEAT_ROWS", 1)
    seen = []
    archive_write(tmp_path / "out.zip", end_user=None, progress=seen.append)
    assert seen == sorted(seen) and 0 < seen[0] <= seen[-1] < 1 and len(set(seen)) > 5


@pytest.mark.parametrize(
    ("path", "safe"),
    [
        ("7/../../etc/passwd", "7/_/_/etc/passwd"),
        ("7/..", "7/_"),
        ("/abs", "_/abs"),
        ("a\\b:c*?.txt", "a_b_c__.txt"),
        ("7/Öffnungszeiten (neu).pdf", "7/Öffnungszeiten (neu).pdf"),
        ("7/\u202egpj.exe", "7/_gpj.exe"),
    ],
)
def test_paths_stay_where_they_are_unpacked(path, safe):
    assert safe_path(path) == safe


def test_an_empty_workspace_makes_an_archive_too(tenant, tmp_path):
    with tenant_scope(tenant.id):
        archive_write(tmp_path / "out.zip", end_user=None, progress=lambda share: None)
    with zipfile.ZipFile(io.BytesIO((tmp_path / "out.zip").read_bytes())) as archive:
        assert archive.read("turns.jsonl") == b""
