"""The chain of an audit log, without a database."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from hashlib import sha256
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.audit_chain import (
    BEGINNING,
    Anchor,
    Entry,
    Head,
    Reason,
    Stored,
    Walk,
    canonical,
    plain,
    plain_text,
)

LIBRARY = UUID("5a0b3f30-1111-4111-8111-111111111111")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def entry(seq: int, previous: str, action: str = "shelf.added", **data: object) -> Entry:
    at = "2031-05-06T07:08:09.000001+00:00"
    return Entry(
        str(LIBRARY), str(uuid4()), seq, at, "user", "4", "ada@library.example", action, "s", data, previous
    )


def stored(one: Entry) -> Stored:
    row = {name: value for name, value in asdict(one).items() if name != "tenant"}
    return Stored(**row | {"id": UUID(one.id), "data": json.dumps(one.data), "hash": one.hash})


def chain(length: int) -> list[Stored]:
    rows, previous = [], ""
    for seq in range(1, length + 1):
        one = entry(seq, previous, BEGINNING if seq == 1 else "shelf.added")
        rows.append(stored(one))
        previous = one.hash
    return rows


def reasons(
    rows: list[Stored], head: Head | None = None, anchor: Anchor | None = None
) -> list[tuple[int, str]]:
    walk = Walk(LIBRARY, anchor)
    found = [one for row in rows for one in walk.step(row)]
    found += walk.finish(head or walk.end, is_sealed=True)
    return [(one.seq, one.reason) for one in found]


def test_it_follows_a_whole_chain():
    assert reasons(chain(5)) == []


@pytest.mark.parametrize("name", [field.name for field in fields(Entry)])
def test_its_hash_covers_every_field(name):
    one = entry(1, "")
    other = {"seq": 2, "data": {"n": 1}}.get(name, "changed")
    assert replace(one, **{name: other}).hash != one.hash


def test_its_hash_can_be_recomputed_from_a_line_of_the_export():
    one = entry(3, "ab", name="Zürich")
    line = json.loads(one.line(one.hash))
    written = line.pop("hash")
    text = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert sha256(text.encode()).hexdigest() == written


def test_it_reports_one_gap_once():
    rows = chain(9)
    assert reasons(rows[:3] + rows[6:]) == [(4, Reason.MISSING)]


@pytest.mark.parametrize("at", range(1, 6))
def test_it_finds_any_single_row_that_is_left_out(at):
    rows = chain(5)
    assert reasons(rows[: at - 1] + rows[at:], head=Head(5, rows[-1].hash)) != []


def test_it_finds_a_chain_shorter_than_its_anchor():
    rows = chain(5)
    assert reasons(rows[:4], anchor=Anchor(5, rows[4].hash, "")) == [(5, Reason.ROLLED_BACK)]


def test_it_finds_a_chain_that_differs_from_its_anchor():
    assert reasons(chain(5), anchor=Anchor(3, "00", "")) == [(3, Reason.ROLLED_BACK)]


def test_it_accepts_a_chain_that_went_on_after_its_anchor():
    rows = chain(5)
    assert reasons(rows, anchor=Anchor(3, rows[2].hash, "")) == []


@given(JSON)
def test_its_spelling_survives_a_round_trip(value):
    once = canonical(plain(value))
    assert canonical(plain(json.loads(once))) == once


@given(st.text(alphabet=st.characters()))
def test_its_text_can_be_stored(text):
    kept = plain_text(text)
    assert "\0" not in kept
    assert kept.encode().decode() == kept


def test_it_refuses_numbers_that_json_does_not_know():
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(float("nan"))
