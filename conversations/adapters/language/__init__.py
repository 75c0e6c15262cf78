"""Language libraries behind the domain's `Language` port, one file per vendor."""
