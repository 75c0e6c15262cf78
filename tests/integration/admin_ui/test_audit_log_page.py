"""Owners and admins read the audit log in the console, verify it and take a copy away."""

from __future__ import annotations

import json
import re
from itertools import count

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from admin_ui.selectors import audit_log as read
from retrieval import services
from tenants.acting import Actor, acting_as
from tenants.models import AuditEntry
from tenants.scoping import tenant_scope
from tenants.services.audiences import audience_delete, audience_open
from tenants.services.audit import audit_record
from tenants.services.quotas import quotas_set
from tenants.services.versions import version_draft, version_edit
from tests.integration.admin_ui.rows import make_document

pytestmark = pytest.mark.django_db
ADA = Actor("user", "7", "ada@library.example")


def text_of(answer) -> str:
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def numbers(answer) -> list[int]:
    return [int(n) for n in re.findall(r'id="entry-(\d+)"', answer.content.decode())]


@pytest.fixture
def admin(scoped, browser):
    return browser(scoped, "admin")


@pytest.fixture
def lent(scoped):
    with acting_as(ADA):
        audit_record("membership.set", target="reader@library.example", before="analyst", role="editor")
        audit_record("key.created", target="k1", name="Catalogue", scopes=["read", "ingest"], expires_at=None)


@pytest.mark.parametrize("role", ["editor", "analyst"])
@pytest.mark.parametrize("path", ["audit-log/", "audit-log/download"])
def test_other_roles_do_not_read_it(scoped, browser, role, path):
    member = browser(scoped, role)
    assert member.get(path).status_code == 403
    assert member.post("audit-log/verify").status_code == 403
    assert "console/audit-log/" not in member.get("").content.decode()


@pytest.mark.parametrize("role", ["owner", "admin"])
def test_owners_and_admins_find_it_in_the_menu(scoped, browser, role):
    member = browser(scoped, role)
    assert "console/audit-log/" in member.get("").content.decode()
    assert member.get("audit-log/").status_code == 200


def test_an_entry_is_told_in_words(lent, admin):
    page = text_of(admin.get("audit-log/"))
    assert "Membership set" in page
    assert re.search(r"role analyst → became editor", page)
    assert "scopes ingest, read" in page or "scopes read, ingest" in page
    assert "ada@library.example" in page
    assert "expires at" not in page


def test_ids_are_told_by_the_names_they_stand_for(scoped, corpus, admin):
    wards = audience_open(name="Ward sisters")
    document = make_document(corpus, "Night rota")
    services.document_grant(document_id=document.pk, group_id=wards.group_id)
    services.corpus_grant(corpus_id=corpus.pk, group_id=wards.group_id)
    audit_record(
        "access.granted", may="view_document", to=[str(document.pk)], users=[], groups=[wards.group_id]
    )
    page = text_of(admin.get("audit-log/?action=access.granted"))
    assert "may see the document audience “Ward sisters” of “Night rota”" in page
    assert f"may see the corpus audience “Ward sisters” of “{corpus.name}”" in page
    assert "of “Night rota” may see the document audiences “Ward sisters”" in page
    audience_delete(audience_id=wards.pk)
    assert "audience one that is gone" in text_of(admin.get("audit-log/?action=access.granted"))


def test_names_cost_the_same_for_one_entry_as_for_many(scoped, corpus, admin):
    made = count()

    def grant(n: int) -> int:
        for name in (f"Rota {next(made)}" for _ in range(n)):
            document, readers = make_document(corpus, name), audience_open(name=name)
            services.document_grant(document_id=document.pk, group_id=readers.group_id)
        with CaptureQueriesContext(connection) as asked:
            admin.get("audit-log/")
        return len(asked)

    grant(1)
    assert grant(1) == grant(8)


def test_what_changed_in_a_version_is_told_setting_by_setting(scoped, admin):
    texts = {"path": "templates.user", "kind": "changed", "lines_added": 2, "lines_removed": 1}
    more = [{"path": f"budgets.b{n}", "kind": "added", "before": None, "after": n} for n in range(4)]
    window = {"path": "window", "kind": "changed", "before": 4, "after": 7}
    unsaid = {"path": "reply", "kind": "removed"}
    audit_record("version.edited", target="policy/scope/1", number=1, changes=[window, texts, unsaid, *more])
    page = text_of(admin.get("audit-log/"))
    assert "How many of the last turns 4 turns → became 7 turns" in page
    assert "How the conversation is laid before it 2 lines added, 1 line taken out" in page
    assert "Reply removed" in page
    assert "B1 not set → became 1" in page and "B2" not in page and "and 2 more" in page
    assert "kind: changed" not in page and "path" not in page


def test_a_changed_policy_is_told_before_and_after_in_the_words_of_its_page(scoped, admin):
    changes = [
        {"path": "strategy", "kind": "changed", "before": "hybrid", "after": "window"},
        {"path": "resume_after_seconds", "kind": "changed", "before": 7200, "after": 21600},
        {"path": "horizons.per_type.person", "kind": "added", "before": None, "after": [12, 30]},
        {"path": "single_valued", "kind": "changed", "before": ["place"], "after": ["place", "date"]},
    ]
    audit_record("version.published", target="policy/scope/2", number=2, changes=changes)
    page = text_of(admin.get("audit-log/"))
    assert "What of the conversation counts What is alive in the segment → became The last turns" in page
    assert "Begin afresh after a rest of 7,200 seconds (2 h) → became 21,600 seconds (6 h)" in page
    assert "Other times for single kinds of thing: person as all types → became 12 / 30" in page
    assert "Only one at a time place → became place, date" in page


def test_a_changed_prompt_is_told_by_what_its_page_calls_the_text(scoped, admin):
    system = {"path": "templates.system", "kind": "changed", "lines_added": 1, "lines_removed": 0}
    audit_record("version.edited", target="prompt/rewrite/1", number=1, changes=[system])
    assert "What the model is told 1 line added, 0 lines taken out" in text_of(admin.get("audit-log/"))


def test_a_real_edit_of_a_policy_is_told_so(scoped, admin):
    draft = version_draft(kind="policy", name="scope")
    window = draft.data["window"]
    version_edit(kind="policy", name="scope", number=draft.number, data={**draft.data, "window": window + 3})
    page = text_of(admin.get("audit-log/?action=version.edited"))
    assert f"How many of the last turns {window} turns → became {window + 3} turns" in page


def test_changed_quotas_are_told_one_by_one(scoped, admin):
    quotas_set(quotas={"turns_per_day": 1500, "documents": None})
    quotas_set(quotas={"turns_per_day": 0, "visits_per_minute": 60})
    page = text_of(admin.get("audit-log/?action=quotas.changed"))
    assert "messages of today 1,500 → became 0" in page
    assert "documents no limit → became the platform’s default" in page
    assert "chats opened from one network address in a minute the platform’s default → became 60" in page
    assert "messages of today the platform’s default → became 1,500" in page


def test_a_new_name_and_a_new_share_stand_with_the_old_ones(scoped, admin):
    audit_record("followup_set.changed", target="x", name="Wards", before="Beds")
    audit_record("version.staged", target="policy/scope/3", number=3, share=20, was=5, changes=[])
    page = text_of(admin.get("audit-log/"))
    assert "name Beds → became Wards" in page and "share 5 → became 20" in page


@pytest.mark.parametrize(
    ("action", "words"),
    [("what_if.started", "What-if replay started"), ("followup_set.created", "Follow-up set created")],
)
def test_actions_are_written_as_people_write_them(action, words):
    assert read.in_words(action) == words


@pytest.mark.parametrize(
    ("query", "shown"),
    [("action=key.created", {"Key created"}), ("who=ADA@lib", {"Key created", "Membership set"}),
     ("who=ada&action=membership.set", {"Membership set"}), ("who=nobody@x", set())],
)  # fmt: skip
def test_it_is_narrowed_by_action_and_actor(lent, admin, query, shown):
    html = admin.get(f"audit-log/?{query}").content.decode()
    assert set(re.findall(r"<strong>([^<]+)</strong>\s*<dl", html)) == shown


def test_a_kind_of_actor_narrows_it_too(lent, admin):
    page = admin.get("audit-log/?actor=system")
    assert "Key created" not in re.sub(r"<option.*?</option>", "", page.content.decode())
    assert numbers(page)


def test_pages_go_back_and_forth_without_a_gap(scoped, admin, monkeypatch):
    monkeypatch.setattr(read, "PER_PAGE", 4)
    for n in range(9):
        audit_record("corpus.changed", target=str(n))
    everything = list(AuditEntry.objects.order_by("-seq").values_list("seq", flat=True))
    first = numbers(admin.get("audit-log/"))
    second = numbers(admin.get(f"audit-log/?before={first[-1]}"))
    assert first + second == everything[:8]
    assert numbers(admin.get(f"audit-log/?after={second[0]}")) == first
    assert numbers(admin.get("audit-log/?before=²")) == first


def test_verifying_says_that_it_is_whole_and_gives_an_anchor(lent, admin):
    page = text_of(admin.post("audit-log/verify"))
    assert f"The log is whole: {AuditEntry.objects.count()} entries" in page
    assert AuditEntry.objects.order_by("-seq").first().hash in page


def test_verifying_finds_an_edited_entry(lent, admin):
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute("alter table tenants_auditentry disable trigger user")
        cursor.execute("update tenants_auditentry set target = 'k2' where target = 'k1'")
        cursor.execute("alter table tenants_auditentry enable trigger user")
    page = text_of(admin.post("audit-log/verify"))
    assert "The log is broken in 1 place" in page


def test_reading_the_address_of_the_form_verifies_nothing(admin):
    assert admin.get("audit-log/verify").status_code == 405


def test_the_copy_has_every_entry(lent, admin):
    answer = admin.get("audit-log/download")
    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, AuditEntry.objects.count() + 1))


def test_it_costs_no_more_with_more_entries(lent, admin):
    def cost() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert admin.get("audit-log/").status_code == 200
        return len([query for query in asked if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))])

    cost()  # the first page of a browser asks for more
    few = cost()
    for n in range(12):
        audit_record("corpus.changed", target=str(n))
    assert cost() == few
    assert few <= 12


def test_a_rival_neither_reads_nor_takes_it(scoped, rival, lent, browser):
    stranger = browser(scoped, "owner", member_of=rival)
    assert stranger.get("audit-log/").status_code == 403
    with tenant_scope(rival.pk):
        other = browser(rival, "owner")
        assert "ada@library.example" not in text_of(other.get("audit-log/"))
        assert b"ada@library" not in b"".join(other.get("audit-log/download").streaming_content)
