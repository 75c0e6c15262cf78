"""What `manage.py scenario` says when it is asked for no scenario, or for one that there is not."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command


def test_without_a_name_it_lists_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("scenario")

    said = capsys.readouterr().out
    assert "compliance_analyst" in said
    assert "two_hundred_turns" in said


def test_an_unknown_name_lists_them_too_and_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match="flight_attendant"):
        call_command("scenario", "flight_attendant")

    assert "compliance_analyst" in capsys.readouterr().out
