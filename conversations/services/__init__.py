"""Writing conversations: sessions, turns, and who may answer in one."""
