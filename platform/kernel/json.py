"""Names for JSON shapes."""

from __future__ import annotations

JsonScalar = str | int | float | bool | None
Json = JsonScalar | list["Json"] | dict[str, "Json"]
JsonObject = dict[str, Json]
