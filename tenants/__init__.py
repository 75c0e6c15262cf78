"""Who owns what: tenants, members, end users, and the wall between tenants."""
