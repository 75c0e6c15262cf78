"""Finds the turn that a message points at by the number or order of the person's own questions.

A question that was only asked once more counts once; small talk, answers to the assistant and recaps do not count.
To point at one's own question is to name it: its subject may be spoken of again, whatever became of it since.
"""

from __future__ import annotations

from conversations.domain.answer.recap import asks_for_recap
from conversations.domain.completeness import is_complete
from conversations.domain.question_places import BEFORE_LAST, Place
from conversations.domain.reading import Reading
from conversations.domain.state import ConversationState, Exchange

_NO_QUESTION = frozenset({"small_talk", "answer_to_question"})
# So many questions in an answer are a list of them.
_QUESTIONS_PUT = 2
_COUNTED_UP_TO = 10
# So many turns of small talk may lie between the questions.
_BETWEEN_QUESTIONS = 3


def asked_before(reading: Reading, state: ConversationState) -> tuple[Exchange, ...] | None:
    """The exchanges that are meant, oldest first: one for a question, all of its turns for a topic.

    None where no place is told, or where the message rather announces a new question; empty where nothing was asked
    at the place.
    """
    place = reading.cue.place
    if place is None or (place.announces and not place.bare and is_complete(reading)):
        return None
    if _puts_questions(state) or (place.of_that and not _asked_anew(state)):
        return None
    return _latest(place, state) if place.number < 0 else _counted(place, state)


def _latest(place: Place, state: ConversationState) -> tuple[Exchange, ...]:
    """Counted from the latest one back: the question that was spoken of last, asked anew or not, or the one before it."""
    asked, last = _questions(state.exchanges), state.last
    if place.topic:
        return _of_topic(-2, asked)
    at = next((i for i, e in enumerate(asked) if last is not None and e.query == last.query), len(asked) - 1)
    at -= place.number == BEFORE_LAST
    return asked[at : at + 1] if at >= 0 else ()


def _counted(place: Place, state: ConversationState) -> tuple[Exchange, ...] | None:
    """Counted from the first one on; None where the number is that of the question which is being asked."""
    asked = _questions(_unbroken(state))
    left_out = state.exchanges[0].turn - 1 if state.exchanges else 0
    if place.topic:
        return () if left_out else _of_topic(place.number - 1, asked)
    at = place.number - 1 - left_out
    if at == len(asked) and not place.bare:
        return None
    return asked[at : at + 1] if at >= 0 else ()


def turns_up_to(place: Place) -> int:
    """Within how many turns of a session the question or topic with that number was asked; 0 when it is counted from
    the latest, or too far on to be counted."""
    if place.number < 0 or place.number > _COUNTED_UP_TO:
        return 0
    return place.number + _BETWEEN_QUESTIONS if not place.topic or place.number == 1 else 0


def _unbroken(state: ConversationState) -> tuple[Exchange, ...]:
    """The exchanges from the first that is known on, as far as none between them is left out."""
    turns = [exchange.turn for exchange in state.exchanges]
    end = next((i for i in range(1, len(turns)) if turns[i] != turns[i - 1] + 1), len(turns))
    return state.exchanges[:end]


def _questions(exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    """The exchanges that asked something for the first time."""
    first: dict[str, Exchange] = {}
    for exchange in exchanges:
        if exchange.kind not in _NO_QUESTION and not asks_for_recap(exchange.message):
            first.setdefault(exchange.query, exchange)
    return tuple(first.values())


def _asked_anew(state: ConversationState) -> bool:
    """Whether the last turn did nothing but ask an earlier question once more."""
    last = state.last
    return last is not None and any(
        e.query == last.query and e.message != last.message for e in state.exchanges[:-1]
    )


def _puts_questions(state: ConversationState) -> bool:
    """Whether the last answer is a list of questions, so that "the second question" is one of those."""
    return state.last is not None and state.last.answer.count("?") >= _QUESTIONS_PUT


def _of_topic(at: int, asked: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    """The turns of the topic at an index, negative from the end.

    The first is everything near what was asked first; a later one begins with each question that leans on nothing.
    """
    if at == 0:
        return tuple(e for e in asked if e.thread == asked[0].thread)
    root: dict[int, int] = {}
    for exchange in asked:
        root[exchange.turn] = root.get(exchange.anchor, exchange.turn)
    begun = tuple(dict.fromkeys(root.values()))
    return tuple(e for e in asked if -len(begun) <= at < len(begun) and root[e.turn] == begun[at])
