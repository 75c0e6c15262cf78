"""A conversation in memory: real language analysis, vectors from words alone, no database and no network."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from conversations.adapters.language.spacy_en import SpacyEnglish
from conversations.domain.classify import Classification, classify
from conversations.domain.contextualize import Contextualized, contextualize_offline
from conversations.domain.guard import guard
from conversations.domain.liveness import Slot, SlotChange
from conversations.domain.policy import ScopePolicy
from conversations.domain.prompt import MalformedRewrite, parse_reply
from conversations.domain.reading import Reading, read_cue
from conversations.domain.remember import AnswerReading, remember
from conversations.domain.scope import Scope, select_scope
from conversations.domain.state import ConversationState
from conversations.domain.vectors import Vector, unit
from conversations.domain.verdicts import Ruling
from conversations.domain.words import STOP_KEYS, normalise

DIMENSIONS = 4096


def words_vector(text: str) -> Vector | None:
    """A unit vector of the content words of a text: enough of an embedding space for rules."""
    values = np.zeros(DIMENSIONS, dtype=np.float32)
    for word in normalise(text):
        if word not in STOP_KEYS:
            values[zlib.crc32(word.encode()) % DIMENSIONS] += 1.0
    return unit(values)


@dataclass(frozen=True)
class Heard:
    """Everything decided about one message."""

    reading: Reading
    classification: Classification
    scope: Scope
    contextualized: Contextualized
    ruling: Ruling
    changes: tuple[SlotChange, ...] = ()

    @property
    def kind(self) -> str:
        return self.classification.kind.value

    @property
    def query(self) -> str:
        return self.ruling.query


@dataclass
class Talk:
    """A session under a policy; `say` runs a whole turn, `hear` decides about a message without remembering it."""

    language: SpacyEnglish
    policy: ScopePolicy = field(default_factory=ScopePolicy)
    state: ConversationState = field(default_factory=ConversationState)

    def read(self, message: str) -> Reading:
        cue = read_cue(message)
        return Reading.of(cue, self.language.analyse(cue.core), words_vector(cue.core), message)

    def hear(self, message: str, model: Callable[[Reading], str] | None = None) -> Heard:
        reading = self.read(message)
        classification = classify(reading, self.state, self.policy)
        scope = select_scope(reading, classification, self.state, self.policy)
        offline = contextualize_offline(reading, classification, scope, self.state)
        chosen = offline
        if model is not None:
            parsed = parse_reply(model(reading), reading, classification, scope)
            chosen = offline if isinstance(parsed, MalformedRewrite) else parsed
        ruling = guard(
            chosen, reading, scope, self.state, self.policy, self.language.analyse, fallback=offline
        )
        return Heard(reading, classification, scope, chosen, ruling)

    def say(self, message: str, answer: str = "", chunks: tuple[str, ...] = ()) -> Heard:
        heard = self.hear(message)
        analysis = self.language.analyse(answer)
        rows = tuple(v for v in map(words_vector, analysis.sentence_texts()) if v is not None)
        spoken = AnswerReading(answer, analysis, words_vector(answer), rows, chunks)
        self.state, changes = remember(
            self.state,
            heard.reading,
            heard.classification,
            heard.contextualized,
            heard.ruling,
            spoken,
            self.policy,
            words_vector(heard.query),
        )
        return Heard(
            heard.reading, heard.classification, heard.scope, heard.contextualized, heard.ruling, changes
        )

    def slot(self, name: str) -> Slot:
        """The newest slot of that name."""
        return [slot for slot in self.state.slots if slot.name.casefold() == name.casefold()][-1]

    def status(self, name: str) -> str:
        return self.slot(name).status.value


@pytest.fixture(scope="session")
def language() -> SpacyEnglish:
    return SpacyEnglish()


@pytest.fixture
def talk(language: SpacyEnglish) -> Talk:
    return Talk(language)


@pytest.fixture
def cloud(talk: Talk) -> Talk:
    """Frankfurt, then Dublin in its place, then keys, then shoes."""
    talk.say("What's the RPO for Frankfurt?", "The RPO for the Frankfurt region is 15 minutes.")
    talk.say("and for Dublin?", "In Dublin the RPO is 30 minutes.")
    talk.say("What about customer-managed keys?", "Customer-managed keys are stored in a hardware module.")
    talk.say("ok different question: how do I return shoes?", "Shoes can be returned within 30 days.")
    return talk


@pytest.fixture
def read(talk: Talk) -> Callable[[str], Reading]:
    return talk.read
