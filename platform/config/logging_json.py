"""Logs as one JSON object a line, with the tenant and the ids of session, turn and request: for collectors.

Of an error its type, its code and where it happened are written, not its text, which may quote what somebody said.
"""

from __future__ import annotations

import json
import logging
import re
import traceback
from datetime import UTC, datetime
from types import TracebackType

from kernel.errors import DomainError
from kernel.json import JsonObject
from kernel.log_ids import log_ids
from kernel.traced import trace_ids

HIDDEN = "[hidden]"
_SECRETS = (
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"\bsk-[\w-]{8,}"), HIDDEN),
    (re.compile(r"(?<=://)([^\s:/@]*):[^\s@/]+@"), rf"\1:{HIDDEN}@"),
    (
        re.compile(r"(?i)\b(password|passwd|secret|token|api_?key)(\"?'?\s*[=:]\s*)[^\s,;&]+"),
        rf"\1\2{HIDDEN}",
    ),
)


class JsonLines(logging.Formatter):
    """{"time", "level", "logger", "message"} and, where known, "tenant", the ids of `kernel.log_ids`, "trace", "span" and "error"."""

    def format(self, record: logging.LogRecord) -> str:
        line: JsonObject = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            **_tenant(),
            **log_ids(),
            **trace_ids(),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = _error(record.exc_info[1], record.exc_info[2])
        return json.dumps(line, ensure_ascii=False)


def without_secrets(text: str) -> str:
    """The text with credentials, keys and passwords in addresses replaced by `[hidden]`."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def _tenant() -> dict[str, str]:
    # Logging starts before Django has its apps; the wall's module needs them.
    from django.apps import apps

    if not apps.ready:
        return {}
    from tenants.scoping import current_scope

    tenant_id = current_scope().tenant_id
    return {"tenant": str(tenant_id)} if tenant_id else {}


def _error(error: BaseException, at: TracebackType | None) -> JsonObject:
    frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(at)]
    code = {"code": str(error.code)} if isinstance(error, DomainError) else {}
    return {"type": type(error).__qualname__, **code, "where": frames}
