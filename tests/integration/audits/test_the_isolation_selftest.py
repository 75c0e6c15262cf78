"""The isolation self-test passes on a whole wall, and finds every lock that is broken on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conversations.audits.isolation import ground, tried
from conversations.audits.isolation.ground import PREFIX, Ground
from conversations.audits.isolation.trials import TRIALS, outcome
from tenants.models import Tenant
from tests.broken_locks import LOCKS, broken

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sides(transactional_db: None) -> Iterator[Ground]:
    from config.asgi import application

    with ground(application) as both:
        yield both


def quiet(what: str, done: int, total: int) -> None:
    pass


def test_a_whole_wall_passes_every_check_and_each_broken_lock_is_found(sides, stack):
    results = tried(sides, quiet)
    failed = [f"{result.name}: {result.evidence}" for result in results if not result.passed]
    assert not failed, "\n".join(failed)
    assert len(results) >= 20 and all(result.evidence for result in results)
    for name, (_, trial) in LOCKS.items():
        with broken(name, _superuser(stack)):
            found = outcome(trial, TRIALS[trial], sides)
        assert not found.passed, f"{name} was not found"
        assert "could not be carried out" not in found.evidence, f"{name}: {found.evidence}"
        assert outcome(trial, TRIALS[trial], sides).passed, f"{name} stayed broken"


def test_nothing_of_the_self_test_stays(transactional_db):
    from config.asgi import application

    with pytest.raises(RuntimeError), ground(application):
        assert Tenant.objects.filter(slug__startswith=PREFIX).count() == 2
        raise RuntimeError
    assert not Tenant.objects.filter(slug__startswith=PREFIX).exists()


def _superuser(stack: Any) -> str:
    from urllib.parse import urlsplit

    from django.db import connection

    return (
        urlsplit(stack.superuser_database_url)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    )
