"""Which adapters serve the ports, by the settings."""

from __future__ import annotations


def install() -> None:
    """Called once, when Django is ready; nothing is built before it is needed."""
