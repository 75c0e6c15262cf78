"""Heads of audit logs kept in a file outside the database, so that a log put back to an earlier state is found."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from kernel.errors import DomainError
from tenants.audit_chain import Anchor


class AnchorsUnreadable(DomainError):
    """The file {path} holds no anchors of audit logs. Give the file that an earlier verification wrote, or a new name."""

    code = "anchors_unreadable"


def anchors_read(path: Path) -> dict[str, Anchor]:
    """Tenant id to its anchor; empty where there is no file yet. Raises `AnchorsUnreadable`."""
    if not path.exists():
        return {}
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return {
            str(row["tenant"]): Anchor(int(row["seq"]), str(row["hash"]), str(row["seal"])) for row in rows
        }
    except (ValueError, KeyError, TypeError):
        raise AnchorsUnreadable(path=path.name) from None


def anchors_write(path: Path, anchors: Mapping[str, Anchor]) -> None:
    """One JSON line for each tenant. The file is replaced at once: a crash leaves the one before."""
    lines = [
        json.dumps({"tenant": tenant, "seq": anchor.seq, "hash": anchor.hash, "seal": anchor.seal})
        for tenant, anchor in sorted(anchors.items())
    ]
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    os.replace(fresh, path)
