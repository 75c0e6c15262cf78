"""The conversation core: values in, decisions out. No framework, no vendor, no clock."""
