"""The staff console, `/staff/`: the platform as a whole, and never what a tenant's people wrote."""
