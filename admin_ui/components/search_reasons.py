"""The product's words for why a passage or a document is not among the hits of a search."""

from __future__ import annotations

from admin_ui.components.marks import Mark
from retrieval.domain.explaining import Exclusion, Obstacle

EXCLUSIONS: dict[str, Mark] = {
    Exclusion.BELOW_LIMIT: Mark("ranked further down", "plain", "↓", "Others suit the query better."),
    Exclusion.SHOWN_BEFORE: Mark("shown before", "plain", "↺", "It was among the hits already."),
    Exclusion.OTHER_CORPUS: Mark("another corpus", "stale", "◐", "The filter asks for another corpus."),
    Exclusion.OTHER_DOCUMENT: Mark("another document", "stale", "◐", "The filter asks for another document."),
    Exclusion.WITHOUT_TAG: Mark("without the tag", "stale", "◐", "Its document does not have the tag."),
    Exclusion.UPLOADED_BEFORE: Mark("too old", "stale", "◐", "Uploaded before the dates that are asked for."),
    Exclusion.UPLOADED_AFTER: Mark("too new", "stale", "◐", "Uploaded after the dates that are asked for."),
    Exclusion.NOT_PERMITTED: Mark("may not be seen", "contaminated", "✕", "There is no grant that lets them see it."),
}  # fmt: skip
OBSTACLES: dict[str, str] = {
    Obstacle.NOT_INDEXED: "It is not indexed: no version of it is in any search yet.",
    Obstacle.RESTRICTED: "It is restricted: a grant on its corpus is there, and does not count. It needs one of its own.",
    Obstacle.NO_GRANT: "There is no grant, neither on the document nor on its corpus.",
}  # fmt: skip
FILTERED: dict[str, str] = {
    Exclusion.OTHER_CORPUS: "The corpus that is chosen is another one.",
    Exclusion.OTHER_DOCUMENT: "The search is narrowed to another document.",
    Exclusion.WITHOUT_TAG: "It does not have the tag that is asked for.",
    Exclusion.UPLOADED_BEFORE: "It was uploaded before the first date that is asked for.",
    Exclusion.UPLOADED_AFTER: "It was uploaded after the last date that is asked for.",
}
