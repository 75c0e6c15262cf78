"""Reading widget keys: which widget a page names, and where it may be embedded."""

from __future__ import annotations

import re
from uuid import UUID

from django.db.models import Q, QuerySet

from tenants.errors import OriginNotAllowed, WidgetKeyRevoked, WidgetKeyUnknown
from tenants.models import WidgetKey
from tenants.origins import NULL, origin_matches
from tenants.scoping import current_tenant_id

# wk_<tenant id>_<128 random bits>
PUBLIC_KEY = re.compile(r"wk_(?P<tenant>[0-9a-f]{32})_[A-Za-z0-9_-]{22}", re.ASCII)


def widget_key_tenant(public_key: str) -> UUID:
    """The tenant that a public key names, from its text alone. Raises `WidgetKeyUnknown`."""
    parts = PUBLIC_KEY.fullmatch(public_key)
    if parts is None:
        raise WidgetKeyUnknown
    return UUID(parts["tenant"])


def access_widget_key(public_key: str) -> WidgetKey:
    """The current tenant's widget with this key. Raises `WidgetKeyUnknown` or `WidgetKeyRevoked`."""
    if widget_key_tenant(public_key) != current_tenant_id():
        raise WidgetKeyUnknown
    key = WidgetKey.objects.filter(public_key=public_key).first()
    if key is None:
        raise WidgetKeyUnknown
    if key.revoked_at is not None:
        raise WidgetKeyRevoked
    return key


def widget_keys() -> QuerySet[WidgetKey]:
    """The current tenant's widgets: those that are not revoked first, then by name."""
    rows = WidgetKey.objects.annotate(over=Q(revoked_at__isnull=False))
    return rows.order_by("over", "name", "pk")


def check_origin(widget_key: WidgetKey, origin: str) -> None:
    """Refuse to serve a page of an origin where the widget may not be embedded. Raises `OriginNotAllowed`."""
    if not origin_matches(origin, widget_key.allowed_origins):
        raise OriginNotAllowed(origin=origin[:200])


def frame_ancestors(widget_key: WidgetKey) -> str:
    """The sources for `frame-ancestors` of the widget's frame: our own pages, and where it may be embedded.

    A browser has no word for pages without an origin: where `null` is allowed, every page is.
    """
    allowed: list[str] = widget_key.allowed_origins
    return "* file: data:" if NULL in allowed else " ".join(["'self'", *allowed])
