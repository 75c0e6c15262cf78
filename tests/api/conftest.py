"""Browsers of a tenant: a Django test client below its address prefix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import set_script_prefix

from tenants.models import User
from tenants.scoping import tenant_scope
from tenants.services import end_user_for_account, membership_set

PASSWORD = "correct horse battery"


@pytest.fixture
def browser() -> Iterator[Callable[..., Client]]:
    def opened(tenant: Any, **options: Any) -> Client:
        set_script_prefix(f"/t/{tenant.slug}/")  # as Django's own handlers do; its test client does not
        return Client(SCRIPT_NAME=f"/t/{tenant.slug}", **options)

    yield opened
    set_script_prefix("/")


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """An account of a tenant: a member with a role, or an end user without one."""

    def made(tenant: Any, email: str, role: str = "") -> User:
        user = User.objects.create_user(email, PASSWORD, name=email.split("@")[0].title())
        with tenant_scope(tenant.id):
            if role:
                membership_set(user=user, role=role)
            end_user_for_account(user=user)
        return user

    return made


@pytest.fixture
def boss(db):
    """An account of the platform's staff."""
    return User.objects.create_user("boss@platform.example", PASSWORD, name="Bo", is_staff=True)


@pytest.fixture
def staff(boss):
    """Their browser, signed in."""
    client = Client(HTTP_ACCEPT="text/html")
    client.force_login(boss)
    return client
