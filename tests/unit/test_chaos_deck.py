"""The deck of `make chaos` leaves no fault of any part out."""

from __future__ import annotations

from tests.bench.chaos_deck import FAULTS, PARTS, Card, Deck, cards


def dealt(deck, times):
    return [deck.deal() for _ in range(times)]


def test_every_part_meets_every_fault_before_one_comes_again():
    everything = cards([Card("disk", "full"), Card("disk", "slow")])
    deck = Deck(everything, seed=1)
    assert sorted(dealt(deck, len(everything))) == sorted(everything)
    assert {Card(part, fault) for part in PARTS for fault in FAULTS} <= set(everything)


def test_it_was_dealt_with_its_last_card_and_not_before():
    deck = Deck(cards(), seed=1)
    dealt(deck, len(cards()) - 1)
    assert not deck.was_dealt
    deck.deal()
    assert deck.was_dealt


def test_what_has_not_come_up_yet_is_counted_as_none():
    deck = Deck(cards(), seed=1)
    first = deck.deal()
    assert set(deck.counts) == set(cards())
    assert deck.counts[first] == 1 and deck.counts.total() == 1


def test_a_second_round_counts_again_and_has_another_order():
    deck = Deck(cards(), seed=1)
    first, second = dealt(deck, len(cards())), dealt(deck, len(cards()))
    assert first != second and sorted(first) == sorted(second)
    assert set(deck.counts.values()) == {2}


def test_a_seed_gives_the_same_order_and_another_seed_another():
    orders = [dealt(Deck(cards(), seed=seed), len(cards())) for seed in (7, 7, 8)]
    assert orders[0] == orders[1] != orders[2]


def test_without_a_disk_of_its_own_no_card_is_of_a_disk():
    assert {card.part for card in cards()} == set(PARTS)
    assert {str(card) for card in cards([Card("disk", "full")])} > {"disk full", "web slow"}


def test_only_those_that_were_named_can_be_dealt():
    assert set(cards([Card("disk", "full")], only="full")) == {Card("disk", "full")}
    assert {card.part for card in cards(only="slow")} == set(PARTS)
