"""What the demonstration's customers have from us: a widget key for their pages, and a secret to sign identities with.

Their "server" (`config.demo_site`) reads both from a file in the state directory, readable by its owner only.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from config.environment import STATE_DIR
from tenants.models import IdentityKey, Tenant, WidgetKey
from tenants.services.identities import identity_key_create
from tenants.services.widget_keys import widget_key_create, widget_key_origins_set

FILE = STATE_DIR / "demo-site.json"
KID = "demonstration"
NAME = "Demonstration page"
DEFAULT_PAGES = "http://localhost:8001"


def widget_load(tenant: Tenant, manifest: dict[str, Any]) -> str:
    """The page's widget key of the current tenant; where the pages are this time is where it may be embedded."""
    origins = [os.environ.get("ANTECEDENT_PAGES", "").rstrip("/") or DEFAULT_PAGES]
    key = WidgetKey.objects.filter(name=NAME, revoked_at=None).first()
    if key is None:
        key = widget_key_create(name=NAME, allowed_origins=origins, look=manifest.get("look", {}))
    elif key.allowed_origins != origins:
        widget_key_origins_set(key_id=key.pk, allowed_origins=origins)
    kept = _kept()
    secret = kept.get(tenant.slug, {}).get("secret") or _secret()
    _keep({**kept, tenant.slug: {"key": key.public_key, "secret": secret, "kid": KID}})
    return key.public_key


def _secret() -> str:
    """Shown once: a file that was lost costs a new key in place of the old one."""
    IdentityKey.objects.filter(kid=KID).delete()
    return identity_key_create(kid=KID, algorithm="HS256")[1]


def _kept() -> dict[str, Any]:
    try:
        kept: dict[str, Any] = json.loads(FILE.read_text())
    except (OSError, ValueError):
        return {}
    return kept


def _keep(kept: dict[str, Any]) -> None:
    written = Path(f"{FILE}.new")
    written.touch(mode=0o600)
    written.write_text(json.dumps(kept))
    written.replace(FILE)
