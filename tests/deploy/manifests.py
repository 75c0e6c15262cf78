"""What the files of deploy/ say, read as their tools read them as far as the tests need it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.docs.test_settings_are_documented import settings_listed

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")

# Read by libraries, not by the product: boto3's own.
FOREIGN = {"AWS_SHARED_CREDENTIALS_FILE"}


def documented_settings() -> set[str]:
    """The variables of docs/settings.md; each may also be given as a file."""
    names = settings_listed()
    return names | {f"{name}_FILE" for name in names} | FOREIGN


def compose() -> dict[str, Any]:
    """deploy/compose.yaml with merged keys merged, and defaults in place of its variables."""
    return _filled(yaml.safe_load((DEPLOY / "compose.yaml").read_text()))


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _filled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner) for inner in value]
    return _VARIABLE.sub(lambda found: found[2] or "", value) if isinstance(value, str) else value


def documents(path: Path) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def objects() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every Kubernetes object, before overlays change it."""
    for path in sorted(KUBERNETES.rglob("*.yaml")):
        if path.name != "kustomization.yaml":
            yield from ((path, document) for document in documents(path))


def pod_of(document: dict[str, Any]) -> dict[str, Any] | None:
    """The pod's template of whatever makes pods."""
    spec = document.get("spec", {})
    spec = spec.get("jobTemplate", {}).get("spec", spec)
    return spec["template"] if "containers" in spec.get("template", {}).get("spec", {}) else None
