"""The consoles of tenant admins and platform staff."""
