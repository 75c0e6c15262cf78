"""A database that cannot be reached is a 503 that says so, to programs and to people; a bad statement stays a fault."""

from __future__ import annotations

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError
from django.test import RequestFactory
from psycopg import errors as pg
from psycopg_pool import PoolTimeout

from config.errors import api_exception_handler, as_domain_error
from config.views import server_error


def caused(error, cause):
    error.__cause__ = cause
    return error


AWAY = [
    caused(OperationalError("terminating"), pg.AdminShutdown("terminating")),
    caused(OperationalError("starting up"), pg.CannotConnectNow("starting up")),
    caused(OperationalError("refused"), pg.ConnectionFailure("refused")),
    caused(OperationalError("refused"), psycopg.OperationalError("connection refused")),
    caused(OperationalError("no connection"), PoolTimeout("couldn't get a connection after 10.00 sec")),
    caused(OperationalError("too many"), pg.TooManyConnections("too many")),
    caused(InterfaceError("closed"), psycopg.InterfaceError("the connection is closed")),
]
HERE = [
    caused(OperationalError("too slow"), pg.QueryCanceled("statement timeout")),
    caused(OperationalError("locked"), pg.LockNotAvailable("lock timeout")),
    caused(OperationalError("deadlock"), pg.DeadlockDetected("deadlock")),
    caused(ProgrammingError("no such column"), pg.UndefinedColumn("no such column")),
    ValueError("no database at all"),
]


@pytest.mark.parametrize("error", AWAY, ids=lambda error: str(error.__cause__))
def test_whatever_the_driver_says_of_it_the_code_is_one(error):
    told = as_domain_error(error)
    assert told is not None
    assert (told.code, told.http_status, told.retryable) == ("database_unavailable", 503, True)


@pytest.mark.parametrize("error", HERE, ids=str)
def test_what_a_database_that_is_there_refuses_is_no_outage(error):
    assert as_domain_error(error) is None


def test_a_program_hears_when_to_come_again():
    request = RequestFactory().get("/api/v1/corpora")
    answer = api_exception_handler(AWAY[0], {"request": request, "view": None})
    assert answer is not None
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    assert answer.data["error"]["code"] == "database_unavailable"


def test_a_person_gets_a_page_without_a_database():
    request = RequestFactory().get("/t/acme/chat/", headers={"accept": "text/html"})
    try:
        raise AWAY[0]
    except OperationalError:
        answer = server_error(request)
    assert answer.status_code == 503
    assert b"The database does not answer at the moment" in answer.content
