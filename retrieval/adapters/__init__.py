"""The only place with vendors' words."""
