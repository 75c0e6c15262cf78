"""Where the settings come from: the environment first, then a running embedded stack, then a default."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
SHORTEST_KEY = 32
STATE_DIR = Path(os.environ.get("ANTECEDENT_STATE") or ROOT / ".antecedent")


def text(name: str, default: str = "") -> str:
    """The variable, or what the file says that the variable of this name with `_FILE` names: for mounted secrets."""
    if name not in os.environ and (file := os.environ.get(f"{name}_FILE")):
        return Path(file).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default).strip()


def flag(name: str, default: bool = False) -> bool:
    return text(name, "1" if default else "0").lower() in {"1", "true", "yes", "on"}


def number(name: str, default: float) -> float:
    return float(text(name) or default)


def limit(name: str, default: int) -> int | None:
    """A whole number; 0 is no limit."""
    return int(number(name, default)) or None


def names(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def secret_key() -> str:
    """SECRET_KEY, or one kept in the state directory so that sign-ins survive a restart."""
    if given := text("SECRET_KEY"):
        return given
    path = STATE_DIR / "secret_key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50))
    return path.read_text()


def secrets_keys(secret_key: str) -> list[str]:
    """SECRETS_KEYS, newest first; SECRET_KEY where none is set."""
    keys = names("SECRETS_KEYS")
    if any(len(key) < SHORTEST_KEY for key in keys):
        raise ValueError(f"SECRETS_KEYS: each key needs at least {SHORTEST_KEY} random characters.")
    return keys or [secret_key]


def mail(url: str) -> dict[str, Any]:
    """Django's settings for `smtp://user:password@host:587?tls=starttls`, `smtps://…`, `file:///folder` or `console:`.

    Raises ValueError for anything else.
    """
    parts = urlsplit(url)
    backends = {"smtp": "smtp", "smtps": "smtp", "file": "filebased", "console": "console"}
    if parts.scheme not in backends or (parts.scheme.startswith("smtp") and not parts.hostname):
        raise ValueError(
            "EMAIL_URL: smtp://host:587?tls=starttls, smtps://host:465, file:///folder or console:"
        )
    secure, starttls = parts.scheme == "smtps", parse_qs(parts.query).get("tls") == ["starttls"]
    return {
        "EMAIL_BACKEND": f"django.core.mail.backends.{backends[parts.scheme]}.EmailBackend",
        "EMAIL_HOST": unquote(parts.hostname or ""),
        "EMAIL_PORT": parts.port or (465 if secure else 587 if starttls else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": secure,
        "EMAIL_USE_TLS": starttls and not secure,
        "EMAIL_TIMEOUT": 15,
        "EMAIL_FILE_PATH": parts.path if parts.scheme == "file" else None,
    }


def database(url: str, *, pool: bool) -> dict[str, Any]:
    """Django's settings for a `postgresql://user:password@host:port/name` URL, scoped by our engine."""
    parts = urlsplit(url)
    options: dict[str, Any] = {"connect_timeout": 5}
    if pool:
        options["pool"] = {"min_size": 1, "max_size": int(number("DATABASE_POOL_SIZE", 12)), "timeout": 10}
    return {
        "ENGINE": "tenants.postgres",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
        # Prepared on the server, a transaction pooler in front would lose them between transactions.
        "DISABLE_SERVER_SIDE_CURSORS": True,
    }


SILENT_SECONDS = 3
"""How long a RabbitMQ that was asked something may say nothing."""


def broker_options(url: str) -> dict[str, Any]:
    """What Celery needs to be told of the queue server behind a URL, so that no task gets lost.

    Valkey hands a task out again that nobody has finished in this time; RabbitMQ does so as soon as the worker's
    connection ends, and is asked to confirm that it has written down what it was given. One without room on its disk
    reads nothing more, not even a goodbye: nobody waits for that for ever.
    """
    if url.startswith(("amqp:", "amqps:", "pyamqp:")):
        return {"confirm_publish": True, "read_timeout": SILENT_SECONDS, "write_timeout": SILENT_SECONDS}
    return {"visibility_timeout": 3600}


def traces() -> bool:
    """Whether OpenTelemetry's variables name a collector for spans and nothing switches it off."""
    named = text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or text("OTEL_EXPORTER_OTLP_ENDPOINT")
    return bool(named) and text("OTEL_TRACES_EXPORTER", "otlp") != "none" and not flag("OTEL_SDK_DISABLED")


def endpoints() -> tuple[str, str]:
    """(database URL, Valkey URL) from the environment or the embedded stack that runs beside."""
    database_url, valkey_url = text("DATABASE_URL"), text("VALKEY_URL")
    if database_url and valkey_url:
        return database_url, valkey_url
    import embedded

    running = embedded.endpoints(STATE_DIR)
    if running is not None:
        return database_url or running.database_url, valkey_url or running.valkey_url
    # Nothing runs yet: commands that need a server fail on connecting, all others work.
    return (
        database_url or "postgresql://antecedent@127.0.0.1:1/antecedent",
        valkey_url or "redis://127.0.0.1:1/0",
    )
