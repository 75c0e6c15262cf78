"""Everything a session remembers between two turns, as one value with a fixed upper size.

It holds the slots, the last exchanges with their vectors, the topics so far and what the assistant asked or offered.
Older exchanges leave it for the archive, so that turn 200 loads as fast as turn 10.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from conversations.domain.liveness import Provenance, Slot, Status
from conversations.domain.vectors import Matrix, Vector, decode, encode, unpack, unpack_rows
from kernel.json import JsonObject


@dataclass(frozen=True, slots=True)
class Term:
    """A noun phrase or name worth searching for: as it was written, and its key for comparing."""

    text: str
    key: str
    type: str = "topic"
    name: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """One user turn with its answer. Vectors are packed half-precision floats, empty where there is none.

    `terms` are the user's own noun phrases, `answer_terms` the answer's in order of weight,
    `inherited` what the rewrite added, `items` the entries of a list that the answer offered, in order.
    `predicate` are the verbs that say what the user wanted to know or do.
    `anchor` is the turn of the exchange that this one depended on, 0 when it stood alone; exchanges tied by
    anchors share a `thread`, however far apart, while a `segment` is an unbroken stretch of turns.
    `chunks` are the passages that the answer cites, `home` those that it lives among: cited or found for its query.
    `corrected`: a later message took something back that it held, and it is no longer as it was archived.
    """

    turn: int
    message: str
    query: str
    kind: str
    answer: str = ""
    terms: tuple[Term, ...] = ()
    inherited: tuple[Term, ...] = ()
    answer_terms: tuple[Term, ...] = ()
    items: tuple[Term, ...] = ()
    sentences: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    predicate: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    segment: int = 0
    thread: int = 0
    anchor: int = 0
    corrected: bool = False
    message_vector: bytes = b""
    query_vector: bytes = b""
    answer_vector: bytes = b""
    sentence_vectors: bytes = b""

    @property
    def vector(self) -> Vector | None:
        return unpack(self.message_vector)

    @property
    def answered(self) -> Vector | None:
        return unpack(self.answer_vector)

    @property
    def sentence_rows(self) -> Matrix | None:
        return unpack_rows(self.sentence_vectors, len(self.sentences))


@dataclass(frozen=True, slots=True)
class Question:
    """What the assistant asked last. `kind`: "choice", "which", "open" or "offer" (answered by yes or no)."""

    turn: int
    text: str
    kind: str
    about: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """A stretch of turns about one thing."""

    segment: int
    first_turn: int
    last_turn: int
    terms: tuple[str, ...] = ()
    centroid: bytes = b""


@dataclass(frozen=True, slots=True)
class ConversationState:
    """The session after `turn` user turns. `version` grows by one with every change.

    `recalled` are turns among `exchanges` that the archive brought back for the message at hand; it is not stored.
    """

    turn: int = 0
    version: int = 0
    next_slot: int = 1
    slots: tuple[Slot, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    topics: tuple[Topic, ...] = ()
    segment: int = 0
    pending: Question | None = None
    recalled: tuple[int, ...] = ()

    @property
    def last(self) -> Exchange | None:
        return self.exchanges[-1] if self.exchanges else None

    @property
    def spoken(self) -> tuple[Exchange, ...]:
        """The exchanges that asked or told something: what a later message may go on with."""
        return tuple(exchange for exchange in self.exchanges if exchange.kind != "small_talk")

    @property
    def topic(self) -> Topic | None:
        return self.topics[-1] if self.topics else None

    def slot(self, slot_id: str) -> Slot | None:
        return next((slot for slot in self.slots if slot.id == slot_id), None)

    def exchange(self, turn: int) -> Exchange | None:
        return next((exchange for exchange in self.exchanges if exchange.turn == turn), None)

    def to_json(self) -> JsonObject:
        return {
            "turn": self.turn,
            "version": self.version,
            "next_slot": self.next_slot,
            "slots": [_slot_out(slot) for slot in self.slots],
            "exchanges": [_exchange_out(exchange) for exchange in self.exchanges],
            "topics": [{**asdict(topic), "centroid": encode(topic.centroid)} for topic in self.topics],
            "segment": self.segment,
            "pending": asdict(self.pending) if self.pending else None,
        }

    @classmethod
    def from_json(cls, data: JsonObject) -> ConversationState:
        pending = data.get("pending")
        return cls(
            turn=data["turn"],
            version=data["version"],
            next_slot=data["next_slot"],
            slots=tuple(_slot_in(item) for item in data["slots"]),
            exchanges=tuple(_exchange_in(item) for item in data["exchanges"]),
            topics=tuple(_topic_in(item) for item in data["topics"]),
            segment=data["segment"],
            pending=Question(**{**pending, "about": _terms_in(pending["about"])}) if pending else None,
        )


def without_archived(data: JsonObject) -> JsonObject:
    """A state as JSON with the numbers of those exchanges that stand in the archive just as they are here."""
    exchanges = [one if one.get("corrected") else one["turn"] for one in data["exchanges"]]
    return {**data, "exchanges": exchanges}


_PACKED = ("message_vector", "query_vector", "answer_vector", "sentence_vectors")
_TERMS = ("terms", "inherited", "answer_terms", "items")
_TEXTS = ("sentences", "words", "predicate", "chunks", "home", "slots")


_SLOT_FIELDS = tuple(one.name for one in fields(Slot) if one.name != "notes")
_PROVENANCE_FIELDS = tuple(one.name for one in fields(Provenance))


def _slot_out(slot: Slot) -> JsonObject:
    stored = {name: getattr(slot, name) for name in _SLOT_FIELDS}
    stored["provenance"] = {name: getattr(slot.provenance, name) for name in _PROVENANCE_FIELDS}
    return {name: value for name, value in stored.items() if value not in (None, (), "")}


def _slot_in(data: JsonObject) -> Slot:
    provenance = {key: tuple(value) for key, value in data.get("provenance", {}).items()}
    return Slot(
        **{
            **data,
            "status": Status(data["status"]),
            "provenance": Provenance(**provenance),
            "aliases": tuple(data.get("aliases", ())),
        }
    )


def _exchange_out(exchange: Exchange) -> JsonObject:
    out = {
        name: getattr(exchange, name)
        for name in ("turn", "message", "query", "kind", "answer", "segment", "thread", "anchor")
    }
    out |= {name: encode(getattr(exchange, name)) for name in _PACKED}
    out |= {name: [[t.text, t.key, t.type, t.name] for t in getattr(exchange, name)] for name in _TERMS}
    out |= {name: list(getattr(exchange, name)) for name in _TEXTS}
    told = {key: value for key, value in out.items() if value not in ("", [])} | {"query": exchange.query}
    return told | {"corrected": True} if exchange.corrected else told


def _exchange_in(data: JsonObject) -> Exchange:
    read: JsonObject = {"message": "", "query": "", **data}
    read |= {name: decode(data.get(name, "")) for name in _PACKED}
    read |= {name: tuple(Term(*item) for item in data.get(name, ())) for name in _TERMS}
    read |= {name: tuple(data.get(name, ())) for name in _TEXTS}
    return Exchange(**read)


def _terms_in(items: list[JsonObject]) -> tuple[Term, ...]:
    return tuple(Term(**item) for item in items)


def _topic_in(data: JsonObject) -> Topic:
    return Topic(**{**data, "terms": tuple(data["terms"]), "centroid": decode(data["centroid"])})
