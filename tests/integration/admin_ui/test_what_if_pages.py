"""The pages of what-if replays: choosing turns and a change, progress, results, differences, publishing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from conversations.evaluation.what_if import Side
from conversations.evaluation.what_if_records import WhatIfDifference, WhatIfReplay
from conversations.models import Turn
from conversations.selectors.what_if import counts_by_stratum
from retrieval.models import Chunk
from tenants.models import Version
from tenants.scoping import tenant_scope
from tenants.services.versions import version_draft
from tests.integration.admin_ui.rows import make_document, make_session

pytestmark = pytest.mark.django_db
SIDE = Side(
    "and the RPO 2 Dublin?", "and the RPO 2?", "follow_up", "clean", "offline", (1,), (("Dublin", "live"),)
)


def text_of(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def make_replay(session: Any, *, state: str = "done", passages: tuple[str, str] = ("", "")) -> WhatIfReplay:
    """All turns of a session, of which the second comes out differently."""
    replay = WhatIfReplay.objects.create(
        kind="policy",
        name="scope",
        before_number=0,
        before={"window": 4},
        after={"window": 2},
        selection={"sample": "latest", "most": 200, "kinds": [], "follow_ups": True, "flagged": False},
        state=state,
        total=session.turn_count,
    )
    for turn in Turn.objects.filter(session=session):
        row = WhatIfDifference(replay=replay, turn=turn, position=turn.n, stratum=turn.kind, state="same")
        row.verdict_before = row.verdict_after = "clean"
        if turn.n == 2:
            lost, gained = passages
            row.before = {**SIDE.to_json(), "passages": [lost] if lost else []}
            row.after = {**SIDE.to_json(), "query": "and the RPO 2 Lisbon?", "verdict": "invented", "passages": [gained] if gained else []}  # fmt: skip
            row.state, row.rewrite, row.verdict, row.verdict_after = "changed", True, True, "invented"
            row.passages = row.top_passage = bool(lost)
        row.save()
    replay.summary = counts_by_stratum(replay.pk)["follow_up"].to_json()
    replay.save()
    return replay


@pytest.fixture
def editor(scoped, browser):
    return browser(scoped, "editor")


def test_without_a_replay_it_says_what_one_is_for(editor):
    assert "Nothing was replayed yet" in text_of(editor.get("what-if/"))


@pytest.mark.parametrize("path", ["what-if/", "what-if/new", "what-if/estimate"])
def test_it_is_for_those_who_edit_versions(scoped, browser, path):
    assert browser(scoped, "analyst").get(path).status_code == 403
    for role in ("editor", "admin", "owner"):
        assert browser(scoped, role).get(path).status_code == 200


def test_an_analyst_is_not_offered_it(scoped, browser):
    assert "What-if replay" not in text_of(browser(scoped, "analyst").get(""))
    assert "What-if replay" in text_of(browser(scoped, "editor").get(""))


@pytest.mark.parametrize("path", ["what-if/{}/", "what-if/{}/?part=progress"])
def test_the_rival_finds_no_replay(scoped, rival, browser, path):
    replay = make_replay(make_session(turns=2))
    assert browser(rival, "owner").get(path.format(replay.pk)).status_code == 404


def test_it_counts_what_is_chosen_before_it_runs(editor, scoped):
    make_session(turns=4)
    told = text_of(editor.get("what-if/estimate?days=30&most=3&follow_ups=on"))
    assert "3 turns of 4 that match, in 1 conversation" in told
    assert "4 are replayed on either side." in told and "model" not in told
    assert "No stored turn matches" in text_of(editor.get("what-if/estimate?days=30&flagged=on"))
    assert "from 1 to 2000" in text_of(editor.get("what-if/estimate?days=30&most=0"))


def test_a_setting_is_changed_in_the_form_and_replayed(editor, scoped, django_capture_on_commit_callbacks):
    make_session(turns=3)
    assert 'name="horizons.stale_after"' in editor.get("what-if/new").content.decode()
    asked = {"of": "scope", "what": "edited", "days": "7", "most": "50", "follow_ups": "on", "strategy": "window", "window": "2"}  # fmt: skip
    answer = editor.post("what-if/run", asked)
    replay = WhatIfReplay.objects.get()
    assert answer.status_code == 302 and str(replay.pk) in answer["Location"]
    assert (replay.after["strategy"], replay.after["window"], replay.total) == ("window", 2, 3)
    assert replay.requested_by is not None
    page = text_of(editor.get(f"what-if/{replay.pk}/"))
    assert "Waiting for a worker" in page and "0 of 3 turns" in page


def test_a_stored_draft_is_replayed(editor, scoped):
    make_session(turns=2)
    draft = version_draft(kind="policy", name="scope", data={"window": 9})
    page = editor.get(f"policy/{draft.number}/").content.decode()
    assert f"what-if/new?of=scope&amp;number={draft.number}" in page
    editor.post("what-if/run", {"of": "scope", "what": "stored", "number": draft.number, "days": "all"})
    assert WhatIfReplay.objects.get().after_number == draft.number


def test_what_cannot_be_replayed_stays_in_the_form(editor, scoped):
    make_session(turns=2)
    answer = editor.post("what-if/run", {"of": "scope", "what": "edited", "days": "7", "window": "99"})
    page = answer.content.decode()
    assert answer.status_code == 400 and "Not started" in page and 'value="99"' in page
    assert not WhatIfReplay.objects.exists()


def test_progress_is_told_and_the_page_comes_anew_when_it_has_ended(editor, scoped):
    replay = make_replay(make_session(turns=3), state="running")
    answer = editor.get(f"what-if/{replay.pk}/?part=progress")
    assert "3 of 3 turns" in text_of(answer) and "every 2s" in answer.content.decode()
    assert "HX-Refresh" not in answer
    WhatIfReplay.objects.update(state="done")
    assert editor.get(f"what-if/{replay.pk}/?part=progress")["HX-Refresh"] == "true"


def test_from_five_turns_on_a_share_comes_with_its_interval(editor, scoped):
    page = text_of(editor.get(f"what-if/{make_replay(make_session(turns=5)).pk}/"))
    assert "Rewrites 1 of 5" in page and "20 % (3.6–62 %)" in page


def test_it_shows_how_often_what_changes_and_each_difference_with_its_words_marked(editor, scoped, corpus):
    document = make_document(corpus, "Regions")
    lost, gained = map(
        str, Chunk.objects.filter(document=document).order_by("ordinal").values_list("pk", flat=True)
    )
    session = make_session(turns=4)
    replay = make_replay(session, passages=(lost, gained))
    answer = editor.get(f"what-if/{replay.pk}/")
    page, html = text_of(answer), answer.content.decode()
    assert "Rewrites 1 of 4" in page and "(4.6–70 %)" not in page  # too few for an interval
    assert '<del class="mark">Dublin</del>' in html and '<ins class="mark">Lisbon</ins>' in html
    assert "and the RPO 2?" in page and "and the RPO 3?" not in page
    assert f"/conversations/{session.pk}/?turn=2#turn-2" in html
    assert "lost: Regions › Part 0" in page and "gained: Regions › Part 1" in page
    assert f"/documents/{document.pk}/?page=1#chunk-{gained}" in html
    assert "1 clean → invented" in page


def test_a_difference_is_worded_as_the_chat_words_a_search(editor, scoped):
    replay = make_replay(make_session(turns=3))
    row = WhatIfDifference.objects.get(replay=replay, state="changed")
    row.before = {**row.before, "query": "RPO Dublin", "display": "What is the RPO in Dublin?"}
    row.after = {**row.after, "query": "RPO Lisbon", "display": "What is the RPO in Lisbon?"}
    row.save()
    html = editor.get(f"what-if/{replay.pk}/").content.decode()
    assert 'What is the RPO in <del class="mark">Dublin</del>?' in html
    assert 'What is the RPO in <ins class="mark">Lisbon</ins>?' in html


def test_differences_are_narrowed_by_kind_of_change_and_of_turn(editor, scoped):
    replay = make_replay(make_session(turns=3))
    assert "and the RPO 2?" in text_of(editor.get(f"what-if/{replay.pk}/?change=verdict&stratum=follow_up"))
    assert "No such difference" in text_of(editor.get(f"what-if/{replay.pk}/?change=scope"))
    assert "No such difference" in text_of(editor.get(f"what-if/{replay.pk}/?stratum=correction"))


def test_a_replay_without_differences_says_so(editor, scoped):
    replay = make_replay(make_session(turns=1))
    assert "Every turn comes out as before" in text_of(editor.get(f"what-if/{replay.pk}/"))


def test_it_is_cancelled_on_the_page(editor, scoped):
    replay = make_replay(make_session(turns=2), state="running")
    assert editor.post(f"what-if/{replay.pk}/cancel").status_code == 302
    replay.refresh_from_db()
    assert replay.state == "cancelled"


def test_publishing_is_for_admins_and_puts_in_force_what_was_tried(scoped, browser, editor):
    session = make_session(turns=2)
    editor.post("what-if/run", {"of": "scope", "what": "edited", "days": "7", "window": "2"})
    replay = WhatIfReplay.objects.get()
    WhatIfReplay.objects.update(state="done")
    WhatIfDifference.objects.update(state="same", verdict_before="clean", verdict_after="clean")
    assert editor.post(f"what-if/{replay.pk}/publish").status_code == 403
    assert "Publish…" not in text_of(editor.get(f"what-if/{replay.pk}/"))
    admin = browser(scoped, "admin")
    assert "in place of what is built in" in text_of(admin.get(f"what-if/{replay.pk}/"))
    admin.post(f"what-if/{replay.pk}/publish")
    version = Version.objects.get(state="published")
    assert version.data["window"] == 2
    assert f"put in force as version {version.number}" in text_of(admin.get(f"what-if/{replay.pk}/"))
    assert session.turn_count == 2


def test_an_edited_copy_is_kept_as_a_draft(editor, scoped):
    make_session(turns=2)
    editor.post("what-if/run", {"of": "scope", "what": "edited", "days": "7", "window": "2"})
    WhatIfReplay.objects.update(state="done")
    answer = editor.post(f"what-if/{WhatIfReplay.objects.get().pk}/keep")
    draft = Version.objects.get(state="draft")
    assert answer["Location"].endswith(f"policy/{draft.number}/") and draft.data["window"] == 2
    editor.post(f"what-if/{WhatIfReplay.objects.get().pk}/keep")
    assert Version.objects.count() == 1


def test_without_a_model_the_prompt_of_the_rewrite_has_nothing_to_replay(editor, scoped):
    assert "No model rewrites here" in text_of(editor.get("what-if/new?of=contextualize"))


@pytest.mark.parametrize("odd", ["%00", "9" * 40, "-1", "%C2%B2", "x"])
def test_whatever_is_asked_a_page_comes_back(editor, scoped, odd):
    replay = make_replay(make_session(turns=2))
    for name in ("of", "number", "days", "most", "page", "change", "stratum", "kinds", "sample"):
        for path in ("what-if/", "what-if/new", "what-if/estimate", f"what-if/{replay.pk}/"):
            assert editor.get(f"{path}?{name}={odd}").status_code in (200, 404), (path, name)


def test_no_query_count_grows_with_differences_or_replays(editor, scoped):
    def queries(path: str) -> int:
        editor.get(path)
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert editor.get(path).status_code == 200
        return len(found)

    one = make_replay(make_session(turns=3))
    few, listed = queries(f"what-if/{one.pk}/"), queries("what-if/")
    many = make_replay(make_session(turns=20, who="two"))
    WhatIfDifference.objects.filter(replay=many).update(
        state="changed", rewrite=True, before=SIDE.to_json(), after=SIDE.to_json()
    )
    assert queries(f"what-if/{many.pk}/") == few
    assert queries("what-if/") == listed


def test_the_rival_lists_nothing(scoped, rival, browser):
    make_replay(make_session(turns=2))
    with tenant_scope(rival.id):
        assert not WhatIfReplay.objects.exists()
    assert "Nothing was replayed yet" in text_of(browser(rival, "owner").get("what-if/"))
