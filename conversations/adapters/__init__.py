"""Vendors, stores and channels behind the ports of the conversation core."""
