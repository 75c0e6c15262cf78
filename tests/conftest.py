"""What every test may use: the real servers, two tenants, and the rival who must see nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import valkey
from django.conf import settings
from django.db import connections
from django.test import TransactionTestCase

from config import environment
from embedded.stack import Endpoints, running_stack, throwaway_state
from tests import schema, workers
from tests.emptying import Emptier


def pytest_configure() -> None:
    settings.PASSWORD_HASHERS = ["tests.hashing.QuickArgon2"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    return workers.workers_for(workers.cores())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """`--dist loadfile`, with the longest first; any other way of dividing is xdist's own."""
    return workers.SharedOut(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    workers.longer_timeouts(items, float(config.getini("timeout") or 0))
    if hasattr(config, "workerinput"):
        workers.longest_first(items)


@pytest.fixture(scope="session")
def stack() -> Iterator[Endpoints]:
    """PostgreSQL and Valkey, started for this run and thrown away after it."""
    with throwaway_state() as state_dir, running_stack(state_dir) as addresses:
        yield addresses


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    stack: Endpoints, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any
) -> Iterator[None]:
    """Points Django, Celery and Channels at this run's servers, and makes the test database."""
    wanted = environment.database(stack.database_url, pool=False)
    connections.settings["default"].update(wanted)
    settings.DATABASES["default"].update(wanted)
    settings.VALKEY_URL = settings.CELERY_BROKER_URL = stack.valkey_url
    settings.CHANNEL_LAYERS["default"]["CONFIG"]["hosts"] = [stack.valkey_url]
    state = tmp_path_factory.mktemp("state")
    settings.ANTECEDENT.update(STATE_DIR=state, BLOB_DIR=state / "blobs")
    # Tests write faster than people do; those of limits set their own.
    settings.QUOTAS["end_user_turns_per_minute"] = None
    with django_db_blocker.unblock():
        empty_tables.url = schema.database_ready(
            stack.superuser_database_url, environment.STATE_DIR / "cache"
        )
    yield
    empty_tables.close()


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The servers go at the end of a run and the database with them: a session still open need not be waited for."""
    return True


empty_tables = Emptier()


def _empty_tables(self: TransactionTestCase) -> None:
    """What Django's `flush` does after a test with real transactions, in a tenth of its time."""
    empty_tables()
    # What Valkey keeps of those rows goes with them: which files run before which is for the workers to say.
    with valkey.Valkey.from_url(settings.VALKEY_URL) as server:
        server.flushall()


TransactionTestCase._fixture_teardown = _empty_tables  # type: ignore[method-assign]


@pytest.fixture
def tenant(db: None) -> Any:
    from tenants.services import tenant_create

    return tenant_create(slug="acme", name="Acme", tagline="Everything for the coyote")


@pytest.fixture
def rival(db: None) -> Any:
    """The other tenant. Whatever a test does, this one must see nothing of it."""
    from tenants.services import tenant_create

    return tenant_create(slug="rival", name="Rival")


@pytest.fixture
def scoped(tenant: Any) -> Iterator[Any]:
    """Inside the tenant's scope for the whole test."""
    from tenants.scoping import tenant_scope

    with tenant_scope(tenant.id):
        yield tenant
