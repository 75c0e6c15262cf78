"""What one reader of the console may see of a conversation now."""

from __future__ import annotations

from conversations.selectors.sight import UNSEEN, Sight, sight_of

__all__ = ["UNSEEN", "Sight", "sight_of"]
