"""The staff console: for platform staff alone, without a word of what tenants' people wrote, and all in the logs."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import set_script_prefix

from admin_ui.staff import urls
from admin_ui.staff.ports import MOST_PROBES, PROBE, SELFTEST, VERIFY, platform_register
from admin_ui.staff.running import followed, running, running_claim, running_release
from conversations.audits.records import AuditRun, Finding, LeakageCheckDay
from conversations.identity import Asker, check_asker
from kernel.clock import now
from retrieval.models import Corpus
from tenants.errors import TenantSuspended
from tenants.models import AuditEntry, Invitation, Membership, Tenant, User
from tenants.scoping import tenant_scope
from tenants.selectors.audit import audit_verify
from tenants.services import end_user_for_device
from tests.api.conftest import PASSWORD
from tests.api.signing import code_of, fresh, letters  # noqa: F401
from tests.integration.admin_ui.rows import make_document, make_session

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh", "letters")]
HTML = {"HTTP_ACCEPT": "text/html"}
SECRET = "the wombat sleeps in ward seven"


class Quiet:
    """A platform that notes what it was asked to start."""

    def __init__(self) -> None:
        self.started = []

    def start(self, kind, *, by, probes):
        self.started.append((kind, by, probes))

    def parts(self):
        return ()


@pytest.fixture
def platform():
    from config.staff import StaffPlatform

    quiet = Quiet()
    platform_register(quiet)
    yield quiet
    platform_register(StaffPlatform())
    for kind in (PROBE, SELFTEST, VERIFY):
        running_release(kind)


@pytest.fixture
def boss(db):
    return User.objects.create_user("boss@platform.example", PASSWORD, name="Bo", is_staff=True)


@pytest.fixture
def staff(boss, platform):
    client = Client(**HTML)
    client.force_login(boss)
    return client


def finding(tenant, **fields):
    with tenant_scope(tenant.pk):
        return Finding.objects.create(
            **{
                "kind": "tenant",
                "severity": "critical",
                "where": "answer",
                "turn": 3,
                "evidence": {"canary": "cnry1234…", "excerpt": f"{SECRET} cnry1234… {SECRET}"},
                "fingerprint": uuid4().hex,
                **fields,
            }
        )


def addresses(tenant, found) -> list[str]:
    """Every address of the staff console, read off the URL conf."""
    filled = {"tenant_id": str(tenant.pk), "finding_id": str(found.pk), "kind": SELFTEST}
    routes = {str(pattern.pattern) for pattern in [*urls.urlpatterns[1:], *urls.unfold_patterns]}
    return sorted("/staff/" + re.sub(r"<\w+:(\w+)>", lambda part: filled[part[1]], route) for route in routes)


def actions(tenant) -> list[AuditEntry]:
    with tenant_scope(tenant.pk):
        assert not audit_verify().broken
        return list(AuditEntry.objects.order_by("seq"))


@pytest.mark.parametrize("who", ["owner", "admin", "editor", "analyst", ""])
def test_whoever_is_not_staff_finds_nothing(tenant, person, platform, who):
    found = finding(tenant)
    client = Client(**HTML)
    client.force_login(person(tenant, "ann@acme.example", who))
    for address in addresses(tenant, found):
        for method in (client.get, client.post):
            answer = method(address)
            assert answer.status_code == 404, address
            assert b"taff" not in answer.content and b"Acme" not in answer.content, address
    assert platform.started == [] and Tenant.objects.get().suspended_at is None


def test_who_is_not_signed_in_is_asked_to(tenant, platform):
    found = finding(tenant)
    for address in addresses(tenant, found):
        for method in (Client(**HTML).get, Client(**HTML).post):
            answer = method(address)
            if address == "/staff/login/":
                assert answer.status_code == 200 and b"Acme" not in answer.content
            else:
                assert answer.status_code == 302 and answer.headers["Location"].startswith("/staff/login/"), (
                    address
                )
    assert platform.started == []


def test_staff_that_is_locked_out_is_nobody(boss, staff):
    User.objects.filter(pk=boss.pk).update(is_active=False)
    assert staff.get("/staff/").status_code == 302


def test_there_are_no_staff_pages_inside_a_tenant(tenant, boss, browser):
    client = browser(tenant)
    client.force_login(boss)
    assert client.get("/staff/", **HTML).status_code == 404
    assert client.get("/console/", **HTML).status_code == 403


def test_nothing_that_people_wrote_is_on_any_page(tenant, rival, staff, boss):
    with tenant_scope(tenant.pk):
        corpus = Corpus.objects.create(name=SECRET, slug="secret")
        make_document(corpus, f"{SECRET}, twice", state="queued")
        make_document(corpus, SECRET)
        session = make_session(turns=2, message=SECRET, answer=SECRET, query=SECRET, display=SECRET)
        session.title = SECRET
        session.save()
    found = finding(tenant, session=session)
    pages = [address for address in addresses(tenant, found) if not address.endswith("/file/")]
    seen = 0
    for address in [*pages, "/staff/?q=acme", "/staff/leakage/?state=confirmed"]:
        answer = staff.get(address, follow=True)
        if answer.status_code == 200:
            seen += 1
            text = answer.content.decode()
            assert SECRET not in text and "wombat" not in text, address
    assert seen >= 14
    page = staff.get(f"/staff/leakage/{tenant.pk}/{found.pk}/").content.decode()
    assert "••• •••••• •••••• •• •••• ••••• cnry1234… •••" in page


def test_the_overview_tells_how_alive_each_tenant_is(tenant, rival, staff, person):
    person(tenant, "ann@acme.example", "owner")
    with tenant_scope(tenant.pk):
        corpus = Corpus.objects.create(name="Wards", slug="wards")
        make_document(corpus, "Opening hours")
        make_session(turns=3)
    rows = re.findall(r"<tr>.*?</tr>", staff.get("/staff/").content.decode(), re.DOTALL)[1:]
    figures = {
        re.search(r"/t/(\w+)/", row)[1]: re.findall(r'<td data-label="[MDT][^"]*">(\d+)</td>', row)
        for row in rows
    }
    assert figures == {"acme": ["1", "1", "3"], "rival": ["0", "0", "0"]}


def test_tenants_are_found_by_a_part_of_their_name(tenant, rival, staff):
    page = staff.get("/staff/?q=cme").content
    assert b"/t/acme/" in page and b"/t/rival/" not in page
    assert b"No tenant like this" in staff.get("/staff/?q=zzz").content
    assert b"No tenant like this" in staff.get("/staff/?state=suspended").content


def test_the_list_is_turned_page_by_page_and_costs_the_same_on_each(staff, django_assert_max_num_queries):
    for n in range(45):
        Tenant.objects.create(slug=f"hotel-{n:02}", name=f"Hotel {n:02}")
    seen, address = [], "/staff/"
    for _ in range(3):
        with django_assert_max_num_queries(20):  # of them 3 for each kind of run
            page = staff.get(address).content.decode()
        seen.append(re.findall(r"/t/hotel-(\d\d)/", page))
        following = re.search(r'rel="next" href="([^"]+)"', page)
        address = "/staff/" + following[1].replace("&amp;", "&") if following else ""
    assert [len(part) for part in seen] == [20, 20, 5] and not address
    assert len({slug for part in seen for slug in part}) == 45
    back = re.search(r'rel="prev" href="([^"]+)"', page)[1].replace("&amp;", "&")
    assert re.findall(r"/t/hotel-(\d\d)/", staff.get("/staff/" + back).content.decode()) == seen[1]


def test_a_tenant_is_opened_and_its_owner_comes_in_by_a_letter(staff, letters, browser):  # noqa: F811
    form = {"name": "Meadow Hospital", "slug": "meadow", "owner": "ada@meadow.example"}
    answer = staff.post("/staff/tenants/new/", form)
    meadow = Tenant.objects.get(slug="meadow")
    assert answer.headers["Location"] == f"/staff/tenants/{meadow.pk}/"
    assert letters[0].to == ["ada@meadow.example"] and "/t/meadow/invitation/" in letters[0].body
    token = re.search(r"/t/meadow(/invitation/\S+)", letters[0].body)[1]
    assert [(e.action, e.actor, e.actor_label) for e in actions(meadow)] == [
        ("tenant.created", "staff", "boss@platform.example"),
        ("invitation.created", "staff", "boss@platform.example"),
    ]
    client = browser(meadow)
    assert client.post(token, {"name": "Ada", "password": "a lantern by the river"}).status_code == 302
    set_script_prefix("/")
    with tenant_scope(meadow.pk):
        assert [(m.user.email, m.role) for m in Membership.objects.select_related("user")] == [
            ("ada@meadow.example", "owner")
        ]
    assert b"ada@meadow.example" in staff.get(f"/staff/tenants/{meadow.pk}/").content


@pytest.mark.parametrize(
    "wrong", [{"slug": "acme"}, {"slug": "-x"}, {"slug": "selftest-x"}, {"name": " "}, {"owner": "nobody"}]
)
def test_a_tenant_that_cannot_be_opened_leaves_nothing_behind(tenant, staff, wrong):
    form = {"name": "Meadow", "slug": "meadow", "owner": "ada@meadow.example", **wrong}
    assert staff.post("/staff/tenants/new/", form).status_code >= 400
    assert Tenant.objects.count() == 1 and not User.objects.filter(email="ada@meadow.example").exists()


def test_an_owner_is_invited_once_more_and_the_first_link_ends(tenant, staff, letters):  # noqa: F811
    for _ in range(2):
        staff.post(f"/staff/tenants/{tenant.pk}/invite", {"owner": "ada@acme.example"})
    with tenant_scope(tenant.pk):
        assert Invitation.objects.filter(revoked_at=None).count() == 1 and Invitation.objects.count() == 2
    assert len(letters) == 2


def test_suspending_asks_first_and_for_a_reason(tenant, staff):
    address = f"/staff/tenants/{tenant.pk}/suspend/"
    assert b"audit log" in staff.get(address).content
    assert b"Write down why" in staff.post(address, {"reason": " "}).content
    assert Tenant.objects.get().suspended_at is None
    assert staff.post(address, {"reason": "The bill of May"}).status_code == 302
    entry = actions(tenant)[-1]
    assert (entry.action, entry.actor, entry.data) == (
        "tenant.suspended",
        "staff",
        {"reason": "The bill of May"},
    )
    assert "The bill of May" in staff.get(f"/staff/tenants/{tenant.pk}/").content.decode()


def test_a_suspended_tenant_is_refused_at_every_door_and_comes_back(tenant, rival, staff, browser, person):
    person(tenant, "ann@acme.example", "owner")
    client = browser(tenant)
    client.force_login(User.objects.get(email="ann@acme.example"))
    assert client.get("/console/", **HTML).status_code == 200
    with tenant_scope(tenant.pk):
        visitor = Asker(tenant, end_user_for_device(device="d"), None)
        check_asker(visitor)
    set_script_prefix("/")
    staff.post(f"/staff/tenants/{tenant.pk}/suspend/", {"reason": "The bill"})
    set_script_prefix("/t/acme/")
    for address in ("/console/", "/chat/", "/login/", "/api/v1/documents"):
        assert client.get(address).json()["error"]["code"] == "tenant_suspended", address
    with tenant_scope(tenant.pk), pytest.raises(TenantSuspended):
        check_asker(visitor)
    assert browser(rival).get("/chat/", **HTML).status_code == 200
    set_script_prefix("/")
    staff.post(f"/staff/tenants/{tenant.pk}/resume/", {"reason": "It is paid"})
    set_script_prefix("/t/acme/")
    assert client.get("/console/", **HTML).status_code == 200
    assert [entry.action for entry in actions(tenant)][-2:] == ["tenant.suspended", "tenant.resumed"]


def test_quotas_are_agreed_and_in_the_log(tenant, staff):
    form = {"turns_per_day": "1,500", "documents": "none", "storage_bytes": ""}
    staff.post(f"/staff/tenants/{tenant.pk}/quotas", form)
    assert Tenant.objects.get().quotas == {"turns_per_day": 1500, "documents": None}
    staff.post(f"/staff/tenants/{tenant.pk}/quotas", {"turns_per_day": "many"})
    assert Tenant.objects.get().quotas == {"turns_per_day": 1500, "documents": None}
    changed = [entry for entry in actions(tenant) if entry.action == "quotas.changed"]
    assert len(changed) == 1 and changed[0].actor == "staff"
    page = staff.get(f"/staff/tenants/{tenant.pk}/", **HTML).content.decode()
    assert (
        "<strong>Quotas changed</strong>" in page
        and "messages of today: the platform’s default → 1,500" in page
    )


def test_a_quota_that_would_stop_something_is_asked_about_first(tenant, staff):
    address = f"/staff/tenants/{tenant.pk}/quotas"
    with tenant_scope(tenant.pk):
        corpus = Corpus.objects.create(name="Wards", slug="wards")
        for title in ("Opening hours", "Visits"):
            make_document(corpus, title)
    form = {"turns_per_day": "0", "documents": "2", "visits_per_minute": "60"}
    asked = staff.post(address, form)
    page = " ".join(asked.content.decode().split())
    assert asked.status_code == 200 and not Tenant.objects.get().quotas
    assert "Messages of today: 0</b>. Every message is refused" in page
    assert "Documents: 2</b> (2 used). Nothing new can be uploaded" in page and "Chats opened" not in page
    kept = dict(re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', page))
    kept.pop("csrfmiddlewaretoken", None)
    assert kept == form and 'name="sure" value="yes"' in page
    assert staff.post(address, {**kept, "sure": "yes"}).status_code == 302
    assert Tenant.objects.get().quotas == {"turns_per_day": 0, "documents": 2, "visits_per_minute": 60}
    assert "Every message is refused" in staff.get(f"/staff/tenants/{tenant.pk}/").content.decode()
    assert staff.post(address, {**form, "visits_per_minute": "30"}).status_code == 302, (
        "it is stopped already"
    )


def test_a_finding_is_judged_with_a_note_and_an_owner(tenant, rival, staff, boss):
    found, other = finding(tenant), finding(rival)
    address = f"/staff/leakage/{tenant.pk}/{found.pk}/"
    staff.post(address, {"state": "confirmed", "note": ""})
    staff.post(address, {"state": "confirmed", "note": "x", "owner": "999999"})
    staff.post(address, {"state": "nonsense", "note": "x"})
    with tenant_scope(tenant.pk):
        assert Finding.objects.get().note in ("", "x")
    staff.post(address, {"state": "dismissed", "note": "A test of ours", "owner": str(boss.pk)})
    with tenant_scope(tenant.pk):
        judged = Finding.objects.get()
        assert (judged.state, judged.note, judged.owner) == ("dismissed", "A test of ours", boss)
    entry = actions(tenant)[-1]
    assert (entry.action, entry.actor, entry.target) == ("finding.dismissed", "staff", str(found.pk))
    assert entry.data == {"severity": "critical", "note": "A test of ours", "owner": boss.email}
    with tenant_scope(rival.pk):
        assert Finding.objects.get().state == "open"
    assert staff.get(f"/staff/leakage/{tenant.pk}/{other.pk}/").status_code == 404


def test_zero_findings_are_shown_with_what_stands_behind_them(tenant, rival, staff):
    assert "nothing was checked yet" in staff.get("/staff/leakage/").content.decode()
    for owner, checks in ((tenant, 40), (rival, 2)):
        with tenant_scope(owner.pk):
            LeakageCheckDay.objects.create(day=now().date(), kind="texts", checks=checks)
    with tenant_scope(tenant.pk):
        LeakageCheckDay.objects.create(day=now().date() - timedelta(days=3), kind="passages", checks=8)
    page = " ".join(staff.get("/staff/leakage/").content.decode().split())
    assert "50 checks on 2 of 30 days" in page and "50 checks of 2 days stand behind this" in page


def test_findings_of_all_tenants_are_listed_gravest_first(tenant, rival, staff):
    finding(tenant, severity="low")
    finding(rival, severity="critical")
    finding(rival, severity="high", state="resolved")
    page = staff.get("/staff/leakage/").content.decode()
    assert re.findall(r"<small>(Acme|Rival) ·", page) == ["Rival", "Acme"]
    assert (
        len(re.findall(r"<small>Rival ·", staff.get("/staff/leakage/?state=resolved").content.decode())) == 1
    )


@pytest.mark.parametrize("kind", [PROBE, SELFTEST, VERIFY])
def test_a_run_is_queued_once(staff, platform, kind):
    for probes in (str(10**7), "5"):
        staff.post(f"/staff/runs/{kind}/start", {"probes": probes})
    assert platform.started == [(kind, "boss@platform.example", MOST_PROBES)]
    part = staff.get(f"/staff/runs/{kind}/state")
    assert b"Waiting for a worker" in part.content and "HX-Refresh" not in part.headers


def test_a_run_that_cannot_be_queued_is_not_waited_for(staff, platform, monkeypatch):
    def fails(kind, **more):
        raise OSError("no broker")

    monkeypatch.setattr(platform, "start", fails)
    assert b"could not be queued" in staff.post(f"/staff/runs/{VERIFY}/start", follow=True).content
    assert running(VERIFY) is None


def test_the_end_of_a_run_has_the_page_loaded_anew(staff):
    assert running_claim(SELFTEST, by="boss@platform.example")
    with followed(SELFTEST, by="boss@platform.example") as report:
        assert b"Starting" in staff.get(f"/staff/runs/{SELFTEST}/state").content
        report("checks", 7, 40)
        assert b"7 of 40 checks" in staff.get(f"/staff/runs/{SELFTEST}/state").content
    assert staff.get(f"/staff/runs/{SELFTEST}/state").headers["HX-Refresh"] == "true"


def test_a_run_that_breaks_off_says_so(staff):
    with pytest.raises(ZeroDivisionError), followed(SELFTEST, by="boss@platform.example"):
        raise ZeroDivisionError
    assert b"broke off (ZeroDivisionError)" in staff.get("/staff/isolation/").content
    assert running(SELFTEST) is None


def test_what_the_last_self_test_saw_is_shown_with_its_age(staff):
    checks = [
        {"name": "raw SQL", "passed": True, "evidence": "30 tables refused"},
        {"name": "guessed keys", "passed": False, "evidence": "a key was read"},
    ]
    at = now() - timedelta(days=3)
    report = {"checks": checks, "passed": 1, "failed": 1}
    AuditRun.objects.create(kind=SELFTEST, report=report, failed=1, started_at=at, finished_at=at)
    page = staff.get("/staff/isolation/").content.decode()
    assert "1 of 2 checks failed" in page and "3 days ago" in page and "older than two days" in page
    assert "30 tables refused" in page and "a key was read" in page


def test_all_logs_are_verified_in_the_background(tenant, rival, staff):
    from config.tasks import audit_start

    audit_start(VERIFY, "boss@platform.example", 0)
    page = " ".join(staff.get("/staff/audit-logs/").content.decode().split())
    assert "All 2 logs are whole" in page and "by boss@platform.example" in page


def test_a_broken_log_is_named(tenant, rival, staff):
    from config.tasks import audit_start
    from tenants.models import AuditHead

    with tenant_scope(tenant.pk):
        AuditHead.objects.update(hash="0" * 64)
    audit_start(VERIFY, "boss@platform.example", 0)
    page = " ".join(staff.get("/staff/audit-logs/").content.decode().split())
    assert "1 of 2 logs are broken" in page and page.index("<strong>Acme") < page.index("<strong>Rival")
    assert AuditRun.objects.get().failed == 1


def test_health_names_what_waits_by_tenant(tenant, rival, staff):
    with tenant_scope(tenant.pk):
        corpus = Corpus.objects.create(name="Wards", slug="wards")
        make_document(corpus, "Opening hours", state="queued")
    page = staff.get("/staff/health/").content.decode()
    assert ">Acme</a>" in page and ">Rival</a>" not in page


def test_every_part_is_asked(boss, stack):
    from config.staff import StaffPlatform

    parts = {part.name: part for part in StaffPlatform().parts()}
    assert parts["Database"].works and parts["Valkey"].works and parts["Queue"].works
    assert parts["Workers"].works is False and "start one" in parts["Workers"].note


def test_a_queue_of_a_broker_of_its_own_is_not_looked_for_in_valkey(settings):
    from config.staff import _queue

    settings.CELERY_BROKER_URL = "amqp://127.0.0.1:1//"
    assert _queue().works is None and "broker" in _queue().note


def test_staff_sign_in_by_email_and_password(tenant, boss, person):
    person(tenant, "ann@acme.example", "owner")
    for email, right in (("ann@acme.example", False), ("boss@platform.example", True)):
        client = Client(**HTML)
        answer = client.post("/staff/login/?next=/staff/health/", {"username": email, "password": PASSWORD})
        assert (answer.status_code == 302) == right
        assert ("_auth_user_id" in client.session) == right
    assert answer.headers["Location"] == "/staff/health/"
    assert client.post("/staff/logout/").headers["Location"] == "/staff/login/"
    assert client.get("/staff/").status_code == 302


def test_nobody_is_led_away_after_signing_in(boss):
    form = {"username": "boss@platform.example", "password": PASSWORD, "next": "https://evil.example/"}
    assert Client().post("/staff/login/", form).headers["Location"] == "/staff/"


def test_wrong_passwords_are_counted(boss):
    client = Client(**HTML)
    for _ in range(5):
        client.post("/staff/login/", {"username": boss.email, "password": "wrong"})
    answer = client.post("/staff/login/", {"username": boss.email, "password": PASSWORD})
    assert b"Too many attempts" in answer.content


def test_a_second_factor_is_asked_for_where_there_is_one(boss, platform):
    client = Client(**HTML)
    client.post("/staff/login/", {"username": boss.email, "password": PASSWORD})
    page = client.get("/staff/account/two-factor/on/")
    key = re.search(rb'<code class="key">([A-Z2-7]+)</code>', page.content)[1].decode()
    answer = client.post("/staff/account/two-factor/on/", {"code": code_of(key)})
    assert answer.headers["Location"] == "/staff/account/recovery-codes/"
    assert client.get("/staff/account/recovery-codes/").status_code == 200
    again = Client(**HTML)
    answer = again.post("/staff/login/", {"username": boss.email, "password": PASSWORD})
    assert answer.headers["Location"] == "/staff/login/code/"
    assert again.get("/staff/").status_code == 302, "half signed in is not signed in"
    assert again.get("/staff/login/code/").status_code == 200
    assert again.post("/staff/login/code/", {"code": code_of(key, 1)}).headers["Location"] == "/staff/"
    assert again.get("/staff/").status_code == 200


def test_a_members_half_done_sign_in_finds_no_staff_page(tenant, boss, browser, person):
    from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

    TOTP.activate(person(tenant, "ann@acme.example", "owner"), generate_totp_secret())
    client = browser(tenant)
    answer = client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    assert answer.headers["Location"] == "/t/acme/account/code/"
    set_script_prefix("/")
    assert client.get("/staff/login/code/", SCRIPT_NAME="", **HTML).status_code == 404


def test_a_login_through_a_tenants_provider_is_no_staff_login(tenant, boss, platform):
    client = Client(**HTML)
    client.force_login(boss)
    session = client.session
    session["antecedent_login_limit"] = {"tenant": str(tenant.pk), "provider": str(uuid4())}
    session.save()
    assert client.get("/staff/").status_code == 302


def test_the_demonstration_has_one_account_of_staff(db):
    from config.demonstration import staff_load

    first, again = staff_load(), staff_load()
    assert first == again and User.objects.get(is_staff=True).check_password(first.password)


def test_a_tenant_that_is_not_there_is_a_page_that_says_so(staff):
    answer = staff.get(f"/staff/tenants/{uuid4()}/")
    assert answer.status_code == 404 and b"tenant" in answer.content
