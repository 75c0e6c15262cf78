"""Somebody asks for their data, or to be forgotten: done on their page, asked first, with a receipt."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from conversations.models import Session, Turn
from tenants.models import AuditEntry, DataExport, EndUser, EndUserKind, Erasure, Membership
from tenants.scoping import tenant_scope
from tenants.services.data import data_serve
from tests.integration.admin_ui.rows import make_session

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada(scoped):
    """With one conversation; somebody else has one too."""
    make_session(turns=1, who="somebody-else")
    session = make_session(turns=2, who="ada-device")
    person = session.end_user
    EndUser.objects.filter(pk=person.pk).update(name="Ada", kind=EndUserKind.IDENTIFIED)
    person.refresh_from_db()
    return person


@pytest.fixture
def admin(scoped, browser):
    return browser(scoped, "admin")


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_the_way_leads_from_people_to_what_there_is_of_one(ada, admin):
    assert f"{ada.pk}" in admin.get("access/people/").content.decode()
    seen = admin.get(f"access/seen/?as=end-user:{ada.pk}").content.decode()
    assert f"/console/data/people/{ada.pk}/" in seen
    conversation = Session.objects.get(end_user=ada)
    assert (
        f"/console/data/people/{ada.pk}/" in admin.get(f"conversations/{conversation.pk}/").content.decode()
    )
    page = text_of(admin.get(f"data/people/{ada.pk}/"))
    assert "Data of Ada" in page and "1 conversation " in page and "Erase" in page and "None yet." in page


def test_a_member_is_reached_from_the_list_of_members(scoped, browser, admin):
    user = Membership.objects.get().user
    admin.get("")
    assert f"access/seen/?as=member:{user.pk}" in admin.get("members/").content.decode()
    person, _ = EndUser.objects.get_or_create(
        user=user, defaults={"subject": f"user:{user.pk}", "kind": "member"}
    )
    seen = admin.get(f"access/seen/?as=member:{user.pk}").content.decode()
    assert f"data/people/{person.pk}/" in seen
    assert "membership stay" in text_of(admin.get(f"data/people/{person.pk}/erase"))


def test_an_archive_of_one_person_is_made_and_fetched(ada, admin):
    for _ in range(2):
        assert admin.post(f"data/people/{ada.pk}/archive").status_code == 302
    made = DataExport.objects.get()
    assert (made.subject, made.requested_by.email) == (
        ada.subject,
        AuditEntry.objects.latest("seq").actor_label,
    )
    assert "being made" in text_of(admin.get(f"data/people/{ada.pk}/"))
    data_serve()
    assert f"data/archives/{made.pk}/file" in admin.get(f"data/people/{ada.pk}/").content.decode()
    answer = admin.get(f"data/archives/{made.pk}/file")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert "manifest.json" in archive.namelist()
    assert AuditEntry.objects.latest("seq").action == "export.downloaded"
    assert admin.post(f"data/archives/{made.pk}/delete").status_code == 302
    assert not DataExport.objects.exists()


def test_of_everything_it_is_made_on_the_page_of_data(scoped, admin):
    assert "data/archives/new" in admin.get("data/").content.decode()
    admin.post("data/archives/new")
    made = DataExport.objects.get()
    assert made.subject == "" and "Of everything being made, 0 %" in text_of(admin.get("data/"))
    early = admin.get(f"data/archives/{made.pk}/file")
    assert early.status_code == 302, "it is not ready, and the page says so"


def test_erasing_asks_first_and_shows_its_receipt(ada, admin):
    asked = text_of(admin.get(f"data/people/{ada.pk}/erase"))
    assert "1 conversation of Ada" in asked and "cannot be undone" in asked
    assert Erasure.objects.count() == 0 and Session.objects.count() == 2
    told = admin.post(f"data/people/{ada.pk}/erase")
    receipt = Erasure.objects.get()
    assert told.headers["Location"].endswith(f"/console/data/erasures/{receipt.pk}/")
    waiting = admin.get(f"data/erasures/{receipt.pk}/").content.decode()
    assert 'hx-trigger="every 2s"' in waiting and "Waiting for a worker" in waiting
    assert "They are being erased" in text_of(admin.get(f"data/people/{ada.pk}/"))
    data_serve()
    part = admin.get(f"data/erasures/{receipt.pk}/?part=receipt")
    page = text_of(part)
    assert "hx-trigger" not in part.content.decode() and "<html" not in part.content.decode()
    assert "1 conversation · 2 messages" in page and "1 person" in page
    assert "Ada" not in page and str(ada.pk) not in part.content.decode() and ada.subject not in page
    assert Session.objects.count() == 1 and Turn.objects.count() == 1
    assert f"data/erasures/{receipt.pk}/" in admin.get("data/").content.decode()
    assert admin.get(f"data/people/{ada.pk}/").status_code == 404
    assert AuditEntry.objects.filter(action="end_user.erased", target=str(receipt.pk)).exists()


@pytest.mark.parametrize("role", ["editor", "analyst"])
def test_other_roles_are_offered_nothing_of_it(scoped, browser, ada, role):
    member = browser(scoped, role)
    if role == "editor":
        assert "Their data" not in member.get(f"access/seen/?as=end-user:{ada.pk}").content.decode()
    for path in (f"data/people/{ada.pk}/", f"data/people/{ada.pk}/erase"):
        assert member.get(path).status_code == 403
    assert member.post(f"data/people/{ada.pk}/erase").status_code == 403
    conversation = Session.objects.get(end_user=ada)
    assert "data/people/" not in member.get(f"conversations/{conversation.pk}/").content.decode()
    assert Erasure.objects.count() == 0


def test_the_rivals_people_and_receipts_are_not_here(scoped, rival, ada, browser):
    theirs = browser(rival, "owner")
    for path in (f"data/people/{ada.pk}/", f"data/people/{ada.pk}/erase"):
        assert theirs.get(path).status_code == 404
    assert theirs.post(f"data/people/{ada.pk}/erase").status_code == 404
    with tenant_scope(rival.pk):
        assert Erasure.objects.count() == 0
