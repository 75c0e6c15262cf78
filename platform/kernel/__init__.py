"""The ground everything stands on: pure Python, no framework, no vendor."""
