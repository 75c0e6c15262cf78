"""Names for JSON shapes."""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]
