"""The REST doors of conversations, and the one that OpenAI's clients know."""
