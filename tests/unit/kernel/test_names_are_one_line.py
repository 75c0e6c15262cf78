"""A name says what it seems to say, in any script, and is refused rather than cut."""

from __future__ import annotations

import pytest

from kernel.errors import Invalid
from kernel.names import check_line


@pytest.mark.parametrize(
    "name", ["Ward 3", "مفتاح التصدير", "鍵", "می\u200cخواهم", "नि\u200dयम", "Ж" * 10, "👩\u200d⚕️ ward"]
)
def test_names_of_every_script_are_kept_as_they_are(name):
    assert check_line(name, what="The name", most=20) == name


def test_spaces_around_and_between_are_made_one():
    assert check_line("  Ward\t 3\n", what="The name", most=10) == "Ward 3"


@pytest.mark.parametrize("name", ["a\x00b", "a\x07b", "a\u202eb", "a\u2066b", "a\ud800b"])
def test_what_cannot_be_seen_is_refused(name):
    with pytest.raises(Invalid, match="cannot be seen"):
        check_line(name, what="The name", most=20)


def test_what_is_too_long_is_told_with_its_length_and_what_is_missing_with_the_limits():
    with pytest.raises(Invalid, match=r"The name has 21 characters, and at most 20 are kept"):
        check_line("x" * 21, what="The name", most=20)
    with pytest.raises(Invalid, match=r"The name is missing. It has 1 to 20 characters"):
        check_line("   ", what="The name", most=20)
    assert check_line("", what="The note", most=20, least=0) == ""
