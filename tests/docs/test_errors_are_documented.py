"""docs/errors.md lists every error code with its status and message, as the product says them, and no other."""

from __future__ import annotations

from tests.docs.error_codes import table, written


def test_it_lists_every_code_as_it_is():
    assert written() == table(), "run `python -m tests.docs.error_codes`"


def test_every_message_tells_a_person_something():
    rows = table().splitlines()[2:]
    assert len(rows) > 40
    assert all(len(row.split("|")[4].strip()) >= 8 for row in rows)
