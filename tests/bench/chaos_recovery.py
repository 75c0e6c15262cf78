"""How it is seen that the platform is well again, and for what it was waited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection

import httpx2
import psycopg

from tests.browser.conftest import Platform

LIMIT_SECONDS = 420
EVERY_SECONDS = 0.5
TURNS = """
    select count(*) from conversations_turn where client_id = any(%s) and state in ('accepted', 'running')
"""
DOCUMENTS = """
    select count(*) from retrieval_document
    where filename = any(%s) and state not in ('indexed', 'failed', 'empty')
"""


async def well_again(
    platform: Platform, turns: Collection[str], documents: Collection[str]
) -> dict[str, float | None]:
    """Seconds until it says that it is ready, until no acknowledged turn waits, and until no document does.

    None for what had not come about after seven minutes.
    """
    began = time.monotonic()

    def ready() -> bool:
        return httpx2.get(f"{platform.url}readyz", timeout=5).status_code == 200

    def done(query: str, names: Collection[str]) -> Callable[[], bool]:
        return lambda: platform.rows(query, list(names)) == [(0,)]

    asked = {"ready": ready, "turns": done(TURNS, turns), "documents": done(DOCUMENTS, documents)}
    return dict(
        zip(asked, await asyncio.gather(*(_seconds(one, began) for one in asked.values())), strict=True)
    )


async def _seconds(is_so: Callable[[], bool], began: float) -> float | None:
    while time.monotonic() - began < LIMIT_SECONDS:
        try:
            if await asyncio.to_thread(is_so):
                return round(time.monotonic() - began, 1)
        except (httpx2.HTTPError, psycopg.Error):
            pass
        await asyncio.sleep(EVERY_SECONDS)
    return None
