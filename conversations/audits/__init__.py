"""Audits of conversations: whether anything crosses the wall, and the proof that somebody looked."""
