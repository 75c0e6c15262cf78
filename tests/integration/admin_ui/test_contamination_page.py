"""The contamination audit: rates with counts and intervals, the queue of flagged turns, and what members make of it."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from admin_ui.selectors.distances import counted
from conversations.audits.records import TurnJudgement
from conversations.models import Turn, TurnTrace
from kernel.clock import now
from tenants.scoping import tenant_scope
from tests.integration.admin_ui.rows import make_session, make_trace, make_turn

pytestmark = pytest.mark.django_db
OFFENDING = {"ruling": {"offending": ["Ward Seven"]}}


def flagged(session, n, verdict="contaminated", **fields) -> Turn:
    trace = make_trace(n, **OFFENDING)
    return make_turn(session, n, verdict=verdict, message=f"how many beds {n}?", trace=trace, **fields)


def text_of(answer) -> str:
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def rows_of(answer) -> list[dict[str, str]]:
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


@pytest.fixture
def ward(scoped):
    """Ten turns: two contaminated, one invented, seven clean; an older contaminated one lies out of the period."""
    session = make_session(turns=7)
    made = [flagged(session, 8), flagged(session, 9, policy_version=3), flagged(session, 10, "invented")]
    old = flagged(session, 11)
    Turn.objects.filter(pk=old.pk).update(created_at=now() - timedelta(days=60))
    return made


@pytest.fixture
def analyst(scoped, browser):
    return browser(scoped, "analyst")


def test_without_a_turn_it_says_what_to_do(analyst):
    assert "Ask a question and then a follow-up in the chat" in text_of(analyst.get("contamination/"))


def test_it_tells_share_count_and_interval_of_the_period(ward, analyst):
    page = text_of(analyst.get("contamination/?days=30"))
    assert "contaminated: 2 of 10 judged turns, 95 % interval 5.7–51 %" in page
    assert "contaminated: 3 of 11 judged turns" in text_of(analyst.get("contamination/?days=90"))


def test_it_tells_rates_by_policy_version(ward, analyst):
    by = {(row["by"], row["of"]): row for row in rows_of(analyst.get("contamination/figures.csv"))}
    assert by["Policy version", "Policy 3"]["turns"] == "1"
    assert by["Policy version", "Policy 3"]["contaminated"] == "1"
    assert by["Policy version", "Built-in policy"]["contaminated"] == "1"
    assert by["Prompt version", "Built-in prompt"]["turns"] == "10"
    assert by["all", "30 days"]["flagged"] == "3"
    assert len([key for key in by if key[0] == "day"]) == 30


def test_flagged_turns_link_to_the_turn_in_its_conversation(ward, analyst):
    html = analyst.get("contamination/").content.decode()
    assert f"/conversations/{ward[0].session_id}/?turn=8#turn-8" in html
    assert "how many beds 10?" in html
    assert "and the RPO 1?" not in html


@pytest.mark.parametrize(
    ("query", "found"),
    [("verdict=invented", {10}), ("policy=3", {9}), ("policy=0", {8, 10}), ("prompt=0", {8, 9, 10}),
     ("prompt=4", set()), ("kind=topic_shift", set()), ("kind=nonsense&policy=²&page=x", {8, 9, 10})],
)  # fmt: skip
def test_the_queue_is_narrowed_by_verdict_kind_and_versions(ward, analyst, query, found):
    html = analyst.get(f"contamination/?{query}").content.decode()
    assert {int(n) for n in re.findall(r"how many beds (\d+)\?</strong>", html)} == found


def test_only_those_who_read_all_documents_see_the_words_kept_out(scoped, ward, analyst, browser):
    assert "Ward Seven" in text_of(browser(scoped, "editor").get("contamination/"))
    assert "Ward Seven" not in text_of(analyst.get("contamination/"))


@pytest.mark.parametrize("judgement", ["confirmed", "dismissed"])
def test_a_judged_turn_leaves_the_queue_with_its_note(ward, analyst, judgement):
    asked = {"judgement": judgement, "note": "the ward was closed", "back": "?days=30"}
    answer = analyst.post(f"contamination/{ward[0].pk}/judge", asked)
    assert answer["Location"].endswith("/console/contamination/?days=30#queue")
    assert "how many beds 8?" not in text_of(analyst.get("contamination/"))
    page = text_of(analyst.get(f"contamination/?state={judgement}"))
    assert "how many beds 8?" in page
    assert "the ward was closed" in page


def test_the_last_judgement_counts_and_a_turn_can_go_back(ward, analyst):
    path = f"contamination/{ward[0].pk}/judge"
    for judgement in ("confirmed", "dismissed"):
        analyst.post(path, {"judgement": judgement})
    assert TurnJudgement.objects.get().judgement == "dismissed"
    analyst.post(path, {"judgement": "open"})
    assert not TurnJudgement.objects.exists()


@pytest.mark.parametrize("asked", [{}, {"judgement": "maybe"}, {"judgement": "confirmed", "note": "n" * 501}])
def test_nonsense_judges_nothing(ward, analyst, asked):
    assert analyst.post(f"contamination/{ward[0].pk}/judge", asked).status_code == 302
    assert not TurnJudgement.objects.exists()


def test_a_clean_turn_is_not_judged(ward, analyst):
    clean = Turn.objects.filter(verdict="clean").first()
    analyst.post(f"contamination/{clean.pk}/judge", {"judgement": "confirmed"})
    assert not TurnJudgement.objects.exists()


def test_a_form_does_not_lead_elsewhere(ward, analyst):
    asked = {"judgement": "confirmed", "back": "https://evil.example/"}
    answer = analyst.post(f"contamination/{ward[0].pk}/judge", asked)
    assert answer["Location"].endswith("/console/contamination/#queue")


def test_exported_messages_are_no_formulas(scoped, analyst):
    make_turn(make_session(turns=0), 1, verdict="contaminated", message='=HYPERLINK("x")')
    assert rows_of(analyst.get("contamination/turns.csv"))[0]["message"] == '\'=HYPERLINK("x")'


def test_a_judgement_goes_with_its_conversation(ward, analyst):
    analyst.post(f"contamination/{ward[0].pk}/judge", {"judgement": "confirmed"})
    ward[0].session.delete()
    assert not TurnJudgement.objects.exists()


@pytest.mark.parametrize(
    ("turn", "scope", "expected"),
    [
        (7, {"antecedent": 6, "closed": [{"last_mention_turn": 2}, {"last_mention_turn": 5}]}, (1, 2)),
        (7, {"antecedent": 3, "closed": []}, (4, 0)),
        (7, {"antecedent": 3}, (4, 0)),
        (7, {"antecedent": 3, "closed": [{"last_mention_turn": 9}, {"last_mention_turn": 7}, {}, 4]}, (4, 0)),
        (7, {"antecedent": 7, "closed": []}, (None, 0)),
        (7, {"antecedent": None, "closed": [{"last_mention_turn": 5}]}, (None, 2)),
        (None, {"antecedent": 1, "closed": [{"last_mention_turn": 1}]}, (None, 0)),
        (7, {"antecedent": "3", "closed": {"last_mention_turn": True}}, (None, 0)),
        (7, None, (None, 0)),
    ],
)
def test_the_database_works_distances_out_of_a_trace(scoped, turn, scope, expected):
    made = make_turn(make_session(turns=0), 1, traced=False)
    data = {"memory": {"turn": turn}, "scope": scope}
    trace = TurnTrace.objects.create(turn=made, data=data)
    trace.refresh_from_db()
    assert (trace.d_live, trace.d_stale) == expected


def test_it_says_what_a_window_of_two_cannot_serve(scoped):
    found = counted([(1, 0), (1, 5), (4, 6), (1, 2), (5, 3)])
    assert (found.turns, found.too_far, found.poisoned, found.unserved) == (5, 2, 1, 3)
    assert found.beyond_any == 1


def test_the_chart_tells_the_share(scoped, analyst):
    session = make_session(turns=0)
    for n, antecedent in ((4, 3), (9, 3)):
        scope = {"antecedent": antecedent, "closed": [{"last_mention_turn": 1}]}
        make_turn(session, n, trace=make_trace(n, scope=scope))
    page = text_of(analyst.get("contamination/"))
    assert "50 % of 2 turns that needed an earlier one could not have been served by a window of two" in page


def test_it_costs_no_more_with_more_turns(ward, analyst):
    def cost() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert analyst.get("contamination/").status_code == 200
        return len([query for query in asked if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))])

    cost()  # the first page of a browser asks for more
    few = cost()
    for n in range(12, 30):
        turn = flagged(ward[0].session, n, kind=("follow_up", "correction")[n % 2], policy_version=n)
        if n % 3 == 0:
            TurnJudgement.objects.create(turn=turn, judgement="confirmed", at=now())
    assert cost() == few
    assert few <= 20


def test_a_rival_neither_sees_nor_judges_it(scoped, rival, ward, browser):
    stranger = browser(scoped, "owner", member_of=rival)
    assert stranger.get("contamination/").status_code == 403
    with tenant_scope(rival.pk):
        other = browser(rival, "owner")
        assert "how many beds" not in text_of(other.get("contamination/"))
        assert rows_of(other.get("contamination/turns.csv")) == []
        other.post(f"contamination/{ward[0].pk}/judge", {"judgement": "confirmed"})
    assert not TurnJudgement.objects.exists()
