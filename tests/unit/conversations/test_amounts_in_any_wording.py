"""Amounts are the same amount whatever their wording."""

from __future__ import annotations

import pytest

from conversations.domain.measures import alike, holds, measures


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("14 days", "two weeks"),
        ("a month", "30 days"),
        ("one year", "12 months"),
        ("365 days", "a year"),
        ("24 hours", "1 day"),
        ("6 pm", "18:00"),
        ("9am", "9:00"),
        ("65 euros", "€65"),
        ("GBP 9.50", "£9.50"),
        ("1,000 kg", "1000 kg"),
        ("twenty-five days", "25 days"),
        ("20 percent", "20 %"),
        ("25", "25 days"),
        ("three working days", "3 days"),
        ("2 h", "two hours"),
        ("90 minutes", "90 min"),
        ("March 2024", "12 March 2024"),
    ],
)
def test_one_amount_in_two_wordings(one: str, other: str) -> None:
    assert holds(measures(one)[0], measures(other))
    assert holds(measures(other)[0], measures(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("30 days", "60 days"),
        ("30 days", "€30"),
        ("29 euros", "$29"),
        ("6 am", "18:00"),
        ("two weeks", "2 days"),
        ("4.2", "4.1"),
        ("March 2024", "May 2024"),
    ],
)
def test_two_amounts(one: str, other: str) -> None:
    assert not holds(measures(one)[0], measures(other))


def test_the_same_figure_may_be_meant_where_it_does_not_measure_something_else() -> None:
    (days,), price = measures("30 days"), measures("it costs €30")
    assert not alike(days, price) and not holds(days, price)
    assert not alike(days, measures("60 days or €20"))
    assert alike(days, measures("up to 30")) and not alike(days, measures("thirty stores"))
