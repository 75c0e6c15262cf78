"""Where vendors' words are spoken."""
