"""Reading public web addresses without becoming a way into private ones."""
