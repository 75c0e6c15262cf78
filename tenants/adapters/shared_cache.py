"""Django's cache in Valkey: what one process has marked as used, such as a code of a second factor, all know."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.cache.backends.redis import RedisCache
from django.utils.functional import cached_property


class SharedCache(RedisCache):
    """Django's own backend, at the address that the settings hold when it is first used."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(settings.VALKEY_URL, params)

    @cached_property
    def _cache(self) -> Any:
        self._servers = [settings.VALKEY_URL]  # what was read at start may be older
        return super()._cache  # type: ignore[misc]
