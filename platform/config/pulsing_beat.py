"""Beat's loop says that it turns. Apart from `pulses`, because only beat should pay for loading `celery.beat`."""

from __future__ import annotations

from typing import Any

from celery.beat import PersistentScheduler

from config.alive import pulse


class PulsingScheduler(PersistentScheduler):
    """The scheduler that keeps its times in a file, and shows that it looks at them."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        pulse("beat")
        return float(super().tick(*args, **kwargs))
