"""Where uploaded files are kept."""
