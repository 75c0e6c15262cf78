"""Documents, passages and search: knows files and permissions, never conversations."""
