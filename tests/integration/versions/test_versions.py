"""Drafting, publishing, trying, ending and rolling back: numbers only grow, and what was in force never changes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4, uuid5

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet

from kernel.errors import DomainError, Invalid, NotFound
from tenants.acting import acting_as, user_actor
from tenants.models import AuditEntry, User, Version
from tenants.scoping import tenant_scope
from tenants.selectors.versions import (
    access_version,
    version_differences,
    version_for,
    version_list,
    version_summaries,
    versions_in_force,
    versions_of,
)
from tenants.services import versions
from tenants.versioning import errors
from tenants.versioning.gates import GateResult
from tenants.versioning.shares import in_share

SCOPE: dict[str, Any] = {"kind": "policy", "name": "scope"}
ANSWER: dict[str, Any] = {"kind": "prompt", "name": "answer"}

pytestmark = pytest.mark.django_db


def draft(data: Any = None, *, of: dict[str, Any] = SCOPE, **more: Any) -> Version:
    return versions.version_draft(**of, data=data, **more)


def published(data: Any = None, *, of: dict[str, Any] = SCOPE) -> Version:
    return versions.version_publish(**of, number=draft(data, of=of).number)


def states(of: dict[str, Any] = SCOPE) -> dict[int, str]:
    return {version.number: version.state for version in version_list(**of)}


def actions() -> list[str]:
    return list(_log().values_list("action", flat=True))


def _log() -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(action__startswith="version.").order_by("seq")


def in_force(session: UUID | None = None, of: dict[str, Any] = SCOPE) -> int:
    found = version_for(**of, session_id=session)
    return found.number if found else 0


# Drafting


def test_the_built_in_version_is_always_there(scoped):
    (only,) = version_list(**SCOPE)
    assert (only.number, only.state, only.data["window"]) == (0, "published", 4)
    assert in_force() == 0 and access_version(**SCOPE, number=0).data == only.data


def test_a_draft_begins_as_a_copy_of_what_is_in_force(scoped):
    first = draft()
    assert (first.number, first.based_on, first.data) == (1, 0, access_version(**SCOPE, number=0).data)
    versions.version_edit(**SCOPE, number=1, data={"window": 6})
    versions.version_publish(**SCOPE, number=1)
    second = draft()
    assert (second.number, second.based_on, second.data["window"]) == (2, 1, 6)
    assert draft(from_number=0).data["window"] == 4


def test_policies_and_prompts_are_numbered_apart(scoped):
    assert (draft().number, draft(of=ANSWER).number, draft().number) == (1, 1, 2)


def test_a_draft_need_not_be_right_and_says_what_is_wrong(scoped):
    bad = draft({"window": 0, "horizons": {"stale_after": 99}})
    wrong = versions.version_check(**SCOPE, data=bad.data)
    assert {problem.path for problem in wrong} == {"window", "horizons.stale_after"}


def test_who_drafted_is_remembered(scoped):
    user = User.objects.create_user("editor@example.org")
    with acting_as(user_actor(user)):
        assert draft().created_by_id == user.pk
    assert draft().created_by_id is None


def test_an_edit_over_somebody_elses_edit_is_refused(scoped):
    seen = draft().updated_at
    versions.version_edit(**SCOPE, number=1, data={"window": 5}, unchanged_since=seen)
    with pytest.raises(errors.VersionConflict):
        versions.version_edit(**SCOPE, number=1, data={"window": 6}, unchanged_since=seen)
    assert access_version(**SCOPE, number=1).data == {"window": 5}


def test_a_discarded_draft_is_gone(scoped):
    draft()
    versions.version_discard(**SCOPE, number=1)
    with pytest.raises(NotFound):
        access_version(**SCOPE, number=1)
    assert actions() == ["version.drafted", "version.discarded"]


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: draft([]),
        lambda: draft({"a": "\x00"}),
        lambda: versions.version_check(**SCOPE, data={"\ud800": 1}),
        lambda: draft(note="x" * 301),
        lambda: versions.version_stage(**SCOPE, number=draft().number, share=0),
        lambda: versions.version_stage(**SCOPE, number=draft().number, share=101),
    ],
)
def test_it_refuses_what_makes_no_sense(scoped, attempt: Callable[[], object]):
    with pytest.raises(Invalid):
        attempt()


# Publishing


def test_a_published_version_is_in_force_and_the_one_before_is_retired(scoped):
    published({"window": 5})
    published({"window": 6})
    assert states() == {2: "published", 1: "retired", 0: "retired"} and in_force() == 2


def test_a_published_version_holds_every_default(scoped):
    """A later release may have other defaults: what is published means the same for ever."""
    assert published({"window": 5}).data == {**access_version(**SCOPE, number=0).data, "window": 5}


def test_what_is_wrong_is_not_published(scoped):
    with pytest.raises(errors.VersionInvalid) as refusal:
        published({"horizons": {"stale_after": 9, "evict_after": 8}})
    assert refusal.value.extra["problems"][0]["path"] == "horizons.stale_after"
    assert states()[1] == "draft" and in_force() == 0


def test_a_warning_does_not_keep_a_prompt_from_being_published(scoped):
    bare = {"system": "Answer from the passages."}
    assert versions.version_check(**ANSWER, data=bare)
    assert published(bare, of=ANSWER).state == "published"


@pytest.mark.parametrize("number", [0, 1, 2])
def test_what_was_in_force_is_never_edited_discarded_or_published_again(scoped, number):
    published({"window": 5})
    published({"window": 6})
    for attempt in (
        lambda: versions.version_edit(**SCOPE, number=number, data={}),
        lambda: versions.version_discard(**SCOPE, number=number),
        lambda: versions.version_publish(**SCOPE, number=number),
        lambda: versions.version_stage(**SCOPE, number=number, share=10),
    ):
        with pytest.raises(errors.VersionFixed):
            attempt()


@pytest.mark.parametrize("change", ["data = '{}'", "state = 'draft'", "number = 9", "name = 'other'"])
def test_the_database_itself_keeps_what_was_in_force(scoped, change):
    published({"window": 5})
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"update tenants_version set {change}")
    assert access_version(**SCOPE, number=1).data["window"] == 5


def test_a_draft_older_than_what_is_in_force_is_drafted_anew(scoped):
    older = draft({"window": 5})
    published({"window": 6})
    with pytest.raises(errors.VersionOutdated):
        versions.version_publish(**SCOPE, number=older.number)
    anew = versions.version_draft(**SCOPE, from_number=older.number)
    assert versions.version_publish(**SCOPE, number=anew.number).data["window"] == 5


def test_somebody_who_compared_with_another_version_is_told(scoped):
    published()
    later = draft({"window": 7})
    with pytest.raises(errors.VersionConflict, match="version 1"):
        versions.version_publish(**SCOPE, number=later.number, replaces=0)
    assert versions.version_publish(**SCOPE, number=later.number, replaces=1).state == "published"


# Gates


def test_a_gate_that_fails_keeps_the_version_a_draft(scoped):
    seen: list[int] = []

    def gate(version: Version) -> GateResult:
        seen.append(version.number)
        return GateResult(False, ("Stratum ordinal fell to 0.71.",), {"ordinal": 0.71})

    with pytest.raises(errors.GateFailed, match=r"0\.71") as refusal:
        versions.version_publish(**SCOPE, number=draft().number, gate=gate)
    assert seen == [1] and refusal.value.extra["report"] == {"ordinal": 0.71}
    assert states()[1] == "draft" and actions() == ["version.drafted"]


def test_a_gate_that_passes_lets_it_through(scoped):
    number = draft().number
    assert (
        versions.version_publish(**SCOPE, number=number, gate=lambda v: GateResult(True)).state == "published"
    )


def test_a_draft_edited_while_the_gate_ran_is_not_published(scoped):
    def gate(version: Version) -> GateResult:
        versions.version_edit(**SCOPE, number=version.number, data={"window": 9})
        return GateResult(True)

    with pytest.raises(errors.VersionConflict):
        versions.version_publish(**SCOPE, number=draft().number, gate=gate)
    assert states()[1] == "draft"


def test_a_version_published_while_the_gate_ran_is_not_swept_away(scoped):
    first = draft({"window": 5})
    second = draft({"window": 6})

    def gate(version: Version) -> GateResult:
        versions.version_publish(**SCOPE, number=first.number)
        return GateResult(True)

    with pytest.raises(errors.VersionConflict):
        versions.version_publish(**SCOPE, number=second.number, gate=gate)
    assert in_force() == first.number


# Trying on a share of the sessions

SESSIONS = [uuid5(UUID(int=3), str(number)) for number in range(300)]


def trying() -> set[UUID]:
    return {session for session in SESSIONS if in_force(session) == 2}


def test_a_share_of_the_sessions_gets_the_staged_version_and_all_others_the_published_one(scoped):
    published({"window": 5})
    versions.version_stage(**SCOPE, number=draft({"window": 6}).number, share=20)
    few = trying()
    assert few == {s for s in SESSIONS if in_share(s, "policy", "scope", 20)} and 30 < len(few) < 90
    assert in_force(None) == 1
    versions.version_stage(**SCOPE, number=2, share=60)
    assert few < trying()


def test_only_one_version_is_tried_at_a_time(scoped):
    versions.version_stage(**SCOPE, number=draft({"window": 5}).number, share=20)
    with pytest.raises(errors.VersionStageTaken, match=r"Version 1 .* 20 %"):
        versions.version_stage(**SCOPE, number=draft({"window": 6}).number, share=20)
    versions.version_stage(**ANSWER, number=draft(of=ANSWER).number, share=20)


def test_a_staged_version_is_fixed_because_turns_ran_under_it(scoped):
    versions.version_stage(**SCOPE, number=draft({"window": 5}).number, share=20)
    with pytest.raises(errors.VersionFixed):
        versions.version_edit(**SCOPE, number=1, data={"window": 6})
    with pytest.raises(errors.VersionFixed):
        versions.version_discard(**SCOPE, number=1)


def test_what_is_wrong_is_not_tried(scoped):
    with pytest.raises(errors.VersionInvalid):
        versions.version_stage(**SCOPE, number=draft({"window": 0}).number, share=5)


def test_ending_the_trial_gives_its_sessions_back(scoped):
    published({"window": 5})
    versions.version_stage(**SCOPE, number=draft({"window": 6}).number, share=100)
    assert trying() == set(SESSIONS)
    versions.version_stage_end(**SCOPE)
    assert trying() == set() and states()[2] == "retired" and in_force(SESSIONS[0]) == 1
    with pytest.raises(errors.NothingStaged):
        versions.version_stage_end(**SCOPE)


def test_a_staged_version_can_be_published(scoped):
    versions.version_stage(**SCOPE, number=draft({"window": 5}).number, share=20)
    versions.version_publish(**SCOPE, number=1)
    assert states() == {1: "published", 0: "retired"} and access_version(**SCOPE, number=1).share == 0


def test_publishing_another_version_ends_the_trial(scoped):
    versions.version_stage(**SCOPE, number=draft({"window": 5}).number, share=100)
    published({"window": 6})
    assert states() == {2: "published", 1: "retired", 0: "retired"} and in_force(SESSIONS[0]) == 2
    assert AuditEntry.objects.get(action="version.published").data["stage_ended"] == 1


# Rolling back


def test_rolling_back_publishes_the_old_data_under_a_new_number(scoped):
    published({"window": 5})
    published({"window": 6})
    back = versions.version_roll_back(**SCOPE, number=1)
    assert (back.number, back.based_on, back.data["window"]) == (3, 1, 5) and "1" in back.note
    assert states() == {3: "published", 2: "retired", 1: "retired", 0: "retired"}


def test_rolling_back_to_the_built_in_version(scoped):
    published({"window": 5})
    versions.version_stage(**SCOPE, number=draft({"window": 6}).number, share=100)
    back = versions.version_roll_back(**SCOPE, number=0)
    assert back.data["window"] == 4 and in_force(SESSIONS[0]) == back.number == 3


@pytest.mark.parametrize("number", [0, 1, 2])
def test_it_rolls_back_only_to_what_was_in_force_and_is_not(scoped, number):
    if number:
        versions.version_stage(**SCOPE, number=draft({"window": 5}).number, share=20)
        versions.version_stage_end(**SCOPE)
        published({"window": 6})
    with pytest.raises(errors.CannotRollBack):
        versions.version_roll_back(**SCOPE, number=number)


def test_two_clicks_roll_back_once(scoped):
    published({"window": 5})
    published({"window": 6})
    versions.version_roll_back(**SCOPE, number=1, replaces=2)
    with pytest.raises(errors.VersionConflict):
        versions.version_roll_back(**SCOPE, number=1, replaces=2)


# Reading


def test_differences_count_what_is_in_force_and_not_what_is_spelled_out(scoped):
    draft({"window": 6})
    (change,) = version_differences(**SCOPE, before=0, after=1)
    assert (change.path, change.before, change.after) == ("window", 4, 6)


def test_a_draft_that_is_not_right_yet_can_be_compared(scoped):
    draft({"window": 0, "horizons": {"stale_after": 9}})
    told = [(c.path, c.before, c.after) for c in version_differences(**SCOPE, before=0, after=1)]
    assert told == [("window", 4, 0), ("horizons.stale_after", 3, 9)]


def test_prompts_are_compared_line_by_line(scoped):
    text = access_version(**ANSWER, number=0).data["system"]
    draft({"system": text + "\n- Greet the reader."}, of=ANSWER)
    (change,) = version_differences(**ANSWER, before=0, after=1)
    assert [line for line in change.lines if line.startswith("+")] == ["+- Greet the reader."]


def test_the_summary_says_where_everything_stands(scoped):
    published({"window": 5})
    versions.version_stage(**SCOPE, number=draft().number, share=30)
    draft()
    draft(of=ANSWER)
    told = {s.versioned.name: (s.in_force, s.staged, s.share, s.drafts) for s in version_summaries()}
    assert told == {
        "scope": (1, 2, 30, 1),
        "contextualize": (0, None, 0, 0),
        "answer": (0, None, 0, 1),
        "summarize": (0, None, 0, 0),
    }


def test_what_is_in_force_costs_one_query(scoped, django_assert_num_queries):
    published({"window": 5})
    published({"system": "Answer from the passages."}, of=ANSWER)
    with django_assert_num_queries(1):
        found = versions_in_force(session_id=uuid4())
        assert {name: version.data for (_, name), version in found.items()}.keys() == {"scope", "answer"}


# The log


def test_every_change_is_in_the_log_with_numbers_and_without_texts(scoped):
    text = {"system": "Answer from the passages. The code word is swordfish."}
    draft(of=ANSWER)
    versions.version_edit(**ANSWER, number=1, data=text, note="swordfish")
    versions.version_stage(**ANSWER, number=1, share=10)
    versions.version_stage(**ANSWER, number=1, share=40)
    versions.version_publish(**ANSWER, number=1)
    published({"system": "Answer from the passages, briefly."}, of=ANSWER)
    versions.version_roll_back(**ANSWER, number=1)
    assert actions() == [
        "version.drafted", "version.edited", "version.staged", "version.staged", "version.published",
        "version.drafted", "version.published", "version.rolled_back",
    ]  # fmt: skip
    logged = list(_log().values_list("target", "data"))
    assert "swordfish" not in str(logged) and logged[0][0] == "prompt/answer/1"
    assert (logged[3][1]["share"], logged[3][1]["was"]) == (40, 10)
    last = logged[-1][1]
    assert (last["number"], last["replaces"], last["back_to"]) == (3, 2, 1)
    assert last["changes"][0]["lines_added"] == 1


def test_a_policy_in_the_log_tells_its_numbers(scoped):
    published({"horizons": {"stale_after": 5}})
    changes = AuditEntry.objects.get(action="version.published").data["changes"]
    assert changes == [{"path": "horizons.stale_after", "kind": "changed", "before": 3, "after": 5}]


def test_a_refused_change_leaves_no_trace(scoped):
    draft({"window": 0})
    for attempt in (
        lambda: versions.version_publish(**SCOPE, number=1),
        lambda: versions.version_stage(**SCOPE, number=1, share=5),
        lambda: versions.version_stage_end(**SCOPE),
    ):
        with pytest.raises(DomainError):
            attempt()
    assert actions() == ["version.drafted"]


# The rival


def test_the_rival_sees_changes_and_gets_nothing_of_it(scoped, rival):
    published({"window": 5})
    versions.version_stage(**SCOPE, number=draft({"window": 6}).number, share=100)
    with tenant_scope(rival.id):
        assert [version.number for version in version_list(**SCOPE)] == [0]
        assert in_force(SESSIONS[0]) == 0 and not Version.objects.exists() and not actions()
        for attempt in (
            lambda: access_version(**SCOPE, number=1),
            lambda: versions.version_edit(**SCOPE, number=2, data={}),
            lambda: versions.version_discard(**SCOPE, number=2),
            lambda: versions.version_publish(**SCOPE, number=2),
            lambda: versions.version_stage(**SCOPE, number=2, share=50),
            lambda: versions.version_roll_back(**SCOPE, number=1),
            lambda: versions.version_draft(**SCOPE, from_number=1),
            lambda: version_differences(**SCOPE, before=0, after=1),
        ):
            with pytest.raises(NotFound):
                attempt()
        with pytest.raises(errors.NothingStaged):
            versions.version_stage_end(**SCOPE)
        assert draft().number == 1
    assert states() == {2: "staged", 1: "published", 0: "retired"}


def test_a_name_that_nobody_registered_is_unknown(scoped):
    for attempt in (
        lambda: draft(of={"kind": "prompt", "name": "greet"}),
        lambda: versions_of("policy", "colour"),
    ):
        with pytest.raises(errors.VersionedUnknown):
            attempt()


# At the same time


def at_once(*attempts: Callable[[], object]) -> list[object]:
    """Each in a thread with a connection of its own, begun together; results, or the errors they ended with."""
    together = Barrier(len(attempts))

    def run(attempt: Callable[[], object]) -> object:
        try:
            together.wait(10)
            return attempt()
        except DomainError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(attempts)) as pool:
        return [f.result(60) for f in [pool.submit(copy_context().run, run, attempt) for attempt in attempts]]


def meeting(barrier: Barrier) -> Callable[[Version], GateResult]:
    """A gate that both publishers stand in at the same time."""

    def gate(version: Version) -> GateResult:
        barrier.wait(10)
        return GateResult(True)

    return gate


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("same", [True, False], ids=["the same draft", "two drafts"])
def test_of_two_who_publish_at_once_one_wins_and_the_other_is_told(scoped, same):
    one = draft({"window": 5}).number
    other = one if same else draft({"window": 6}).number
    gate = meeting(Barrier(2))
    results = at_once(
        *(lambda n=n: versions.version_publish(**SCOPE, number=n, gate=gate) for n in (one, other))
    )
    lost = [result for result in results if isinstance(result, DomainError)]
    assert [error.code for error in lost] == ["version_conflict"]
    assert list(states().values()).count("published") == 1 and actions().count("version.published") == 1


@pytest.mark.django_db(transaction=True)
def test_drafts_made_at_once_have_numbers_of_their_own(scoped):
    results = at_once(*[draft] * 6)
    assert sorted(version.number for version in results) == [1, 2, 3, 4, 5, 6]


@pytest.mark.django_db(transaction=True)
def test_two_trials_begun_at_once_are_one(scoped):
    numbers = [draft({"window": n}).number for n in (5, 6)]
    results = at_once(*(lambda n=n: versions.version_stage(**SCOPE, number=n, share=50) for n in numbers))
    lost = [result for result in results if isinstance(result, DomainError)]
    assert [error.code for error in lost] == ["version_stage_taken"]
    assert list(states().values()).count("staged") == 1
