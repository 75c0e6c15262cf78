"""The isolation self-test: every lock of the wall tried on the running system, with two tenants made for it."""

from __future__ import annotations

from conversations.audits.isolation import caches, connections, doors, searching, tables, work
from conversations.audits.isolation.ground import ground
from conversations.audits.isolation.trials import Result, tried

__all__ = ["Result", "caches", "connections", "doors", "ground", "searching", "tables", "tried", "work"]
