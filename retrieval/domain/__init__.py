"""The pure part: values in, decisions out; no framework, no vendor."""
