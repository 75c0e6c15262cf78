"""What a cluster would be given: each overlay put together by kustomize itself."""

from __future__ import annotations

import subprocess
import sysconfig
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.deploy.manifests import KUBERNETES

NAMES = tuple(sorted(path.name for path in (KUBERNETES / "overlays").iterdir()))


@cache
def rendered(overlay: str) -> tuple[dict[str, Any], ...]:
    """Every object of an overlay."""
    kubectl = Path(sysconfig.get_path("scripts")) / "kubectl"
    done = subprocess.run(
        [kubectl, "kustomize", KUBERNETES / "overlays" / overlay], capture_output=True, text=True, check=True
    )
    assert not done.stderr, done.stderr  # a warning is how kustomize tells of fields that will go
    return tuple(yaml.safe_load_all(done.stdout))


def of_kind(overlay: str, kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in rendered(overlay) if one["kind"] == kind}
