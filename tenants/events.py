"""What a webhook can be told: one table for services, consoles and docs."""

from __future__ import annotations

EVENTS: dict[str, str] = {
    "document.indexed": "A document, or a changed version of it, can be found by searches.",
    "document.failed": "A document could not be read; the reason is named.",
    "turn.flagged": "The guard objected to a rewrite, or the person rated an answer down.",
    "quota.near": "80 % or all of a quota is used.",
}
PING = "ping"
"""The test event: it goes to one webhook, whatever it has subscribed to."""
