"""The REST doors of documents."""
