"""Memory beyond the last turns: summary parts, the fact ledger, and recalling closed things from the archive."""
