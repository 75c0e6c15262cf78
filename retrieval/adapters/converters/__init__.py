"""From bytes to text with structure: one file per format family, run in a child process with limits.

Nothing here imports Django, so that the child starts quickly and a hostile file meets little.
"""
