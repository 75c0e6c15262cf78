"""Room for small documents beside large ones.

Reading and cutting a large document takes a worker for up to minutes. Only one of them goes on at a time on a
machine, whoever uploaded it; another one gives its place back and comes again a little later. So the other places
stay free for the many small documents, and no tenant's large files hold up everybody else.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

LARGE_BYTES = 2_000_000
"""From this size on a document is large: about two seconds of cutting, or some more of reading."""
PAUSE_SECONDS = 5.0
"""How long a large document waits before it asks again."""


class Lane(Protocol):
    """The one way that large documents go through, one after another."""

    def entered(self) -> AbstractContextManager[bool]:
        """True inside when the way was free; it is held until the context ends, or its process does."""
        ...
