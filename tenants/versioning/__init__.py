"""How things that a tenant decides are versioned: what may be versioned, who gets which version, what changed."""
