"""What a list of turns is narrowed to, beside the number of the overview that it stands behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet

from admin_ui.asked import choice_asked, text_asked, whole
from admin_ui.components.marks import VERDICTS
from conversations.models import Session, Turn
from conversations.selectors.in_force import SCOPE
from conversations.selectors.questions import fingerprinted
from tenants.models import EndUser, VersionKind
from tenants.selectors.versions import BUILT_IN, versions_of

RATINGS = {"up": "Rated helpful", "down": "Rated not helpful", "none": "Not rated"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Empty is any. `policy` is a version's number, `person` a part of a name or subject, `text` of a message and,
    `in_searches`, of what was searched, whose words may come from documents; `question` is a fingerprint."""

    verdict: str = ""
    rating: str = ""
    policy: int | None = None
    person: str = ""
    text: str = ""
    question: str = ""
    in_searches: bool = False

    @classmethod
    def asked(cls, query: Mapping[str, str], *, in_searches: bool = False) -> Wanted:
        return cls(
            choice_asked(query, "verdict", VERDICTS),
            choice_asked(query, "rating", RATINGS),
            whole(query, "policy"),
            text_asked(query, "person"),
            text_asked(query, "text"),
            text_asked(query, "question"),
            in_searches,
        )

    @property
    def narrows(self) -> bool:
        return self != Wanted(in_searches=self.in_searches)

    def of(self, turns: QuerySet[Turn]) -> QuerySet[Turn]:
        """Those that fit."""
        found = turns.filter(**self._columns())
        if self.person:
            named = Q(name__icontains=self.person) | Q(subject__icontains=self.person)
            people = EndUser.objects.filter(named).order_by()
            sessions = Session.objects.filter(end_user__in=people.values("pk")).order_by()
            found = found.filter(session__in=sessions.values("pk"))
        if self.text:
            places = ("message", "display", "query") if self.in_searches else ("message",)
            said = [Q(**{f"{place}__icontains": self.text}) for place in places]
            found = found.filter(reduce(or_, said))
        if self.question:
            found = fingerprinted(found).filter(fingerprint=self.question)
        return found

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"verdict": self.verdict} if self.verdict else {}
        if self.rating:
            columns["rating"] = "" if self.rating == "none" else self.rating
        if self.policy is not None:
            columns["policy_version"] = self.policy
        return columns


def policies_tried() -> list[tuple[int, str]]:
    """The policies that turns can have run under, the newest first: the number and what it is called. One query."""
    ever = Q(published_at__isnull=False) | Q(state="staged")
    numbers = versions_of(VersionKind.POLICY.value, SCOPE).filter(ever).values_list("number", flat=True)
    return [*((number, f"Policy {number}") for number in numbers[:50]), (BUILT_IN, "Built-in policy")]
