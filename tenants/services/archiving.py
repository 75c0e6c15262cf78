"""Writing an archive: sections of JSON lines, files, and at the end a manifest that says what must be in it.

Everything passes through in pieces, from the database into the file on disk: memory does not grow with the tenant.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from kernel.clock import now
from kernel.json import JsonObject
from tenants.models import EndUser
from tenants.services.export_sections import Section, files_for, sections_for

Progress = Callable[[float], None]
_BEAT_ROWS = 200

README = """This archive holds {whose}, as Antecedent kept it on {when} (UTC).

- *.jsonl are tables in JSON lines: one JSON object a line, UTF-8. Times are ISO 8601 in UTC.
- files/ holds documents as they were uploaded or fetched; documents.jsonl says which is which.
- manifest.json names every file with its size in bytes, its SHA-256 and, for tables, its number of rows.

{sections}
Secrets, passwords and hashes of keys are not in here.
"""


@dataclass(slots=True)
class _Writer:
    archive: zipfile.ZipFile
    progress: Progress
    total: int
    done: int = 0
    files: dict[str, JsonObject] = field(default_factory=dict)

    def step(self) -> None:
        self.done += 1
        if self.done % _BEAT_ROWS == 0:
            self.beat()

    def beat(self) -> None:
        self.progress(min(0.99, self.done / max(1, self.total)))

    def add(self, path: str, pieces: Iterator[bytes], **facts: Any) -> JsonObject:
        digest, size = hashlib.sha256(), 0
        with self.archive.open(zipfile.ZipInfo(path, now().timetuple()[:6]), "w", force_zip64=True) as entry:
            for piece in pieces:
                entry.write(piece)
                digest.update(piece)
                size += len(piece)
        self.files[path] = {"bytes": size, "sha256": digest.hexdigest(), **facts}
        return self.files[path]


def archive_write(path: Path, *, end_user: EndUser | None, progress: Progress) -> JsonObject:
    """Write the archive of the current tenant, or of one end user, to `path`; returns its manifest.

    `progress` is called often, with a share from 0 to 1; what it raises ends the work.
    """
    sections, sources = sections_for(end_user), files_for(end_user)
    total = sum(one.count(end_user) for one in sections) + sum(one.count() for one in sources)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        writer = _Writer(archive, progress, total)
        writer.add("README.txt", iter([_readme(sections, end_user).encode()]))
        for section in sections:
            _add_rows(writer, section, end_user)
        for source in sources:
            for file in source.files():
                writer.add(f"files/{safe_path(file.path)}", iter([file.data]))
                writer.done += 1
                writer.beat()
        manifest = {
            "made_at": now().isoformat(),
            "of": "end_user" if end_user else "workspace",
            "files": writer.files,
        }
        archive.writestr("manifest.json", json.dumps(manifest, indent=2))
    return manifest


def safe_path(path: str) -> str:
    """A path that stays inside whatever folder the archive is unpacked in, on any system."""
    parts = (re.sub(r"[^\w. ()+-]", "_", part).strip(" .")[:120] for part in path.split("/"))
    return "/".join(part or "_" for part in parts)


def _add_rows(writer: _Writer, section: Section, end_user: EndUser | None) -> None:
    rows = 0

    def lines() -> Iterator[bytes]:
        nonlocal rows
        for row in section.rows(end_user):
            rows += 1
            writer.step()
            yield json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False).encode() + b"\n"

    entry = writer.add(f"{section.name}.jsonl", lines())
    entry["rows"] = rows
    writer.beat()


def _readme(sections: list[Section], end_user: EndUser | None) -> str:
    whose = "everything of one workspace" if end_user is None else "everything about one person"
    named = "".join(f"{section.name}.jsonl: {section.about}\n" for section in sections)
    return README.format(whose=whose, when=f"{now():%Y-%m-%d %H:%M}", sections=named)
