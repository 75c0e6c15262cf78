"""What staff see: figures and states of all tenants, read inside each one's scope."""
