"""Scripted talks in invented businesses: what must, and what must not, be in each query that is searched."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.domain.words import contains_key, key_of

# A talk is a list of (message, answer, words that must be searched, words that must not).
Line = tuple[str, str, str, str]
TALKS: dict[str, list[Line]] = {
    "library: whole questions take nothing along": [
        ("Who may waive a late fee of more than 20 euros?", "The branch manager may waive it.", "", ""),
        ("How many reading rooms?", "There are four reading rooms.", "reading", "fee waive manager"),
        ("How many days of leave?", "Staff have 30 days.", "leave", "fee reading manager"),
        ("thanks", "You are welcome.", "", ""),
        ("Which branches have a café?", "The central one.", "café", "leave fee reading"),
    ],
    "car rental: an ellipsis takes the predicate of the last question": [
        ("Can I park my own car at Lisbon airport?", "Yes, parking is free.", "", ""),
        ("What is the deposit for a van in Porto on the Comfort tariff?", "400 euros.", "", "park"),
        ("And for Lisbon?", "In Lisbon it is 500 euros.", "deposit van Lisbon", "park Porto airport"),
    ],
    "shoe shop: kinds of things are swapped": [
        ("How long can I return boots?", "Within 30 days.", "", ""),
        ("and sandals?", "Within 14 days.", "return sandals", "boots"),
        ("And slippers?", "Slippers cannot be returned.", "return slippers", "boots sandals"),
    ],
    "car rental: an article goes with the thing swapped": [
        ("What is the deposit for a van?", "400 euros.", "", ""),
        ("and a minibus?", "600 euros.", "deposit minibus", "van"),
        ("What about an estate car instead?", "300 euros.", "deposit estate car", "van minibus"),
    ],
    "hospital: a parallel question leaves the old clinic": [
        ("Is there a pharmacy in the Leeds clinic?", "Yes, on the ground floor.", "", ""),
        ("Does York have an MRI scanner?", "Yes, since May.", "York MRI", "Leeds pharmacy"),
    ],
    "library: there means the branch": [
        ("When does the Galway branch open?", "It opens at nine.", "", ""),
        ("Can I return audiobooks there?", "Yes, at the desk.", "audiobooks Galway", ""),
    ],
    "library: the second of a sentence": [
        (
            "Which kinds of membership are there?",
            "There are three kinds: reader, family and scholar.",
            "",
            "",
        ),
        ("What does the second one cost?", "It costs 20 euros.", "family", "reader scholar"),
        ("the first one, does it include films?", "Yes.", "reader films", "scholar family"),
        ("and the third?", "It is free.", "scholar", "reader family"),
    ],
    "furniture shop: a correction of a thing with an article": [
        ("What guarantee do I get on a wardrobe?", "Ten years.", "", ""),
        ("actually make that a bench", "Two years.", "guarantee bench", "wardrobe"),
    ],
    "laboratory: what a correction takes back stays away": [
        ("How many samples an hour does the Morning intake desk take?", "Samples: 60 an hour [1].", "", ""),
        ("Sorry, I meant the Evening intake desk.", "Samples: 20 an hour [1].", "samples Evening", "Morning"),
        ("How long are its sealed boxes kept?", "Two weeks.", "Evening boxes", "Morning"),
        ("And who empties it?", "The night porter.", "Evening", "Morning"),
    ],
    "gym: a name with an article is no reference": [
        ("How many towels does the Morning pass include?", "Two towels.", "", ""),
        ("How long are lost towels kept?", "Three weeks.", "towels", ""),
        (
            "We have the Family pass. How long is the notice period under our contract?",
            "A month.",
            "notice",
            "towels Morning",
        ),
    ],
    "airline: for the same kind of thing": [
        ("How fast is a refund request answered on Basic?", "Within a week.", "", ""),
        ("And on Premium, for the same kind of request?", "Within a day.", "refund Premium", "Basic"),
    ],
    "hotel: what is asked of a thing stays": [
        ("What's the minimum stay in Loft?", "Two nights.", "", ""),
        ("is it the same for Attic", "Three nights.", "minimum stay Attic", ""),
    ],
    "cooking school: the one that is described is not the others": [
        (
            "Which courses are there in May?",
            "There are:\n1. Baking bread\n2. Filleting fish\n3. Tempering chocolate",
            "",
            "",
        ),
        ("who teaches the chocolate one", "Ana does.", "chocolate courses", "bread fish"),
    ],
    "cooking school: the last of these": [
        ("Do you sell vouchers?", "Yes, from 20 euros.", "", ""),
        (
            "Which courses are there in May?",
            "There are:\n1. Baking bread\n2. Filleting fish\n3. Tempering chocolate",
            "",
            "",
        ),
        ("whats the price for the last of these", "80 euros.", "chocolate", "vouchers bread"),
    ],
    "boat club: a second question in one sentence": [
        ("Do you rent kayaks?", "Yes, by the hour.", "", ""),
        (
            "How do we join the rowing guild, and what does that cost?",
            "40 euros.",
            "guild cost",
            "kayaks rent",
        ),
    ],
    "harbour: what is taken back is not searched": [
        ("Who decides on berths for the season of 2030?", "The harbour master.", "", ""),
        (
            "Sorry, I meant the season of 2031, not 2030. When is the decision made?",
            "In May.",
            "2031",
            "2030",
        ),
    ],
    "clinic: my first question": [
        ("Do you treat sports injuries?", "Yes, on weekdays.", "", ""),
        ("Where can I park?", "Behind the house.", "", ""),
        ("Which insurers do you bill?", "All public ones.", "", ""),
        ("Back to my first question: on which days exactly?", "On weekdays.", "injuries", "park insurers"),
    ],
    "library: a correction replaces": [
        ("Which formats does the Loans report come in?", "CSV and PDF.", "", ""),
        ("Sorry, I meant the Fines report.", "CSV only.", "formats Fines report", "Loans"),
        ("what does it cost?", "It is free.", "Fines", "Loans"),
        ("the loans one?", "It is free too.", "Loans cost", "Fines"),
    ],
    "passport office: not this but that": [
        ("how do I renew a passport?", "Online or at the desk.", "", ""),
        ("not a passport, an identity card", "At the desk.", "renew identity card", "passport"),
    ],
    "ferry: countries and days are swapped": [
        ("Can I take the car to Italy?", "Yes, at no charge.", "", ""),
        ("what about Norway?", "Yes, for 90 euros.", "car Norway", "Italy"),
        ("What does an adult ticket cost on Monday?", "12 euros.", "ticket Monday", "Norway"),
        ("and on Friday?", "15 euros.", "ticket Friday", "Monday Norway"),
    ],
    "hotel: a question asked anew in a correction stands alone": [
        ("What credit do I get when the pool is closed?", "10 euros a night.", "", ""),
        (
            "you misunderstood, what does late checkout cost in the family suite",
            "",
            "late checkout suite",
            "pool credit",
        ),
    ],
    "car rental: it means the last thing of its kind": [
        ("How much do I pay for the Silver tariff?", "20 euros a day; you must spend 200 a year.", "", ""),
        ("What does the Gold tariff give?", "Roadside help and a child seat.", "Gold tariff", "Silver"),
        ("how much must I spend for it?", "500 a year.", "spend Gold", "Silver"),
    ],
}


@pytest.mark.parametrize("name", TALKS)
def test_it_searches_what_is_meant_and_nothing_that_was_left(name: str, talk: Any) -> None:
    for message, answer, needed, left in TALKS[name]:
        query = key_of(talk.say(message, answer).query)
        missing = [word for word in needed.split() if not contains_key(query, key_of(word))]
        welded = [word for word in left.split() if contains_key(query, key_of(word))]
        assert (missing, welded) == ([], []), f"{message!r} was searched as {query!r}"
