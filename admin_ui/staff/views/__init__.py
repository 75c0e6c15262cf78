"""The doors of the staff console."""
