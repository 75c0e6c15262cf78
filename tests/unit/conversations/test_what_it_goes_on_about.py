"""Talks whose subject hides in an odd wording: what goes on being meant, and what stays behind."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of

# (what was said before as messages and answers, the message, words that must be searched, words that must not)
Case = tuple[list[tuple[str, str]], str, str, str]
CASES: dict[str, Case] = {
    "they are things of the kind that was asked about, not somebody's brother": (
        [("For how long is a travel card valid?", "Until midnight."), ("and if my brother loses it?", "Ask at the desk.")],
        "And changing the subject: do they count for concerts at the castle?",
        "travel card concert",
        "brother",
    ),
    "a price that is offered is the price of what was asked": (
        [("Can you tune my piano?", "Yes, on weekdays. Do you want to know the price?")],
        "Yes, tell me.",
        "tune piano price",
        "",
    ),
    "an offer that names its thing needs nothing else": (
        [
            ("Where is the cloakroom?", "Downstairs."),
            ("We come with a pram.", "Would you like to know where the lifts are?"),
        ],
        "yes please",
        "lifts",
        "cloakroom",
    ),
    "what is described by what was said of it is the same thing": (
        [("What is special about the Fjord tent?", "The Fjord tent is for families and storms.")],
        "what is the deposit on pegs for that family tent?",
        "Fjord tent",
        "",
    ),
    "a name takes the place of what something was done by": (
        [("how long until the parcel arrives, I sent it by rail", "Four days.")],
        "What if it was Hermes?",
        "arrives Hermes",
        "rail",
    ),
    "what something is for is not the thing itself": (
        [("Do you send skis to Iceland?", "Yes, within a week.")],
        "Does the box for sending them back cost anything?",
        "Iceland",
        "",
    ),
    "how is that: what was said last": (
        [
            ("Which harbour passes do you sell?", "Three passes: Basic, Family and Premium."),
            ("What refund do we get if the ferry is late?", "A quarter of the fare."),
        ],
        "how is that on the premium charter?",
        "refund",
        "passes",
    ),
    "what about a thing, and a question that is asked of it": (
        [("We rented a tent last week and hate it. What can we do?", "Bring the tent back within 10 days.")],
        "ok, what about kayaks, how long is it there",
        "kayaks",
        "tent rented hate",
    ),
    "a thing and a question with a thing of its own": (
        [("Is there a discount on the Rhine cruise?", "Yes, for pupils.")],
        "What about the museum, how much is the deposit there?",
        "museum deposit",
        "",
    ),
    "what is only supposed leaves what is mine": (
        [("Black ink on my leather bag!! help", "Cold milk, then rinse.")],
        "If it had been mascara?",
        "mascara leather bag",
        "ink",
    ),
    "what is supposed of my only thing stays with it": (
        [("can you sharpen my knife", "Yes, within a day.")],
        "what if it was blunter?",
        "blunter knife",
        "",
    ),
    "no, and a thing: that one was meant": (
        [("when is the pool in York open?", "From nine.")],
        "no, the sauna",
        "when sauna York open",
        "pool",
    ),
    "a whole question about a name needs no noun of another question": (
        [("which harbours do you have?", "Harbours: Cork, Sligo [1], Galway [2].")],
        "wats the fee for kayaks in Galway?",
        "fee kayaks Galway",
        "harbours",
    ),
    "what happened to a thing is supposed of that thing": (
        [("Can I return a kayak to my branch?", "Yes, within a day.")],
        "what if it was damaged?",
        "damaged kayak",
        "",
    ),
    "a whole question that points at what nobody called so": (
        [("How long is a travel card valid?", "For a month.")],
        "what's the guarantee on the spare wheels from that workshop?",
        "guarantee wheels workshop",
        "travel card",
    ),
    "a question that points at what was called so": (
        [("Where is the Elm Lane workshop?", "Behind the station.")],
        "what's the guarantee on the spare wheels from that workshop?",
        "guarantee wheels Elm Lane",
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_goes_on_about_what_is_meant(name: str, talk: Any) -> None:
    before, message, needed, left = CASES[name]
    for said, answer in before:
        talk.say(said, answer)
    query = key_of(talk.hear(message).query)
    missing = [word for word in needed.split() if not contains_key(query, key_of(word))]
    welded = [word for word in left.split() if contains_key(query, key_of(word))]
    assert (missing, welded) == ([], []), query


@pytest.mark.parametrize(
    ("asked", "answer", "message", "place", "left"),
    [
        (
            "What do I bring to the sewing class at Marlpit?",
            "Your scissors and a cloth.",
            "While I'm there I'd like a key cut, do I have to book for that?",
            "Marlpit",
            ("sewing", "scissors", "cloth"),
        ),
        (
            "When is the evening yoga?",
            "Three times a week at Brookgate: Monday, Wednesday and Friday.",
            "What do they charge for the car at that place?",
            "Brookgate",
            ("yoga", "Wednesday"),
        ),
        (
            "Where is the Primrose workshop?",
            "Primrose, the pottery workshop, is at Larkfield.",
            "How would I get there by bus on a Sunday?",
            "Larkfield",
            ("pottery",),
        ),
        (
            "Can my cousin's friends sleep on the Linnet?",
            "Yes, visitors may stay from May to October.",
            "He's getting bored on there. What does a film evening cost?",
            "Linnet",
            ("visitors", "October"),
        ),
    ],
)
def test_there_takes_the_place_and_nothing_else_into_a_question_of_its_own(
    talk: Any, asked: str, answer: str, message: str, place: str, left: tuple[str, ...]
) -> None:
    talk.say(asked, answer)
    query = key_of(talk.hear(message).query)
    assert contains_key(query, key_of(place))
    assert not any(contains_key(query, key_of(word)) for word in left)


def test_a_day_is_no_place(talk: Any) -> None:
    talk.say("Is the Harrow shop open on Sundays?", "No, it is closed on Sundays.")
    query = key_of(talk.hear("Different thing: do they have charging points for cars there?").query)
    assert contains_key(query, "harrow") and not contains_key(query, "sunday")


def test_there_means_what_the_message_itself_has_named(talk: Any) -> None:
    talk.say("Which buses go to Ashcombe?", "Routes 7 and 41, from Wyremouth station.")
    query = key_of(talk.hear("Oh no, it's Larkfield she's in. Which trams run there?").query)
    assert contains_key(query, "larkfield") and not contains_key(query, "wyremouth")


def test_a_town_takes_the_place_of_a_name_that_stood_where_a_place_does(talk: Any) -> None:
    talk.say("Can I rent a drill at Tidewell on a Saturday?", "Yes, until noon.")
    query = key_of(talk.hear("How about at the one in Bristol, which days is that open?").query)
    assert contains_key(query, "bristol") and not contains_key(query, "tidewell")


@pytest.mark.parametrize(
    ("asked", "message", "displayed"),
    [
        (
            "My wife bought a Quayside table in Leeds and now there is a scratch. Can I return it?",
            "how do I oil it",
            "wife",
        ),
        (
            "I have been a customer for years and I love the carpet. May I swap it?",
            "do I need to send it back",
            "customer",
        ),
    ],
)
def test_it_is_shown_as_no_person(talk: Any, asked: str, message: str, displayed: str) -> None:
    talk.say(asked, "Yes.")
    shown = talk.hear(message).contextualized.display
    assert f"the {displayed}" not in shown.split("(")[0]
