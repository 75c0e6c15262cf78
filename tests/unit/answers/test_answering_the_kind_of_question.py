"""A table's right cell, a whole list, both sides of a comparison, the value that was asked for, and honest silence."""

from __future__ import annotations

import pytest

from conversations.domain.answer import Passage, extract_answer

PLANS = """Plans are bought per team. The head of the desk is Ada Quill.

Price per month; Small: free; Medium: €20; Large: €90
First reply; Small: –; Medium: 12 hours; Large: 1 hour
Seats; Small: 1; Medium: 5; Large: 50
"""
GARDENS = """Three gardens are open to visitors.

Garden: Fernhill; Opens: 09:00; Roses: yes
Garden: Oakmere; Opens: 10:30; Roses: no
Garden: Saltby; Opens: 08:00; Roses: yes
"""
PENALTIES = "If a tram is late, you get 10 % of the fare. Below 90.0 % punctuality you get 30 %. Below 70.0 % you get 60 %."
CRANE = "The crane is a machine of 40 kg that lifts 900 kg. A day costs €70 and includes a driver. It is painted red."
SWAPS = "We swap old lamps for new ones. Candles and lanterns are excluded. The desk is beside the door."
LIMITS = """Who may sign what:

Clerk: anything; Ceiling: up to 500 euros; Person: Bo Reed
Chief: anything; Ceiling: above 500 euros; Person: Ines Vale
"""


def passage(n: int, text: str, title: str = "Handbook", heading: tuple[str, ...] = ()) -> Passage:
    return Passage(f"chunk-{n}", f"document-{n}", title, heading, n, text, 1.0 / n)


def ask(question, *passages, **more):
    return extract_answer(question, question, passages, **more)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("First reply on Medium?", "First reply: Medium 12 hours [1]."),
        ("How fast is the first reply on Large?", "First reply: Large 1 hour [1]."),
        ("How many seats does Medium have?", "Seats: Medium 5 [1]."),
    ],
)
def test_it_reads_the_row_and_the_column_where_the_corner_of_a_table_is_empty(question, expected):
    assert ask(question, passage(1, PLANS, "Plans")).text == expected


def test_an_empty_cell_that_was_asked_for_is_not_replaced_by_its_neighbours():
    assert ask("First reply on Small?", passage(1, PLANS, "Plans")).text == "First reply: Small – [1]."


def test_a_number_is_the_same_with_and_without_its_zeros():
    answer = ask("What do I get below 90 % punctuality?", passage(1, PENALTIES))
    assert answer.text.startswith("Below 90.0 % punctuality you get 30 %")


def test_above_a_number_is_not_up_to_that_number():
    text = "Bo Reed signs up to 500 euros. Ines Vale signs above 500 euros."
    assert "Ines Vale" in ask("Who signs above 500 euros?", passage(1, text)).text.split("[1]")[0]


@pytest.mark.parametrize(
    "question", ["Which gardens are there?", "List the gardens", "What gardens do you have?"]
)
def test_it_names_everything_in_the_column_that_is_asked_for(question):
    answer = ask(question, passage(1, GARDENS, "Visits"))
    assert answer.text == "Garden: Fernhill, Oakmere, Saltby [1]."
    assert set(answer.citations[0].quotes) == set(GARDENS.splitlines()[2:])


def test_it_names_what_a_table_compares():
    answer = ask("Which plans do you offer?", passage(1, PLANS, "Plans"))
    assert answer.text == "Plans: Small, Medium, Large [1]."


def test_it_names_the_rows_of_a_table_that_was_cut_in_two():
    rest = "Garden: Elmtop; Opens: 07:00; Roses: no\nGarden: Brook; Opens: 08:00; Roses: no"
    two = [
        Passage("chunk-1", "document", "Visits", (), 1, GARDENS),
        Passage("chunk-2", "document", "Visits", (), 1, rest),
    ]
    answer = ask("Which gardens are there?", *two)
    assert all(name in answer.text for name in ("Fernhill", "Saltby", "Elmtop", "Brook"))
    assert [c.chunk_id for c in answer.citations] == ["chunk-1", "chunk-2"]


def test_what_about_something_is_not_a_wish_for_a_list():
    text = "Boots may come back within 60 days. The new pair is sent at once, with boots, laces and a box."
    answer = extract_answer("How long may boots come back?", "What about boots?", [passage(1, text)])
    assert answer.text.startswith("Boots may come back within 60 days")


def test_one_of_a_list_is_still_answered_by_its_row():
    assert "Oakmere: Opens 10:30" in ask("When does Oakmere open?", passage(1, GARDENS, "Visits")).text


def test_it_quotes_the_whole_list_that_its_heading_asks_for():
    text = "- tents\n- boats\n- bicycles older than ten years"
    answer = ask("What is not insured?", passage(1, text, "Insurance", ("Insurance", "What is not insured")))
    assert answer.text.count("[1]") == 3


def test_it_quotes_the_steps_when_asked_how_something_is_done():
    text = "1. Open the valve.\n2. Wait a minute.\n3. Close the valve again."
    answer = ask("How do I rinse the valve?", passage(1, text, "Pump", ("Pump", "Rinse the valve")))
    assert answer.text.count("[1]") == 3


@pytest.mark.parametrize(
    "question",
    [
        "Compare Fernhill and Saltby opening",
        "Fernhill opens at what time versus Saltby?",
        "When do Fernhill and Saltby open?",
    ],
)
def test_it_answers_both_sides_of_a_comparison(question):
    answer = ask(question, passage(1, GARDENS, "Visits"))
    assert "09:00" in answer.text and "08:00" in answer.text
    assert "10:30" not in answer.text


def test_it_finds_the_other_side_in_another_passage():
    north = passage(
        1, "Requests: 60 per minute. The north gate is old.", "North gate", ("North gate", "Limits")
    )
    south = passage(
        2, "Requests: 20 per minute. The south gate is new.", "South gate", ("South gate", "Limits")
    )
    answer = ask("Compare the request limits of the north and the south gate", north, south)
    assert "60 per minute" in answer.text and "20 per minute" in answer.text


def test_a_price_is_not_answered_by_a_weight():
    answer = ask("What is the price of the crane?", passage(1, CRANE, "Crane"))
    assert answer.text == "A day costs €70 and includes a driver [1]."


def test_who_is_answered_by_a_person():
    text = "The choir meets on 3 May at 18:00 in the hall. The choir is led by Mona Birk."
    assert ask("Who leads the choir?", passage(1, text)).text == "The choir is led by Mona Birk [1]."


def test_nobody_is_named_who_is_not_there():
    text = "The choir meets on 3 May at 18:00. The choir pays for Founders Hall."
    assert not ask("Who founded the choir?", passage(1, text)).confident


def test_a_word_does_not_answer_for_another_that_begins_alike():
    course = passage(1, '"Choir Foundation" lasts one day and costs 90 euros.', "Courses")
    assert not ask("Who founded Choir?", course).confident


def test_a_yes_or_no_question_prefers_the_exclusion():
    assert ask("Do you swap candles?", passage(1, SWAPS)).text.startswith("Candles and lanterns are excluded")


def test_it_says_so_when_no_passage_knows_what_is_asked_of_a_thing():
    text = "Anglers at level Trout and Salmon offer the same and more."
    answer = ask(
        "What is the margin of a Salmon angler?", passage(1, text), sentence_scores=lambda t: [0.6] * len(t)
    )
    assert not answer.confident
    assert "offer the same" not in answer.text


def test_the_cosine_says_nothing_about_a_script_the_model_does_not_know():
    text = "返品は30日以内に可能です。"
    asked = []

    def scores(texts):
        asked.extend(texts)
        return [0.9] * len(texts)

    assert not ask("名古屋の店は何時に開きますか", passage(1, text), sentence_scores=scores).confident
    assert asked == []


@pytest.mark.parametrize("question", ["Is there a garden in Larkham?", "Can I go to Larkham?"])
def test_it_tells_which_name_is_missing(question):
    answer = ask(question, passage(1, GARDENS))
    assert answer.missing == "Larkham"
    assert not answer.confident


def test_a_line_of_capitals_in_a_plain_text_is_a_heading():
    text = "PARKING\nSpaces cost 4 euros.\nBICYCLES\nSpaces cost nothing."
    assert ask("What do bicycles cost?", passage(1, text)).text == "Spaces cost nothing [1]."


def test_words_that_a_rewrite_added_do_not_outweigh_the_words_that_were_typed():
    text = "Row: Elms; Height: 9 m; Width: 4 m\n\nElms are pruned by the crew in May."
    typed = "Elms: when are they pruned by the crew?"
    answer = extract_answer(f"{typed} height width", typed, [passage(1, text)])
    assert answer.text == "Elms are pruned by the crew in May [1]."
