"""Policies and prompts in the console: drafted, compared, tried, published and rolled back, each by whom it is for."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from admin_ui.components.policy_words import help_of, label_of
from conversations.domain.policy_schema import policy_fields
from conversations.domain.prompts import BUILT_IN
from tenants.models import Version, VersionState
from tenants.scoping import tenant_scope
from tenants.selectors.versions import access_version, published_of, staged_of
from tenants.services.versions import version_draft, version_edit, version_publish, version_stage

pytestmark = pytest.mark.django_db
POLICY = {"kind": "policy", "name": "scope"}
ACTIONS = ("edit", "check", "publish", "stage", "stage-end", "roll-back", "discard")


def policy_draft(stale_after: int = 5, note: str = "Books stay alive longer") -> Version:
    draft = version_draft(**POLICY, note=note)
    data = {**draft.data, "horizons": {**draft.data["horizons"], "stale_after": stale_after}}
    return version_edit(**POLICY, number=draft.number, data=data)


def published(stale_after: int = 5) -> Version:
    return version_publish(**POLICY, number=policy_draft(stale_after).number)


def seen(version: Version, **more: str) -> dict[str, str]:
    return {"seen": version.updated_at.isoformat(), **more}


def filled_in(page: str) -> dict[str, list[str]]:
    """What a browser would send of the editor as it stands."""
    form = page[page.index("data-editor") : page.index("Save draft")]
    sent: dict[str, list[str]] = {}
    for tag in re.findall(r"<input[^>]+>", form):
        kind, name = (re.search(rf'{what}="([^"]*)"', tag) for what in ("type", "name"))
        if name and (kind is None or kind[1] not in ("radio", "checkbox") or " checked" in tag):
            value = re.search(r'value="([^"]*)"', tag)
            sent.setdefault(name[1], []).append(value[1] if value else "")
    return {name: value for name, value in sent.items() if name != "csrfmiddlewaretoken"}


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


@pytest.fixture
def owner(scoped, browser):
    return browser(scoped, "owner")


@pytest.mark.parametrize("path", ["policy/", "policy/0/", "policy/1/", "prompts/", "prompts/answer/"])
@pytest.mark.parametrize("role", ["owner", "admin", "editor", "analyst"])
def test_every_member_reads_them(scoped, browser, role, path):
    policy_draft()
    assert browser(scoped, role).get(path).status_code == 200


def test_an_analyst_reads_only(scoped, browser):
    draft, analyst = policy_draft(), browser(scoped, "analyst")
    page = analyst.get(f"policy/{draft.number}/").content.decode()
    assert "data-editor" not in page
    assert 'method="post" action="/t/' + scoped.slug + "/console/policy" not in page
    assert analyst.post("policy/draft").status_code == 403
    for action in ACTIONS:
        assert analyst.post(f"policy/{draft.number}/{action}", seen(draft)).status_code == 403
    assert Version.objects.get().updated_at == draft.updated_at


def test_an_editor_drafts_and_does_not_publish(scoped, browser):
    editor = browser(scoped, "editor")
    assert editor.post("policy/draft").status_code == 302
    draft = Version.objects.get()
    page = editor.get(f"policy/{draft.number}/").content.decode()
    assert "data-editor" in page
    assert "/publish" not in page
    for action in ("publish", "stage", "stage-end", "roll-back"):
        answer = editor.post(f"policy/{draft.number}/{action}", seen(draft, replaces="0", share="5"))
        assert answer.status_code == 403
    assert published_of(**POLICY) is None
    assert editor.post(f"policy/{draft.number}/discard", seen(draft)).status_code == 302
    assert not Version.objects.exists()


def test_an_owner_publishes_what_they_have_seen(scoped, owner):
    draft = policy_draft()
    answer = owner.post(f"policy/{draft.number}/publish", seen(draft, replaces="0"))
    assert answer.status_code == 302
    assert published_of(**POLICY).number == draft.number
    assert "Books stay alive longer" in text_of(owner.get("policy/"))


def test_the_form_asks_for_every_setting_of_the_schema(scoped, owner):
    page = owner.get(f"policy/{policy_draft().number}/").content.decode()
    missing = [field.path for field in policy_fields() if f'data-field="{field.path}"' not in page]
    assert not missing


def test_saving_the_form_as_it_stands_changes_nothing(scoped, owner):
    draft = policy_draft()
    own = {**draft.data, "horizons": {**draft.data["horizons"], "per_type": {"work": [6, 20]}}}
    version_edit(**POLICY, number=draft.number, data=own)
    sent = filled_in(owner.get(f"policy/{draft.number}/").content.decode())
    assert owner.post(f"policy/{draft.number}/edit", sent).status_code == 302
    assert Version.objects.get().data == own


def test_a_setting_is_changed_and_marked_against_what_is_in_force(scoped, owner):
    draft = version_draft(**POLICY)
    sent = filled_in(owner.get(f"policy/{draft.number}/").content.decode())
    owner.post(f"policy/{draft.number}/edit", {**sent, "window": "7", "note": "Wider"})
    page = owner.get(f"policy/{draft.number}/")
    assert Version.objects.get().data["window"] == 7
    assert Version.objects.get().note == "Wider"
    assert 'data-field="window" data-differs' in page.content.decode()
    assert 'data-field="strategy" data-differs' not in page.content.decode()
    assert "How many of the last turns 4 turns ▲ higher: 7 turns" in text_of(page)


@pytest.mark.parametrize(
    ("name", "typed", "told"),
    [
        ("window", "80", "80 is too large. Allowed: 1 to 50 turns."),
        ("window", "many", "This must be a whole number."),
        ("thresholds.related", "nan", "This must be a number."),
        ("horizons.stale_after", "12", "smaller than"),
        ("horizons.per_type.work[0]", "6", "work, evicted after: This must be a whole number."),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_keeps_it_from_being_published(
    scoped, owner, name, typed, told
):
    draft = version_draft(**POLICY)
    sent = filled_in(owner.get(f"policy/{draft.number}/").content.decode())
    assert owner.post(f"policy/{draft.number}/edit", {**sent, name: typed}).status_code == 302
    page, draft = owner.get(f"policy/{draft.number}/"), Version.objects.get()
    field = page.content.decode().split('data-field="')
    beside = next(part for part in field if part.startswith(name.split(".work")[0].split("[")[0] + '"'))
    assert told in re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", beside))
    assert "data-wrong" in beside
    assert "/publish" not in page.content.decode()
    owner.post(f"policy/{draft.number}/publish", seen(draft, replaces="0"))
    assert published_of(**POLICY) is None


def test_what_is_typed_is_checked_without_being_saved(scoped, owner):
    draft = version_draft(**POLICY)
    sent = filled_in(owner.get(f"policy/{draft.number}/").content.decode())
    answer = owner.post(f"policy/{draft.number}/check", {**sent, "window": "80"}).json()
    assert answer["fields"]["window"]["wrong"]
    assert "too large" in answer["fields"]["window"]["html"]
    assert not answer["fields"]["strategy"]["differs"]
    assert Version.objects.get().data == draft.data


def test_a_lost_update_is_refused_and_what_was_typed_stays(scoped, owner):
    draft = version_draft(**POLICY)
    sent = filled_in(owner.get(f"policy/{draft.number}/").content.decode())
    version_edit(**POLICY, number=draft.number, data={**draft.data, "window": 9})
    answer = owner.post(f"policy/{draft.number}/edit", {**sent, "window": "7"})
    assert answer.status_code == 409
    assert Version.objects.get().data["window"] == 9
    assert filled_in(answer.content.decode())["window"] == ["7"]
    assert owner.post(f"policy/{draft.number}/edit", filled_in(answer.content.decode())).status_code == 302
    assert Version.objects.get().data["window"] == 7


@pytest.mark.parametrize("action", ["publish", "stage", "discard"])
@pytest.mark.parametrize("when", ["before", "never", "nonsense"])
def test_nobody_acts_on_a_draft_that_was_edited_since_they_opened_it(scoped, owner, action, when):
    draft = policy_draft()
    said = {"before": (draft.updated_at - timedelta(seconds=1)).isoformat(), "never": "", "nonsense": "x"}
    owner.post(f"policy/{draft.number}/{action}", {"seen": said[when], "replaces": "0", "share": "5"})
    assert Version.objects.get().state == VersionState.DRAFT
    assert "Somebody else was faster" in text_of(owner.get(f"policy/{draft.number}/"))


@pytest.mark.parametrize("replaces", ["0", "", "1x"])
def test_a_publication_does_not_sweep_away_another(scoped, owner, replaces):
    first, second = policy_draft(4), policy_draft(6)
    version_publish(**POLICY, number=first.number)
    owner.post(f"policy/{second.number}/publish", seen(second, replaces=replaces))
    assert published_of(**POLICY).number == first.number


def test_a_draft_is_tried_on_a_share_of_the_sessions_and_the_trial_ended(scoped, owner):
    draft = policy_draft()
    owner.post(f"policy/{draft.number}/stage", seen(draft, share="20"))
    assert staged_of(**POLICY).share == 20
    page = text_of(owner.get("policy/"))
    assert "tried on 20 %" in page
    owner.post(f"policy/{draft.number}/stage-end")
    assert staged_of(**POLICY) is None
    assert Version.objects.get().state == VersionState.RETIRED


@pytest.mark.parametrize("share", ["0", "101", "-3", "12.5", "", "9" * 40])
def test_a_share_that_is_none_is_told(scoped, owner, share):
    draft = policy_draft()
    owner.post(f"policy/{draft.number}/stage", seen(draft, share=share))
    assert staged_of(**POLICY) is None
    assert "from 1 to 100 percent" in text_of(owner.get("policy/1/"))


def test_the_end_of_a_trial_ends_no_other_one(scoped, owner):
    first, second = policy_draft(4), policy_draft(6)
    version_stage(**POLICY, number=second.number, share=9)
    owner.post(f"policy/{first.number}/stage-end")
    assert staged_of(**POLICY).number == second.number


def test_an_earlier_version_and_what_is_built_in_are_rolled_back_to(scoped, owner):
    first, second = published(4), published(6)
    owner.post(f"policy/{first.number}/roll-back", {"replaces": str(second.number)})
    now = published_of(**POLICY)
    assert (now.number, now.data["horizons"]["stale_after"]) == (3, 4)
    owner.post("policy/0/roll-back", {"replaces": "2"})  # what was in force when the page was opened
    assert published_of(**POLICY).number == 3
    owner.post("policy/0/roll-back", {"replaces": "3"})
    assert published_of(**POLICY).data["horizons"]["stale_after"] == 3


def test_a_prompt_is_edited_with_its_lines_and_warned_of_what_it_costs(scoped, owner):
    draft = version_draft(kind="prompt", name="answer")
    sent = seen(draft, system="Answer from the shelf list.\r\nBe brief.\r\n", note="Short")
    assert owner.post(f"prompts/answer/{draft.number}/edit", sent).status_code == 302
    assert Version.objects.get().data == {"system": "Answer from the shelf list.\nBe brief."}
    page = owner.get(f"prompts/answer/{draft.number}/")
    assert "Answers will carry no citations." in text_of(page)
    assert 'data-severity="error"' not in page.content.decode()
    assert '<ins class="mark">' in page.content.decode()


def test_an_unknown_placeholder_is_told_while_it_is_typed(scoped, owner):
    draft = version_draft(kind="prompt", name="contextualize")
    data = {**BUILT_IN.contextualize.to_json(), "user": "{slots} {turns} {mesage}"}
    answer = owner.post(f"prompts/contextualize/{draft.number}/check", seen(draft, **data)).json()
    user = answer["fields"]["user"]
    assert "There is no placeholder {mesage}." in user["html"]
    assert user["places"] == {"{slots}": True, "{turns}": True, "{message}": False}
    assert answer["fields"]["system"]["tokens"] > 100


def test_what_is_written_is_shown_as_text(scoped, owner):
    draft = version_draft(kind="prompt", name="answer", note="<script>alert(1)</script>")
    version_edit(kind="prompt", name="answer", number=draft.number, data={"system": "</textarea><b>x {<i>}"})
    for path in ("prompts/answer/", f"prompts/answer/{draft.number}/"):
        page = owner.get(path).content.decode()
        assert "<script>alert" not in page
        assert "</textarea><b>x" not in page


@pytest.mark.parametrize("data", [{"horizons": 5, "foo": 1}, {"window": [1], "single_valued": "x"}, {}])
def test_a_draft_that_the_form_could_not_have_made_opens_all_the_same(scoped, owner, data):
    draft = version_draft(**POLICY, data=data)
    assert owner.get(f"policy/{draft.number}/").status_code == 200


@pytest.mark.parametrize(
    "path",
    ["policy/7/", "policy/99999999999999999999/", "prompts/nothing/", "prompts/scope/1/", "policy/1/x"],
)
def test_what_is_not_there_is_not_found(scoped, owner, path):
    assert owner.get(path).status_code == 404


@pytest.mark.parametrize("action", ACTIONS)
def test_reading_the_address_of_an_action_does_nothing(scoped, owner, action):
    draft = policy_draft()
    assert owner.get(f"policy/{draft.number}/{action}").status_code == 405
    assert access_version(**POLICY, number=draft.number).state == VersionState.DRAFT


def test_a_rival_sees_and_changes_nothing(scoped, rival, browser):
    draft = policy_draft(note="Secret of the library")
    with tenant_scope(rival.pk):
        other = browser(rival, "owner")
        assert "Secret of the library" not in other.get("policy/").content.decode()
        assert other.get(f"policy/{draft.number}/").status_code == 404
        assert other.post(f"policy/{draft.number}/edit", seen(draft)).status_code == 404
        other.post(f"policy/{draft.number}/publish", seen(draft, replaces="0"))
        assert "There is no such version 1" in text_of(other.get("policy/"))
        other.post(f"policy/{draft.number}/discard", seen(draft))
    stranger = browser(scoped, "owner", member_of=rival)
    assert stranger.get("policy/").status_code == 403
    assert stranger.post(f"policy/{draft.number}/publish", seen(draft, replaces="0")).status_code == 403
    assert Version.objects.get().state == VersionState.DRAFT


@pytest.mark.parametrize("path", ["policy/", "policy/1/", "prompts/"])
def test_pages_do_not_cost_more_with_more_versions(scoped, owner, path):
    def cost() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert owner.get(path).status_code == 200
        return len([query for query in asked if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))])

    policy_draft()
    cost()  # the first page of a browser opens its session
    few = cost()
    for n in range(5, 12):
        policy_draft(n % 7 + 1)
    assert cost() == few
    assert few <= 16


def test_a_draft_that_is_not_right_is_kept_and_says_what_to_mend_instead_of_saved(scoped, owner):
    draft = version_draft(**POLICY)
    sent = filled_in(owner.get(f"policy/{draft.number}/").content.decode())
    sent |= {"window": "80", "horizons.stale_after": "soon"}
    owner.post(f"policy/{draft.number}/edit", sent)
    page = text_of(owner.get(f"policy/{draft.number}/"))
    assert "mend “How many of the last turns” and “Stale after”" in page
    assert "is saved" not in page
    assert Version.objects.get().data["horizons"]["stale_after"] == "soon"
    html = owner.get(f"policy/{draft.number}/").content.decode()
    assert '<a href="#f-window">How many of the last turns</a>' in html and 'id="f-window"' in html


def test_every_setting_has_a_name_for_people_and_keeps_the_one_of_the_api_beside_it(scoped, owner):
    page = owner.get(f"policy/{policy_draft().number}/").content.decode()
    for field in policy_fields():
        label, help_text = label_of(field.path), help_of(field.path)
        assert label != field.path and help_text and "_" not in label + help_text
        assert f">{field.path}</code>" in page and label in page


def test_a_note_that_is_too_long_is_refused_and_kept_to_be_shortened(scoped, owner):
    draft = policy_draft(note="Short")
    sent = filled_in(owner.get(f"policy/{draft.number}/").content.decode())
    long = "word " * 80
    answer = owner.post(f"policy/{draft.number}/edit", {**sent, "note": long})
    assert answer.status_code == 400
    assert "A note may have 300 characters, this has 399." in text_of(answer)
    assert long.strip() in answer.content.decode()
    assert Version.objects.get().note == "Short"
