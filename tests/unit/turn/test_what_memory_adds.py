"""What memory adds to a turn: exchanges out of the archive, notes, summary and facts, and nothing of what is closed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from conversations.domain.answer import Passage
from conversations.domain.memory.values import Fact, Memory, SummaryPart
from conversations.domain.policy import ScopePolicy
from conversations.domain.state import ConversationState, Exchange
from tests.unit.turn.fakes import Heard, Model, Shelf, ports, say

LIBRARY = (
    Passage(
        "fine", "d1", "Loans", (), None, "The fine for a late book is 20 cents a day and stops at 5 euros."
    ),
    Passage("limit", "d1", "Loans", (), None, "Members may borrow ten books at a time for four weeks."),
    Passage(
        "harbour",
        "d2",
        "Harbour branch",
        (),
        None,
        "The Harbour branch opens at 9:00 and has a reading room.",
    ),
    Passage(
        "castle", "d3", "Castle branch", (), None, "The Castle branch opens at 10:00 and lends instruments."
    ),
    Passage("scan", "d4", "Scanners", (), None, "Scanning is free; printing costs 10 cents a page."),
)
FILLER = (
    "What does printing cost?",
    "Is scanning free?",
    "How many books may members borrow?",
    "How long is the loan period?",
    "What is the fine for a late book?",
    "When does the fine stop?",
)
DAY = 24 * 60 * 60.0


@dataclass
class Shelved:
    """An archive that returns what names a key, and remembers what it was asked."""

    exchanges: tuple[Exchange, ...] = ()
    asked: list[Any] = field(default_factory=list)

    async def naming(self, keys: Collection[str], before: int) -> tuple[Exchange, ...]:
        self.asked.append(frozenset(keys))
        return tuple(e for e in self.exchanges if e.turn < before and set(keys) & {t.key for t in e.terms})

    async def nearest(self, vector: Any, before: int) -> tuple[Exchange, ...]:
        self.asked.append("nearest")
        return tuple(e for e in self.exchanges if e.turn < before)

    async def opening(self, count: int) -> tuple[Exchange, ...]:
        self.asked.append("opening")
        return tuple(e for e in self.exchanges if e.turn <= count)


def talked(*messages: str, shelf: Shelf) -> tuple[ConversationState, tuple[Exchange, ...]]:
    """The state after a talk, and every exchange of it."""
    state, archive = ConversationState(), []
    for message in messages:
        state = say(message, ports(shelf=shelf), state).end.state
        archive.append(state.exchanges[-1])
    return state, tuple(archive)


def prompt(model: Model) -> str:
    """What the answering model was given to read besides its instructions."""
    return "\n".join(m["content"] for name, messages in model.calls if name == "stream" for m in messages[1:])


def ask(message: str, memory: Memory, state: ConversationState, **more: Any) -> tuple[str, Heard]:
    model = Model(answer=("Noted [1].",), rewrite=lambda _: "")
    heard = say(message, ports(shelf=Shelf(LIBRARY), model=model), state, memory=memory, **more)
    return prompt(model), heard


def long_talk() -> tuple[ConversationState, tuple[Exchange, ...]]:
    messages = ("When does the Castle branch open?", *FILLER, *FILLER, *FILLER)
    return talked(*messages, shelf=Shelf(LIBRARY))


def test_naming_what_left_the_session_long_ago_brings_its_turn_back() -> None:
    state, archive = long_talk()
    assert all("Castle" not in exchange.message for exchange in state.exchanges)
    shelf, store = Shelf(LIBRARY), Shelved(archive)
    heard = say(
        "Back to the Castle branch: does it lend instruments?", ports(shelf=shelf, archive=store), state
    )
    assert heard.end.trace["recalled"] == [1]
    assert "Castle" in heard.decided.query
    assert heard.end.trace["scope"]["antecedent"] == 1


def test_an_early_question_is_asked_again_by_its_number_however_long_ago() -> None:
    state, archive = long_talk()
    store = Shelved(archive)
    for message, asked in (("my first question again", archive[0]), ("question 3", archive[2])):
        heard = say(message, ports(shelf=Shelf(LIBRARY), archive=store), state)
        assert heard.decided.query == asked.query
        assert heard.end.trace["scope"]["antecedent"] == asked.turn
    assert store.asked == ["opening", "opening"]
    without = say("my first question again", ports(shelf=Shelf(LIBRARY)), state)
    assert without.decided.query == "my first question again"


def test_the_archive_is_left_alone_when_nothing_old_is_named() -> None:
    state, archive = long_talk()
    store = Shelved(archive)
    say("Does it cost anything to print in colour?", ports(shelf=Shelf(LIBRARY), archive=store), state)
    assert store.asked == []


def test_a_short_session_has_no_archive_to_ask() -> None:
    state, archive = talked(
        "When does the Castle branch open?", "What does printing cost?", shelf=Shelf(LIBRARY)
    )
    store = Shelved(archive)
    say("Back to the Castle branch: does it lend instruments?", ports(archive=store), state)
    assert store.asked == []


def test_what_the_archive_brings_back_is_no_part_of_the_state_for_good() -> None:
    state, archive = long_talk()
    given = ports(shelf=Shelf(LIBRARY), archive=Shelved(archive))
    after = say("Back to the Castle branch: does it lend instruments?", given, state).end.state
    assert len(after.exchanges) == len(state.exchanges)
    assert 1 not in {exchange.turn for exchange in after.exchanges}
    assert after.recalled == ()


def test_a_session_reopened_after_days_starts_clean_of_the_old_request() -> None:
    state, _ = talked("What is the fine for a late book?", "When does the fine stop?", shelf=Shelf(LIBRARY))
    fresh = say("How many books may I borrow?", ports(shelf=Shelf(LIBRARY)), state, idle_seconds=3 * DAY)
    assert fresh.decided.query == "How many books may I borrow?"
    assert not fresh.end.trace["scope"]["exchanges"]
    assert fresh.end.state.turn == 3


def test_a_session_reopened_after_days_still_knows_what_it_is_asked_about_by_name_or_reference() -> None:
    state, _ = talked("When does the Castle branch open?", shelf=Shelf(LIBRARY))
    for message in ("Does it lend instruments?", "And does the Castle branch lend instruments?"):
        heard = say(message, ports(shelf=Shelf(LIBRARY)), state, idle_seconds=3 * DAY)
        assert "Castle" in heard.decided.query


def test_a_question_the_assistant_asked_days_ago_is_not_answered_by_a_greeting_word() -> None:
    state, _ = talked("When does the Castle branch open?", shelf=Shelf(LIBRARY))
    waiting = say("yes", ports(shelf=Shelf(LIBRARY)), state, idle_seconds=3 * DAY)
    assert waiting.decided.kind != "answer_to_question"


def test_the_first_turn_after_a_pause_says_how_long_it_was_and_what_it_was_about() -> None:
    state, _ = talked("When does the Castle branch open?", shelf=Shelf(LIBRARY))
    read, _ = ask("Does it lend instruments?", Memory(), state, idle_seconds=3 * DAY)
    assert "continues after 3 days" in read and "Castle" in read
    without, _ = ask("Does it lend instruments?", Memory(), state, idle_seconds=60.0)
    assert "continues after" not in without


FACTS = (
    Fact("we", "we", "We have 40 readers.", "40 readers", 1, said_by="user"),
    Fact(
        "Castle branch", "castle branch", "The Castle branch opens at 10:00.", "10:00", 1, chunks=("castle",)
    ),
    Fact("fine", "fine", "The fine stops at 5 euros.", "5 euros", 2, chunks=("fine",)),
    Fact("fine", "fine", "The fine stops at 8 euros.", "8 euros", 1, chunks=("fine",), replaced_in=2),
)
PARTS = (
    SummaryPart(
        1,
        1,
        "Asked about the Castle branch: it opens at 10:00.",
        entities=("castle branch",),
        chunks=("castle",),
    ),
    SummaryPart(2, 2, "Asked about the fine: it stops at 5 euros.", entities=("fine",), chunks=("fine",)),
)


def test_a_turn_reads_the_facts_about_what_it_names_and_never_a_corrected_value() -> None:
    state, _ = talked("What is the fine for a late book?", shelf=Shelf(LIBRARY))
    read, _ = ask("Is the fine the same for children?", Memory(facts=FACTS), state)
    assert "stops at 5 euros" in read
    assert "8 euros" not in read


def test_a_change_of_subject_takes_no_fact_along_that_it_does_not_name() -> None:
    state, _ = talked("When does the Castle branch open?", shelf=Shelf(LIBRARY))
    read, heard = ask("Different topic: what does printing cost?", Memory(PARTS, FACTS), state)
    assert heard.end.trace["classification"]["topic_shift"]
    assert "<facts>" not in read
    assert "<summary>" not in read


def test_what_is_about_a_closed_entity_is_left_out_of_summary_and_facts() -> None:
    state, _ = talked(
        "When does the Castle branch open?", *FILLER, *FILLER[:3], *FILLER[4:], shelf=Shelf(LIBRARY)
    )
    read, _ = ask("And when does it stop?", Memory(PARTS, FACTS), state)
    assert "Castle" not in read.split("<passages>")[0]
    assert "5 euros" in read.split("<passages>")[0]


def test_what_may_no_longer_be_seen_is_left_out_of_summary_and_facts() -> None:
    state, _ = talked("What is the fine for a late book?", shelf=Shelf(LIBRARY))
    shelf = Shelf(LIBRARY, hidden=frozenset({"fine"}))
    model = Model(answer=("Noted [1].",), rewrite=lambda _: "")
    say(
        "Is the fine the same for children?",
        ports(shelf=shelf, model=model),
        state,
        memory=Memory(PARTS, FACTS),
    )
    assert "5 euros" not in prompt(model)


def test_naming_something_distinctive_that_was_said_of_an_entity_is_a_mention_of_it() -> None:
    state, _ = talked(
        "When does the Castle branch open?",
        "What does printing cost?",
        "Is scanning free?",
        "How many books may members borrow?",
        shelf=Shelf(LIBRARY),
    )
    castle = next(slot for slot in state.slots if "Castle" in slot.name)
    assert castle.status == "stale"
    said = Fact("Castle branch", "castle branch", "The Castle branch opens at 10:45.", "10:45", 1)
    after = say(
        "Do you keep 10:45 on Sundays?", ports(shelf=Shelf(LIBRARY)), state, memory=Memory(facts=(said,))
    )
    assert after.end.state.slot(castle.id).status == "live"
    without = say("Do you keep 10:45 on Sundays?", ports(shelf=Shelf(LIBRARY)), state)
    assert without.end.state.slot(castle.id).status == "stale"


READING_ROOM = Fact(
    "Castle branch",
    "castle branch",
    "The Castle branch has 48 seats.",
    "48 seats",
    1,
    "seat",
    chunks=("castle",),
)


def rewriting(message: str, state: ConversationState, facts: tuple[Fact, ...], **shelf: Any) -> str:
    """What the rewriting model was given to read besides its instructions."""
    model = Model(answer=("Noted [1].",), rewrite=lambda _: "")
    say(message, ports(shelf=Shelf(LIBRARY, **shelf), model=model), state, memory=Memory(facts=facts))
    return "\n".join(m["content"] for name, messages in model.calls if name == "reply" for m in messages[1:])


def test_a_rewriter_reads_what_was_said_about_what_is_live() -> None:
    state, _ = talked("When does the Castle branch open?", shelf=Shelf(LIBRARY))
    assert "48 seats" in rewriting("Does it lend instruments?", state, (READING_ROOM,))
    corrected = replace(READING_ROOM, replaced_in=1)
    assert "48 seats" not in rewriting("Does it lend instruments?", state, (corrected,))


def test_a_rewriter_reads_no_note_whose_sources_may_no_longer_be_seen() -> None:
    state, _ = talked("When does the Castle branch open?", shelf=Shelf(LIBRARY))
    read = rewriting("Does it lend instruments?", state, (READING_ROOM,), hidden=frozenset({"castle"}))
    assert "48 seats" not in read


def test_an_entity_that_was_evicted_has_its_notes_again_when_it_is_named_again() -> None:
    state, _ = long_talk()
    assert not any(s.open and "Castle" in s.name for s in state.slots)
    memory = Memory(facts=(READING_ROOM,))
    read, heard = ask("Back to the Castle branch: is it big?", memory, state)
    assert "48 seats" in read
    reopened = heard.end.state
    assert next(s for s in reopened.slots if "Castle" in s.name and s.open).status == "live"
    assert "48 seats" in rewriting("Does it lend instruments?", reopened, (READING_ROOM,))


def test_a_corrected_value_that_is_still_on_show_is_pointed_out_in_the_turns_after() -> None:
    state, _ = talked(
        "We want to borrow 30 books. When does the Castle branch open?",
        "Sorry, I meant 40 books. Does it lend them all?",
        shelf=Shelf(LIBRARY),
    )
    old = Fact("the user", "the user", "We want 30 books.", "30 books", 1, "book", "user", replaced_in=2)
    new = Fact("the user", "the user", "I meant 40 books.", "40 books", 2, "book", "user")
    read, heard = ask("And does it lend instruments?", Memory(facts=(old, new)), state)
    assert heard.decided.kind != "correction"
    assert "40 books instead of 30 books" in read
    later, _ = talked("How do I print?", "What does it cost?", "Is scanning free?", shelf=Shelf(LIBRARY))
    read, _ = ask("And is it quick?", Memory(facts=(old, new)), later)
    assert "instead of" not in read


def test_a_return_that_is_a_question_of_its_own_is_searched_by_its_rewrite_alone() -> None:
    shelf = Shelf(LIBRARY)
    state, _ = talked("When does the Castle branch open?", "What does printing cost?", shelf=shelf)
    heard = say("Back to my first question: which days are holidays?", ports(shelf=shelf), state)
    (only,) = shelf.asked[-1].queries
    assert only.text == heard.decided.query


def test_a_correction_is_pointed_out_to_the_answer() -> None:
    state, _ = talked("When does the Castle branch open?", shelf=Shelf(LIBRARY))
    read, heard = ask("Sorry, I meant the Harbour branch.", Memory(), state)
    assert heard.decided.kind == "correction"
    assert "correct" in read.lower() and "Harbour" in read


def test_asking_for_more_brings_the_passages_in_hand() -> None:
    state, _ = talked("What is the fine for a late book?", shelf=Shelf(LIBRARY[:1]))
    shelf = Shelf(LIBRARY)

    async def nothing_like_it(plan: Any) -> Any:
        return ()

    shelf.search = nothing_like_it  # type: ignore[method-assign]
    heard = say("Can you explain?", ports(shelf=shelf), state)
    carried = [c.passage.chunk_id for c in heard.sources.candidates if c.carried]
    assert carried == ["fine"]


def test_passages_of_an_earlier_topic_do_not_fill_up_a_later_one() -> None:
    shelf = Shelf(LIBRARY)
    state, _ = talked("When does the Castle branch open?", shelf=shelf)
    say("Different topic: what does printing cost?", ports(shelf=shelf), state)
    assert "castle" in shelf.asked[-1].spent
    say("Does the Castle branch lend instruments?", ports(shelf=shelf), state)
    assert "castle" not in shelf.asked[-1].spent


def test_policies_keep_when_a_session_counts_as_reopened() -> None:
    policy = ScopePolicy(resume_after_seconds=60)
    assert ScopePolicy.from_json(policy.to_json()) == policy
