"""What a process that answers does before its first turn."""

from __future__ import annotations

import gc

from conversations import wiring


def warm() -> None:
    """The first person to ask should not wait for the language model to load, nor any for what is here for good to be
    looked through for garbage again and again."""
    wiring.warm()
    gc.collect()
    gc.freeze()
