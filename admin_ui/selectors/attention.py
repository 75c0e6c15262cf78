"""What waits for somebody beside the documents, and what a new workspace has still to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from admin_ui.components.marks import Mark
from admin_ui.selectors.contamination import period
from admin_ui.selectors.flagged_turns import waiting_to_be_judged
from admin_ui.selectors.usage import quotas_near
from admin_ui.selectors.webhooks import webhooks_failing
from tenants.models import Invitation, Membership
from tenants.roles import May

JUDGED_OVER = 30
"""Days that the queue of flagged turns shows at first."""
TO_JUDGE = Mark("to judge", "stale", "○")
NEAR = Mark("nearly used up", "stale", "!")
FULL = Mark("used up", "contaminated", "✕")
FAILING = Mark("failing", "contaminated", "✕")


@dataclass(frozen=True, slots=True)
class Notice:
    """One line of what needs attention. `page` is the address's name of where something can be done about it."""

    what: str
    note: str
    page: str
    mark: Mark
    fragment: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do first. `page` is where."""

    what: str
    note: str
    page: str
    done: bool
    fragment: str = ""


def notices(may: Callable[[May], bool]) -> list[Notice]:
    """What concerns somebody who may do this and that: the gravest first."""
    return [*_webhooks(may), *_quotas(), *_flagged(may)]


def first_steps(*, documents: int, conversations: int, may: Callable[[May], bool]) -> list[Step]:
    """For a workspace without documents or conversations; none for any other."""
    if documents and conversations:
        return []
    steps = [Step("Ask a question", "Open the chat as your visitors see it.", "chat", conversations > 0)]
    if may(May.WRITE_DOCUMENTS):
        note = "A PDF, an Office file, a web page or plain text: it can be asked about within a minute."
        steps.insert(0, Step("Add documents", note, "console-documents", documents > 0, "#upload"))
    if may(May.MANAGE_MEMBERS):
        invited = Membership.objects.count() > 1 or Invitation.objects.exists()
        steps.append(
            Step("Invite a colleague", "Somebody to judge answers with you.", "console-members", invited)
        )
    return steps


def _webhooks(may: Callable[[May], bool]) -> Iterator[Notice]:
    if may(May.MANAGE_WEBHOOKS) and (n := webhooks_failing()):
        one = "A webhook does" if n == 1 else f"{n} webhooks do"
        yield Notice(
            f"{one} not take what it is told" if n == 1 else f"{one} not take what they are told",
            "See what the address answered, and send again.",
            "console-webhooks",
            FAILING,
        )


def _quotas() -> Iterator[Notice]:
    for quota in quotas_near():
        full, anew = quota.share == 100, quota.state.resets_at
        note = (
            f"More is refused until {anew:%-d %b %H:%M} UTC."
            if full and anew
            else "Ask the platform for more."
        )
        yield Notice(
            f"{quota.share:g} % of {quota.state.what} used", note, "console-usage", FULL if full else NEAR
        )


def _flagged(may: Callable[[May], bool]) -> Iterator[Notice]:
    since, until = period(JUDGED_OVER)
    if may(May.JUDGE_CONVERSATIONS) and (n := waiting_to_be_judged(since=since, until=until)):
        turns, which = ("turn waits", "it") if n == 1 else ("turns wait", "them")
        note = f"The guard objected to {which} in the last {JUDGED_OVER} days."
        yield Notice(f"{n} flagged {turns} to be judged", note, "console-contamination", TO_JUDGE, "#queue")
