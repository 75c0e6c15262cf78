"""The table of docs/errors.md, from the classes themselves: `python -m tests.docs.error_codes` writes it anew."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

from tests.docs.generated import Part

PART = Part("errors", "codes")
written = PART.written
PACKAGES = ("kernel", "tenants", "retrieval", "conversations", "admin_ui", "config", "embedded")


def table() -> str:
    """Rows by code: status, whether trying again can help, the message. One code may have several messages."""
    rows: dict[str, list[type]] = {}
    for error in sorted(_errors(), key=lambda error: (error.__module__, error.__qualname__)):
        rows.setdefault(error.code, []).append(error)
    lines = ["| code | status | try again | message |", "|---|---|---|---|"]
    for code, errors in sorted(rows.items()):
        statuses = ", ".join(str(status) for status in sorted({error.http_status for error in errors}))
        again = "yes" if any(error.retryable for error in errors) else ""
        messages = " / ".join(dict.fromkeys(_message(error) for error in errors))
        lines.append(f"| `{code}` | {statuses} | {again} | {messages} |")
    return "\n".join(lines)


def _message(error: type) -> str:
    return " ".join((inspect.getdoc(error) or "").split()).replace("|", "\\|")


def _errors() -> Iterator[type]:
    from kernel.errors import DomainError

    _import_all()
    found, todo = set(), [DomainError]
    while todo:
        for error in todo.pop().__subclasses__():
            if error not in found and error.__module__.split(".")[0] in PACKAGES:
                found.add(error)
                todo.append(error)
    return (error for error in found if "code" in vars(error) or not error.__subclasses__())


def _import_all() -> None:
    """Every module that may define an error."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            source = Path(importlib.util.find_spec(module.name).origin or "")
            if source.suffix == ".py" and "DomainError" in source.read_text(encoding="utf-8"):
                importlib.import_module(module.name)


if __name__ == "__main__":
    PART.write(table)
