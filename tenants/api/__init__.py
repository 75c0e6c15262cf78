"""The REST doors of a workspace: its profile, people, keys, versions, log and usage."""
