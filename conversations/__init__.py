"""The heart: sessions, turns, and what a message means in its conversation."""
