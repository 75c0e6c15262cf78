"""The product's words for states, with the sign and the name of the colour that go with each. Never colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from conversations.domain.classify import Kind
from conversations.domain.liveness import Happened, Status
from conversations.domain.verdicts import Action, Verdict
from retrieval.models import DocumentState, SiteImportState


@dataclass(frozen=True, slots=True)
class Mark:
    """How a state is shown: `tone` names its colour in the stylesheet, `sign` a glyph, `help` a sentence."""

    label: str
    tone: str
    sign: str
    help: str = ""


NONE = Mark("not judged", "none", "·", "This turn has no verdict.")

JOINED = Mark("joined", "plain", "⤷", "One thought with the message that was answered.")

VERDICTS: dict[str, Mark] = {
    Verdict.CLEAN: Mark("clean", "clean", "✓", "Nothing in the search that the user had finished with."),
    Verdict.CONTAMINATED: Mark(
        "contaminated", "contaminated", "✕", "The rewrite named something closed; it was kept out."
    ),
    Verdict.INVENTED: Mark(
        "invented", "invented", "?", "The rewrite named something nobody had said; it was kept out."
    ),
    Verdict.DIVERGED: Mark("diverged", "diverged", "~", "The rewrite had moved away from the message."),
    Verdict.MALFORMED: Mark("malformed", "diverged", "!", "The rewrite was not a usable query."),
    Verdict.REVOKED: Mark(
        "revoked", "revoked", "–", "The rewrite leaned on documents that this user may no longer see."
    ),
}
ACTIONS: dict[str, str] = {
    Action.ACCEPTED: "searched as rewritten",
    Action.REPAIRED: "repaired before the search",
    Action.FELL_BACK: "fell back to a safe query",
}
ORIGINS = {"model": "worded by the model", "offline": "worded by the rules", "typed": "searched as typed"}
STATUSES: dict[str, Mark] = {
    Status.LIVE: Mark("live", "live", "●", "The user still means it."),
    Status.OFFERED: Mark("offered", "offered", "○", "Only the assistant has named it."),
    Status.STALE: Mark("stale", "stale", "◐", "Not mentioned for a while; a mention brings it back."),
    Status.SUPERSEDED: Mark("superseded", "superseded", "⇄", "Another one took its place. For good."),
    Status.EVICTED: Mark("evicted", "evicted", "×", "Silent for too long. For good."),
}
HAPPENED: dict[str, Mark] = {
    Happened.NAMED: Mark("the user named it", "live", "n"),
    Happened.REFERRED: Mark("the user referred to it", "live", "r"),
    Happened.PICKED: Mark("the user picked it from what was offered", "live", "p"),
    Happened.OFFERED: Mark("the assistant named it", "offered", "a"),
    Happened.REPLACED: Mark("another one took its place", "superseded", "⇄"),
    Happened.SILENCE: Mark("turns passed without it", "stale", "…"),
}
KINDS: dict[str, Mark] = {
    Kind.OPENING: Mark("opening", "plain", "▸", "The first message."),
    Kind.STANDALONE: Mark("standalone", "plain", "▪", "Stands on its own; searched as typed."),
    Kind.FOLLOW_UP: Mark("follow-up", "carry", "↳", "Needs something from an earlier turn."),
    Kind.TOPIC_SHIFT: Mark("topic shift", "shift", "⤴", "A new subject: nothing is carried along."),
    Kind.PARTIAL_SHIFT: Mark(
        "partial shift", "shift", "⤳", "A new subject that still leans on the last one."
    ),
    Kind.TOPIC_RETURN: Mark("topic return", "carry", "↺", "Goes back to an earlier subject."),
    Kind.CORRECTION: Mark("correction", "carry", "✎", "Corrects what was said before."),
    Kind.ANSWER_TO_QUESTION: Mark("answer", "carry", "↵", "Answers what the assistant asked."),
    Kind.SMALL_TALK: Mark("small talk", "plain", "☺", "Nothing is searched."),
}
DOCUMENT_STATES: dict[str, Mark] = {
    DocumentState.QUEUED: Mark("queued", "offered", "○", "Waiting for its turn."),
    DocumentState.CONVERTING: Mark("converting", "busy", "◔", "The text is being read."),
    DocumentState.EMBEDDING: Mark("embedding", "busy", "◑", "The passages are being made searchable."),
    DocumentState.INDEXED: Mark("indexed", "clean", "✓", "In every search by those who may see it."),
    DocumentState.FAILED: Mark("failed", "contaminated", "✕", "Could not be read."),
}

SITE_IMPORT_STATES: dict[str, Mark] = {
    SiteImportState.QUEUED: Mark("waiting", "offered", "○", "Waiting for its turn."),
    SiteImportState.READING: Mark("reading", "busy", "◔", "The sitemap is being read."),
    "importing": Mark("importing", "busy", "◑", "Its pages are being fetched and read."),
    "imported": Mark("imported", "clean", "✓", "Every page was taken in or has a reason why not."),
    SiteImportState.FAILED: Mark("failed", "contaminated", "✕", "The sitemap could not be read."),
}


def mark_of(table: dict[str, Mark], value: str) -> Mark:
    """The mark of a stored value; an unknown one is shown under its own name."""
    return table.get(value) or (Mark(value.replace("_", " "), "none", "·") if value else NONE)
