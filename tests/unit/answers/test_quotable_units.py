"""What counts as one quotable piece of a passage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.answer.units import plain, sentences, units


@pytest.mark.parametrize(
    "text, expected",
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Use e.g. Frankfurt. Dr. Smith agrees.", ["Use e.g. Frankfurt.", "Dr. Smith agrees."]),
        ("Version 3.1 is out. It costs 2.50 euros.", ["Version 3.1 is out.", "It costs 2.50 euros."]),
        ("The answer is no. Ask again.", ["The answer is no.", "Ask again."]),
        ("See no. 5 for more. Done.", ["See no. 5 for more.", "Done."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("最初です。次です。", ["最初です。", "次です。"]),
        ("no end", ["no end"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, expected):
    assert sentences(text) == expected


@given(st.text(alphabet="ab. !?\n。。A1", max_size=60))
def test_no_character_of_a_text_gets_lost_in_sentences(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text(max_size=200))
def test_every_unit_is_verbatim_in_its_passage(text):
    assert all(unit.source in "\n".join(text.splitlines()) for unit in units(text))


def texts(passage: str) -> list[str]:
    return [unit.text for unit in units(passage)]


def test_a_table_row_reads_as_a_sentence():
    table = "| Region | RPO | Note |\n|---|---|---|\n| Dublin | 5 minutes | - |\n| Oslo | | **new** |"
    assert texts(table) == ["Dublin: RPO 5 minutes", "Oslo: Note new"]


def test_a_row_that_was_written_out_is_still_a_row():
    (unit,) = units("Region: Dublin; RPO: 5 minutes; RTO: 1 hour, at night")
    assert unit.kind == "row"
    assert unit.text == "Dublin: RPO 5 minutes; RTO 1 hour, at night"
    assert texts("Limit: Jobs at once; Value: 4") == ["Jobs at once: 4"]


def test_a_table_without_a_rule_and_one_of_tabs_are_read_too():
    assert texts("Region | RPO\nDublin | 5 minutes") == ["Dublin: RPO 5 minutes"]
    assert texts("Region\tRPO\nDublin\t5 minutes") == ["Dublin: RPO 5 minutes"]


def test_headings_are_not_quoted_but_known():
    (unit,) = units("# Returns\n\n## Shoes\n\nSixty days.")
    assert (unit.text, unit.about) == ("Sixty days.", "Returns Shoes")


def test_hard_wrapped_prose_is_one_sentence():
    assert texts("Each region has its own\ntargets and windows.") == [
        "Each region has its own targets and windows."
    ]


def test_lines_of_names_and_values_stand_alone():
    assert texts("Phone: 030 1234\nHours: 9 to 17") == ["Phone: 030 1234", "Hours: 9 to 17"]


def test_a_wrapped_list_item_is_one_unit():
    found = units("Bring:\n\n- a passport\n  or a card\n- money")
    assert [(u.lead, u.text) for u in found] == [("Bring:", "a passport or a card"), ("Bring:", "money")]


@pytest.mark.parametrize(
    "markdown, expected",
    [
        ("**bold** and *thin* [link](http://x)", "bold and thin link"),
        ("![pixel](http://x/y.png) seen", "pixel seen"),
        ("snake_case_name stays", "snake_case_name stays"),
        ("<b>tag</b> and 3 < 5", "tag and 3 < 5"),
        ("as shown [3], [^4]", "as shown (3), (^4)"),
    ],
)
def test_markdown_becomes_plain_words(markdown, expected):
    assert plain(markdown) == expected
