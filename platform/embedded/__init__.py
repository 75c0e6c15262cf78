"""Embedded PostgreSQL and Valkey, and the supervisor behind `manage.py up`: one command runs everything."""

from embedded.stack import Endpoints, endpoints, running_stack, throwaway_state

__all__ = ["Endpoints", "endpoints", "running_stack", "throwaway_state"]
