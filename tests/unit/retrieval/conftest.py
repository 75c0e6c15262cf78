"""Property tests judge results, not the speed of the machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("no deadline", deadline=None, max_examples=60)
settings.load_profile("no deadline")
