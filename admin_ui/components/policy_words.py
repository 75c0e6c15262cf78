"""The scope policy in the words of whoever decides on it: what each setting is called, and what a higher or lower value
does. The names that the API uses stay beside them, small (`conversations.domain.policy_schema` has those and the bounds)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from conversations.domain.policy import Strategy


class Words(NamedTuple):
    """What a setting is called, and the sentence below it."""

    label: str
    help: str = ""


GROUPS: Mapping[str, Words] = MappingProxyType(
    {
        "": Words("What a message may lean on"),
        "horizons": Words(
            "How long things stay alive",
            "Counted for each thing from its own last mention, in turns during which nobody mentions it.",
        ),
        "thresholds": Words(
            "How sure to be",
            "From 0 to 1. They fit one embedding model: have them calibrated again when the model changes.",
        ),
        "budgets": Words(
            "What a turn may cost",
            "Bounds that keep the fiftieth turn as quick and as cheap as the tenth.",
        ),
    }
)
SETTINGS: Mapping[str, Words] = MappingProxyType(
    {
        "strategy": Words(
            "What of the conversation counts",
            "What a rewrite is shown when a message needs something from earlier. Everything else is kept from it.",
        ),
        "window": Words(
            "How many of the last turns",
            "Only where “the last turns” is chosen above. More turns find more that is meant, and more that is past.",
        ),
        "horizons.stale_after": Words(
            "Stale after",
            "Turns of silence. What is stale is no longer carried into searches; naming it brings it back to life.",
        ),
        "horizons.evict_after": Words(
            "Evicted after",
            "Turns of silence, more of them than for going stale. What is evicted is gone for good.",
        ),
        "horizons.per_type": Words(
            "Other times for single kinds of thing",
            "Such as longer ones for people, or shorter ones for dates.",
        ),
        "single_valued": Words(
            "Only one at a time",
            "Kinds of thing of which a question has one: a new place takes the old one's place. Others live side by side.",
        ),
        "resume_after_seconds": Words(
            "Begin afresh after a rest of",
            "A conversation that rested longer starts clean of what was asked before.",
        ),
        "thresholds.space": Words(
            "Made for the embedding model",
            "Under any other model the values known for that one count instead of these.",
        ),
        "thresholds.related": Words(
            "A follow-up from",
            "How near a message without any sign must be to an earlier exchange to lean on it. Lower: more follow-ups.",
        ),
        "thresholds.unrelated": Words(
            "A new subject below",
            "How far a message must be from everything before it to count as a new subject. Higher: more new subjects.",
        ),
        "thresholds.boundary": Words(
            "A new segment below",
            "How far a message must be from the middle of the running segment for a new one to begin.",
        ),
        "thresholds.diverged": Words(
            "Another question below",
            "How near a rewrite must stay to the message. Below this it is thrown away as another question.",
        ),
        "thresholds.returned": Words(
            "A return from",
            "How near a message must be to an earlier subject to count as going back to it.",
        ),
        "thresholds.answered": Words(
            "Understood as it stands from",
            "How near the documents must come to a message by itself for it to need nothing from the conversation. 0: they are not asked.",
        ),
        "thresholds.elsewhere": Words(
            "About something else from",
            "How much better other passages than those of earlier answers must fit a message for it to be about something else. 0: they are not asked.",
        ),
        "budgets.assistant_tokens": Words(
            "How much of an earlier answer is shown", "To a rewrite; the rest of the answer is cut off."
        ),
        "budgets.query_characters": Words(
            "Longest search that is believed", "A longer rewrite is taken for an answer and thrown away."
        ),
        "budgets.exchanges_kept": Words(
            "Exchanges at hand", "Questions with their answers. Older ones are brought back from the archive."
        ),
        "budgets.sentences_kept": Words(
            "Sentences remembered of an answer", "For finding again what an earlier answer said."
        ),
        "budgets.closed_slots_kept": Words(
            "Finished things kept in mind", "So that the guard can keep them out of searches."
        ),
    }
)
STRATEGIES: Mapping[str, Words] = MappingProxyType(
    {
        Strategy.WINDOW: Words("The last turns", "whatever they were about"),
        Strategy.SEGMENT: Words("The running segment", "the turns since the subject last changed"),
        Strategy.LIVENESS: Words("What is still alive", "however long ago it came up"),
        Strategy.HYBRID: Words(
            "What is alive in the segment", "nothing from before the last change of subject"
        ),
    }
)


def label_of(path: str) -> str:
    """The name of a setting for people, and of a path that is none its last part."""
    known = SETTINGS.get(path)
    return known.label if known else path.rpartition(".")[2].replace("_", " ").capitalize()


def help_of(path: str) -> str:
    known = SETTINGS.get(path)
    return known.help if known else ""
