"""What a password's hash costs in production: tests use a cheaper one."""

from __future__ import annotations

from django.contrib.auth.hashers import Argon2PasswordHasher
from django.utils.module_loading import import_string

from config import settings


def test_the_first_hasher_is_argon2_and_costs_what_owasp_asks_at_least():
    hasher = import_string(settings.PASSWORD_HASHERS[0])()
    assert isinstance(hasher, Argon2PasswordHasher)
    assert hasher.memory_cost >= 19 * 1024 and hasher.time_cost >= 2
