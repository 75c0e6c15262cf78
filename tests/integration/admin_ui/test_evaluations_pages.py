"""Follow-up sets and evaluations in the console: made, loaded, grown, started, watched, read, compared, gated."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.audits.turn_judging import turn_judge
from conversations.evaluation.entries import entries_from
from conversations.evaluation.jobs import JobState
from conversations.evaluation.records import (
    EvaluationGates,
    EvaluationResult,
    EvaluationRun,
    FollowUpItem,
    FollowUpSet,
)
from conversations.models import Turn
from conversations.services.evaluation_runs import evaluation_start
from conversations.services.evaluation_sets import GROWN, set_create, set_import
from conversations.services.evaluation_work import report_of
from tenants.scoping import tenant_scope
from tenants.services.versions import version_draft, version_publish
from tests.integration.admin_ui.rows import make_session, make_trace, make_turn

pytestmark = pytest.mark.django_db
SCORE = {
    "recall5": 1.0, "recall10": 1.0, "ndcg5": 1.0, "required": 1.0, "rewritten": True, "model_calls": 0,
    "contaminants": [], "invented": [], "may_contaminate": True, "requires": False, "dependent": None,
}  # fmt: skip


def line(n: int, **more: Any) -> dict[str, Any]:
    return {"id": f"beds-{n}", "stratum": "near_followup", "prefix": [], "follow_up": f"and ward {n}?",
            "gold": ["Wards"], **more}  # fmt: skip


def upload(*lines: Any) -> SimpleUploadedFile:
    text = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines)
    return SimpleUploadedFile("set.jsonl", text.encode())


@pytest.fixture
def wards(scoped) -> FollowUpSet:
    made = set_create(name="Wards")
    set_import(set_id=made.pk, data=upload(line(1), line(2), line(3, stratum="ordinal")).read())
    return made


@pytest.fixture
def editor(scoped, browser):
    return browser(scoped, "editor")


def done(run: EvaluationRun, *, missed: int = 0, query: str = "How many beds has ward?") -> EvaluationRun:
    """As a worker would leave it, the first `missed` items without their passage."""
    for one in EvaluationResult.objects.filter(run=run):
        one.state, one.query, one.display, one.verdict = "done", query, query, "clean"
        one.hit = one.position >= missed
        one.score = {**SCORE, "recall5": float(one.hit)}
        one.found = [{"document": "d", "title": "Wards", "gold": one.hit}]
        one.save()
    report = report_of(run, "offline")
    EvaluationRun.objects.filter(pk=run.pk).update(
        state=JobState.DONE, done=run.total, report=report, passed=not missed
    )
    run.refresh_from_db()
    return run


def text_of(answer, status: int = 200) -> str:
    assert answer.status_code == status
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_without_a_set_it_says_what_to_do(editor):
    page = text_of(editor.get("evaluations/"))
    assert "Make a set first" in page and "Make the set" in page
    assert "There is no set with an item yet" in text_of(editor.get("evaluations/new"))


def test_a_set_is_made_loaded_and_taken_away(editor):
    editor.post("evaluations/sets/new", {"name": "Wards"})
    made = FollowUpSet.objects.get()
    editor.post(f"evaluations/sets/{made.pk}/upload", {"file": upload(line(1), line(2))})
    assert "and ward 2?" in text_of(editor.get(f"evaluations/sets/{made.pk}/"))
    taken = editor.get(f"evaluations/sets/{made.pk}/download").content
    assert [json.loads(one)["id"] for one in taken.splitlines()] == ["beds-1", "beds-2"]


def test_every_mistake_of_a_file_is_shown_with_its_line(wards, editor):
    answer = editor.post(f"evaluations/sets/{wards.pk}/upload", {"file": upload("{", line(9, gold=[]))})
    page = text_of(answer, 400)
    assert "Nothing was loaded: 2 mistakes" in page and "Line 1" in page and "Line 2" in page
    assert FollowUpItem.objects.count() == 3


def test_items_are_narrowed_by_stratum(wards, editor):
    page = text_of(editor.get(f"evaluations/sets/{wards.pk}/?stratum=ordinal"))
    assert "and ward 3?" in page and "and ward 1?" not in page


def test_an_item_is_written_edited_and_deleted_in_its_form(wards, editor):
    form = {"key": "new", "stratum": "ordinal", "follow_up": "the second one?", "gold": "Wards\nBeds",
            "prefix": "User: Which wards\nare there?\nAssistant: East and west.", "required": "", "forbidden": "east"}  # fmt: skip
    editor.post(f"evaluations/sets/{wards.pk}/items/add", form)
    item = FollowUpItem.objects.get(key="new")
    assert item.prefix == [
        {"role": "user", "content": "Which wards\nare there?"},
        {"role": "assistant", "content": "East and west."},
    ]
    assert item.gold == ["Wards", "Beds"] and item.forbidden == ["east"]
    here = f"evaluations/sets/{wards.pk}/items/{item.pk}"
    assert "Assistant: East and west." in text_of(editor.get(f"{here}/"))
    refused = editor.post(f"{here}/save", {**form, "gold": ""})
    assert "`gold` is missing" in text_of(refused, 400) and "the second one?" in text_of(refused, 400)
    editor.post(f"{here}/save", {**form, "follow_up": "the first one?"})
    item.refresh_from_db()
    assert item.follow_up == "the first one?"
    editor.post(f"{here}/delete")
    assert not FollowUpItem.objects.filter(key="new").exists()


def test_a_run_is_started_watched_and_cancelled(wards, editor):
    asked = {
        "set": str(wards.pk),
        "strategies": ["policy", "window2"],
        "policy": "",
        "prompt": "",
        "audience": "",
    }
    editor.post("evaluations/start", asked)
    run = EvaluationRun.objects.get()
    assert (run.state, run.total, run.strategies) == ("queued", 6, ["policy", "window2"])
    progress = editor.get(f"evaluations/{run.pk}/?part=progress")
    assert "0 of 6" in text_of(progress) and "HX-Refresh" not in progress
    editor.post(f"evaluations/{run.pk}/cancel")
    run.refresh_from_db()
    assert (
        run.state == "cancelled"
        and editor.get(f"evaluations/{run.pk}/?part=progress")["HX-Refresh"] == "true"
    )


def test_a_run_is_read_by_stratum_and_item_by_item(wards, editor):
    run = done(evaluation_start(set_id=wards.pk), missed=1)
    page = text_of(editor.get(f"evaluations/{run.pk}/"))
    assert "As the policy says" in page and page.index("ordinal") < page.index("overall")
    assert "✓ Wards" in page and "missed" in page
    only = text_of(editor.get(f"evaluations/{run.pk}/?only=missed"))
    assert only.count("and ward") == 1


def test_two_runs_are_compared_item_by_item(wards, editor):
    before = done(evaluation_start(set_id=wards.pk), missed=1)
    after = done(evaluation_start(set_id=wards.pk), query="How many beds has ward 1?")
    html = editor.get(f"evaluations/{after.pk}/against/{before.pk}/").content.decode()
    assert "found now" in html and "<ins>1</ins>" in html
    lost = text_of(editor.get(f"evaluations/{before.pk}/against/{after.pk}/?change=lost"))
    assert lost.count("and ward") == 1


def test_what_both_searched_is_worded_as_in_the_chat_and_as_searched_where_only_that_differs(wards, editor):
    before, after = (done(evaluation_start(set_id=wards.pk)) for _ in range(2))
    address = f"evaluations/{after.pk}/against/{before.pk}/"
    results = EvaluationResult.objects.filter(run=after)
    results.update(query="beds ward", display="How many beds has the ward?")
    assert "many beds has <ins>the</ins> ward?" in editor.get(address).content.decode()
    results.update(query="beds ward now", display="How many beds has ward?")
    assert "now</ins>" in editor.get(address).content.decode()


def test_gates_are_set_by_those_who_publish(wards, scoped, editor, browser):
    asked = {"required": "yes", "set": str(wards.pk), "strategy": "policy", "overall|recall@5|min": "0.9",
             "strata.ordinal|contamination|max": "0,05"}  # fmt: skip
    assert editor.post("evaluations/gates/save", asked).status_code == 403
    browser(scoped, "admin").post("evaluations/gates/save", asked)
    gates = EvaluationGates.objects.get()
    assert gates.required and gates.of_set_id == wards.pk
    assert gates.values["overall"] == {"recall@5": {"min": 0.9}}
    assert gates.values["strata"] == {"ordinal": {"contamination": {"max": 0.05}}}
    page = editor.get("evaluations/gates").content.decode()
    assert 'value="0.05"' in page and "Owners and admins set the gates" in page


def test_a_publication_that_the_gates_refuse_says_what_to_do(wards, scoped, browser):
    from tenants.services.versions import version_draft

    admin = browser(scoped, "admin")
    admin.post("evaluations/gates/save", {"required": "yes", "set": str(wards.pk), "strategy": "policy"})
    draft = version_draft(kind="policy", name="scope", data={"strategy": "window", "window": 2})
    asked = {"replaces": "0", "seen": draft.updated_at.isoformat()}
    assert admin.post(f"policy/{draft.number}/publish", asked).status_code == 302
    answer = admin.get(f"policy/{draft.number}/")
    assert "No evaluation has run this version" in text_of(
        answer
    ) and "Start one under Evaluations" in text_of(answer)


@pytest.fixture
def flagged(scoped, browser) -> Turn:
    session = make_session(turns=1)
    trace = make_trace(2, ruling={"offending": ["east ward"]})
    cited = [{"n": 1, "chunk": "", "document": "", "title": "Wards", "snippet": "The west ward has 12 beds"}]
    return make_turn(
        session, 2, verdict="contaminated", message="and the west ward?", trace=trace, citations=cited
    )


def test_a_confirmed_turn_becomes_an_item_in_one_click(flagged, scoped, editor, person_of):
    button = f"evaluations/turns/{flagged.pk}/add"
    assert button not in editor.get("contamination/").content.decode()
    turn_judge(turn_id=flagged.pk, judgement="confirmed", by=person_of(editor))
    assert button in editor.get("contamination/?state=confirmed").content.decode()
    assert button in editor.get(f"conversations/{flagged.session_id}/").content.decode()
    answer = editor.post(button)
    item = FollowUpItem.objects.get()
    assert answer["Location"].endswith(f"/evaluations/sets/{item.of_set_id}/items/{item.pk}/")
    assert item.of_set.name == GROWN and item.forbidden == ["east ward"]
    assert item.gold == ["Wards#The west ward has 12 beds"] and item.prefix[0]["role"] == "user"


def test_a_turn_goes_to_the_set_that_was_chosen_or_to_a_new_one(flagged, wards, scoped, editor):
    page = editor.get(f"conversations/{flagged.session_id}/").content.decode()
    assert "Which set?" in page and f'value="{wards.pk}"' in page and 'value="new"' in page
    address = f"evaluations/turns/{flagged.pk}/add"
    for posted, name in (
        ({"set": str(wards.pk)}, "Wards"),
        ({"set": "new", "name": " Nights "}, "Nights"),
        ({"set": "new", "name": "Wards"}, "Wards"),
        ({"set": "new"}, GROWN),
    ):
        answer = editor.post(address, posted)
        made = FollowUpSet.objects.get(name=name)
        assert f"/evaluations/sets/{made.pk}/items/" in answer["Location"]
    assert FollowUpSet.objects.count() == 3
    editor.post(address, {"set": "new", "name": "n" * 81})
    assert "The name of the set has 81 characters, and at most 80 are kept." in text_of(
        editor.get("evaluations/")
    )


def test_the_built_in_version_is_called_so_where_versions_are_chosen(wards, scoped, editor):
    number = version_draft(kind="policy", name="scope", note="Longer horizons").number
    version_publish(kind="policy", name="scope", number=number)
    page = text_of(editor.get("evaluations/new"))
    assert "Built in · not in force" in page and "Retired" not in page and "retired" not in page
    assert f"Version {number} · in force · Longer horizons" in page


def test_a_turn_without_citations_asks_for_the_passage(scoped, editor):
    turn = make_turn(
        make_session(turns=1), 2, verdict="contaminated", message="and the west ward?", citations=[]
    )
    answer = editor.post(f"evaluations/turns/{turn.pk}/add")
    made = FollowUpSet.objects.get()
    assert answer["Location"].endswith(f"/evaluations/sets/{made.pk}/items/new?turn={turn.pk}")
    assert "and the west ward?" in text_of(editor.get(f"evaluations/sets/{made.pk}/items/new?turn={turn.pk}"))


def test_an_analyst_reads_the_figures_and_no_item_and_is_offered_nothing_to_press(wards, scoped, browser):
    run = done(evaluation_start(set_id=wards.pk, strategies=["policy", "window4"]))
    analyst = browser(scoped, "analyst")
    paths = ["evaluations/", "evaluations/all", "evaluations/gates"]
    paths += [f"evaluations/{run.pk}/", f"evaluations/sets/{wards.pk}/"]
    pages = {path: analyst.get(path) for path in paths}
    for path, answer in pages.items():
        html = answer.content.decode()
        assert answer.status_code == 200 and "and ward" not in html, path
        content = html[html.index('<div id="content"') :]
        offered = re.findall(r'(?:action|href)="[^"]*/console/(evaluations/[^"]*)"', content)
        assert [one for one in offered if analyst.get(one).status_code in (403, 405)] == [], path
    assert "recall@5" in text_of(pages[f"evaluations/{run.pk}/"])
    assert "near_followup 2 items" in text_of(pages[f"evaluations/sets/{wards.pk}/"])
    assert "Evaluations" in text_of(analyst.get(""))


@pytest.fixture
def person_of():
    from tenants.models import User

    return lambda console: User.objects.get(pk=console.client.session["_auth_user_id"])


def test_the_rival_finds_nothing(wards, rival, browser):
    run = done(evaluation_start(set_id=wards.pk))
    other = browser(rival, "owner")
    assert "Wards" not in text_of(other.get("evaluations/"))
    pages = [f"evaluations/{run.pk}/", f"evaluations/sets/{wards.pk}/"]
    assert {other.get(page).status_code for page in pages} == {404}
    with tenant_scope(rival.id):
        assert not FollowUpSet.objects.exists()


def test_no_page_costs_more_queries_with_more_rows(wards, editor):
    def queries(path: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as counted:
            assert editor.get(path).status_code == 200
        return len(counted)

    run = done(evaluation_start(set_id=wards.pk))
    pages = ["evaluations/", "evaluations/all", f"evaluations/sets/{wards.pk}/"]
    editor.get("evaluations/")
    before = [queries(page) for page in pages]
    few = queries(f"evaluations/{run.pk}/")
    set_import(set_id=wards.pk, data=upload(*[line(n) for n in range(10, 30)]).read())
    set_create(name="More")
    more = done(evaluation_start(set_id=wards.pk))
    assert [queries(page) for page in pages] == before
    assert queries(f"evaluations/{more.pk}/") == few


def test_the_example_of_a_file_is_one_that_can_be_uploaded(wards, editor):
    page = editor.get(f"evaluations/sets/{wards.pk}/").content.decode()
    (line,) = re.findall(r'<pre class="sample"[^>]*>(.*?)</pre>', page, re.S)
    entries, faults = entries_from(html.unescape(line).encode())
    assert faults == [] and [entry.key for entry in entries] == ["beds-1"]
