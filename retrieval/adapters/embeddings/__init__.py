"""Embedding models behind one port: one file per vendor."""
