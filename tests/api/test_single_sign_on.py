"""Single sign-on by OpenID Connect, against a provider of our own: who gets in, and where that counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from tenants.models import EndUser, Membership, SignInProvider, User
from tenants.scoping import tenant_scope
from tenants.sealing import seal
from tenants.services.providers import ProviderInput, provider_remove, provider_save
from tests.api.conftest import PASSWORD
from tests.api.signing import fresh, letters  # noqa: F401
from tests.fakes.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIDProvider, openid_provider

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh", "letters")]
ADA = {"sub": "ada-1", "email": "ada@acme.example", "email_verified": True, "name": "Ada"}


@pytest.fixture(scope="module")
def running() -> Iterator[OpenIDProvider]:
    with openid_provider() as provider:
        yield provider


@pytest.fixture
def issuer(running: OpenIDProvider, settings: Any) -> OpenIDProvider:
    settings.SIGN_IN_PRIVATE_ISSUERS = True
    running.person, running.spoil, running.userinfo_only = dict(ADA), "", False
    return running


@pytest.fixture
def offered(issuer: OpenIDProvider) -> Callable[..., SignInProvider]:
    """`offered(tenant)` is the provider as a way to sign in there."""

    def made(
        tenant: Any, *, domains: tuple[str, ...] = ("acme.example",), role: str = "analyst"
    ) -> SignInProvider:
        with tenant_scope(tenant.id):
            return SignInProvider.objects.create(
                slug="company",
                name="Company",
                issuer=issuer.url,
                client_id=CLIENT_ID,
                client_secret=seal(CLIENT_SECRET),
                email_domains=list(domains),
                default_role=role,
            )

    return made


def through(client: Any, row: SignInProvider, issuer: OpenIDProvider, **headers: Any) -> Any:
    """The whole way: to the provider and back."""
    begun = client.get(f"/account/with/{row.pk}/")
    assert begun.status_code == 302, begun.content
    back = issuer.authorise(begun.headers["Location"])
    return client.get(back.removeprefix("http://testserver/t/acme"), **headers)


def role_in(tenant: Any, email: str) -> str | None:
    with tenant_scope(tenant.id):
        found = Membership.objects.filter(user__email=email).first()
        return found.role if found else None


def refused(answer: Any, code: str) -> bool:
    return answer.status_code >= 400 and answer.json()["error"]["code"] == code


def test_whoever_is_new_joins_from_a_listed_domain(tenant, browser, issuer, offered):
    client, row = browser(tenant), offered(tenant)
    assert through(client, row, issuer).headers["Location"] == "/t/acme/chat/"
    assert role_in(tenant, "ada@acme.example") == "analyst"
    assert client.get("/console/", HTTP_ACCEPT="text/html").status_code == 200
    assert not User.objects.get(email="ada@acme.example").has_usable_password()


def test_the_button_is_on_its_own_tenants_page_only(tenant, rival, browser, offered):
    row = offered(tenant)
    assert str(row.pk) in browser(tenant).get("/login/").content.decode()
    assert "Company" not in browser(rival).get("/login/").content.decode()
    for path in (f"/account/with/{row.pk}/", f"/account/with/{row.pk}/back/?state=x&code=y"):
        assert refused(browser(rival).get(path), "sign_in_provider_unknown")


def test_an_address_of_another_domain_is_refused(tenant, browser, issuer, offered):
    row = offered(tenant)
    for email in ("ada@elsewhere.example", "ada@acme.example.evil.example", "ada@evil-acme.example"):
        issuer.person["email"] = email
        assert refused(through(browser(tenant), row, issuer), "sign_in_email_outside")
    assert not User.objects.exists() and not SocialAccount.objects.exists()


@pytest.mark.parametrize("verified", [False, None, "false", 0])
def test_an_account_is_never_taken_over_by_an_unconfirmed_address(
    tenant, browser, person, issuer, offered, verified
):
    owner = person(tenant, "ada@acme.example", "owner")
    issuer.person["email_verified"] = verified
    client = browser(tenant)
    assert refused(through(client, offered(tenant), issuer), "sign_in_email_unverified")
    assert client.get("/account/").status_code == 302
    assert not SocialAccount.objects.filter(user=owner).exists()


def test_a_confirmed_address_signs_its_member_in(tenant, browser, person, issuer, offered):
    owner = person(tenant, "ada@acme.example", "owner")
    client = browser(tenant)
    assert through(client, offered(tenant), issuer).status_code == 302
    assert role_in(tenant, "ada@acme.example") == "owner"
    assert client.get("/account/").wsgi_request.user.pk == owner.pk


def test_signing_in_at_one_tenant_gives_nothing_at_another(tenant, rival, browser, person, issuer, offered):
    """Whoever runs tenant A's provider can say anybody's address: it must not open tenant B, where they are owner."""
    victim = person(rival, "ada@acme.example", "owner")
    client = browser(tenant)
    assert through(client, offered(tenant), issuer).status_code == 302
    assert client.get("/account/").wsgi_request.user.pk == victim.pk
    at_rival = {"SCRIPT_NAME": "/t/rival"}
    console = client.get("/console/", HTTP_ACCEPT="text/html", **at_rival)
    assert console.status_code == 302 and "login" in console.headers["Location"]
    assert client.get("/account/", **at_rival).status_code == 302
    assert b"ada@acme.example" not in client.get("/chat/", **at_rival).content
    landing = client.get("/", SCRIPT_NAME="")
    assert b"Your workspaces" not in landing.content


def test_with_the_password_the_same_browser_is_somebody_everywhere_again(
    tenant, rival, browser, person, issuer, offered
):
    person(rival, "ada@acme.example", "owner")
    client = browser(tenant)
    through(client, offered(tenant), issuer)
    client.post("/login/", {"username": "ada@acme.example", "password": PASSWORD}, SCRIPT_NAME="/t/rival")
    assert client.get("/console/", HTTP_ACCEPT="text/html", SCRIPT_NAME="/t/rival").status_code == 200


@pytest.mark.parametrize(
    "path", ["/account/password/", "/account/two-factor/on/", "/account/recovery-codes/", "/account/again/"]
)
def test_such_a_login_changes_nothing_of_the_account(tenant, rival, browser, person, issuer, offered, path):
    person(rival, "ada@acme.example", "owner")
    client = browser(tenant)
    through(client, offered(tenant), issuer)
    assert refused(client.get(path), "sign_in_through_provider")
    assert refused(client.post(path, {}), "sign_in_through_provider")
    assert refused(client.post("/account/sign-ins/end-others"), "sign_in_through_provider")


def test_a_second_factor_that_is_set_up_is_asked_for(tenant, browser, person, issuer, offered):
    from tenants.sign_in.two_factor import TwoFactorAdapter

    owner = person(tenant, "ada@acme.example", "owner")
    secret = TwoFactorAdapter().encrypt("JBSWY3DPEHPK3PXP")
    Authenticator.objects.create(user=owner, type=Authenticator.Type.TOTP, data={"secret": secret})
    client = browser(tenant)
    assert through(client, offered(tenant), issuer).headers["Location"] == "/t/acme/account/code/"
    assert client.get("/account/").status_code == 302
    from tests.api.signing import code_of

    assert client.post("/account/code/", {"code": code_of("JBSWY3DPEHPK3PXP")}).status_code == 302
    assert b"Signed in with Company" in client.get("/account/").content, "still limited after the code"


def test_platform_staff_sign_in_with_their_password_only(tenant, browser, person, issuer, offered):
    person(tenant, "ada@acme.example", "owner")
    User.objects.update(is_staff=True)
    assert refused(through(browser(tenant), offered(tenant), issuer), "sign_in_password_only")


def test_without_domains_only_members_and_the_invited_sign_in(tenant, browser, person, issuer, offered):
    row = offered(tenant, domains=())
    assert refused(through(browser(tenant), row, issuer), "sign_in_not_invited")
    owner = person(tenant, "owner@acme.example", "owner")
    with tenant_scope(tenant.id):
        from tenants.services.invitations import invitation_create

        invitation_create(email="ada@acme.example", role="editor", by=Membership.objects.get(user=owner))
    assert through(browser(tenant), row, issuer).status_code == 302
    assert role_in(tenant, "ada@acme.example") == "editor"


def test_whoever_was_removed_does_not_come_back_by_signing_in(tenant, browser, person, issuer, offered):
    owner, row = person(tenant, "owner@acme.example", "owner"), offered(tenant)
    client = browser(tenant)
    through(client, row, issuer)
    with tenant_scope(tenant.id):
        from tenants.services.members import member_remove

        ada = Membership.objects.get(user__email="ada@acme.example")
        member_remove(membership_id=ada.pk, by=Membership.objects.get(user=owner))
        assert not EndUser.objects.filter(user__email="ada@acme.example").exists()
    assert client.get("/account/").status_code == 302, "the sign-in has ended"
    assert refused(through(browser(tenant), row, issuer), "sign_in_not_invited")


def test_the_same_subject_stays_the_same_person_when_the_address_changes(tenant, browser, issuer, offered):
    row = offered(tenant)
    through(browser(tenant), row, issuer)
    issuer.person["email"] = "ada.lovelace@acme.example"
    client = browser(tenant)
    through(client, row, issuer)
    assert client.get("/account/").wsgi_request.user.email == "ada@acme.example"
    assert User.objects.count() == 1


@pytest.mark.parametrize("spoil", ["signature", "issuer", "audience", "expired", "algorithm", "unsigned"])
def test_a_token_that_is_not_right_signs_nobody_in(tenant, browser, issuer, offered, spoil):
    issuer.spoil = spoil
    client = browser(tenant)
    assert refused(through(client, offered(tenant), issuer), "sign_in_failed")
    assert client.get("/account/").status_code == 302 and not User.objects.exists()


def test_what_the_provider_says_of_another_subject_is_not_believed(tenant, browser, issuer, offered):
    issuer.userinfo_only, row = True, offered(tenant)
    issuer.spoil = "subject"
    assert refused(through(browser(tenant), row, issuer), "sign_in_failed")
    issuer.spoil = ""
    assert through(browser(tenant), row, issuer).status_code == 302


def test_an_answer_that_this_browser_did_not_ask_for_signs_nobody_in(tenant, browser, issuer, offered):
    row, victim, attacker = offered(tenant), browser(tenant), browser(tenant)
    back = issuer.authorise(attacker.get(f"/account/with/{row.pk}/").headers["Location"])
    answer = victim.get(back.removeprefix("http://testserver/t/acme"))
    assert answer.status_code >= 400 and victim.get("/account/").status_code == 302


def test_nobody_links_a_provider_to_somebody_elses_account(tenant, browser, person, issuer, offered):
    """allauth's process `connect` would link whoever the provider names to the account that is signed in."""
    ann = person(tenant, "ann@acme.example")
    row, client = offered(tenant), browser(tenant)
    client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    begun = client.get(f"/account/with/{row.pk}/?process=connect")
    client.get(issuer.authorise(begun.headers["Location"]).removeprefix("http://testserver/t/acme"))
    assert not SocialAccount.objects.filter(user=ann).exists()


def test_a_cancelled_sign_in_says_so(tenant, browser, offered):
    row, client = offered(tenant), browser(tenant)
    begun = client.get(f"/account/with/{row.pk}/").headers["Location"]
    state = begun.split("state=")[1].split("&")[0]
    answer = client.get(
        f"/account/with/{row.pk}/back/?error=access_denied&state={state}", HTTP_ACCEPT="text/html"
    )
    assert answer.status_code == 403 and b"cancelled" in answer.content


def test_a_private_address_is_not_asked(tenant, browser, issuer, offered, settings):
    row = offered(tenant)
    settings.SIGN_IN_PRIVATE_ISSUERS = False
    before = dict(issuer.asked)
    assert refused(browser(tenant).get(f"/account/with/{row.pk}/"), "sign_in_failed")
    assert issuer.asked == before


def test_removing_or_switching_off_a_provider_ends_what_came_through_it(
    tenant, browser, person, issuer, offered
):
    owner, row = person(tenant, "owner@acme.example", "owner"), offered(tenant)
    by_password, first = browser(tenant), browser(tenant)
    by_password.post("/login/", {"username": "owner@acme.example", "password": PASSWORD})
    through(first, row, issuer)
    wanted = ProviderInput(name="Company", issuer=issuer.url, client_id=CLIENT_ID, enabled=False)
    with tenant_scope(tenant.id):
        by = Membership.objects.get(user=owner)
        provider_save(wanted=wanted, by=by, probe=lambda address: None, provider_id=row.pk)
    assert first.get("/account/").status_code == 302
    assert refused(browser(tenant).get(f"/account/with/{row.pk}/"), "sign_in_provider_unknown")
    with tenant_scope(tenant.id):
        provider_remove(provider_id=row.pk, by=by)
        assert not SignInProvider.objects.exists()
    assert by_password.get("/account/").status_code == 200


def test_the_secret_is_sealed_and_kept_with_its_issuer(tenant, person, issuer):
    owner = person(tenant, "owner@acme.example", "owner")
    with tenant_scope(tenant.id):
        by = Membership.objects.get(user=owner)
        wanted = ProviderInput("Company", issuer.url, CLIENT_ID, CLIENT_SECRET, ("acme.example",))
        row = provider_save(wanted=wanted, by=by, probe=lambda address: None)
        assert CLIENT_SECRET not in row.client_secret
        from kernel.errors import Invalid

        moved = ProviderInput("Company", "https://evil.example", CLIENT_ID)
        with pytest.raises(Invalid, match="entered again"):
            provider_save(wanted=moved, by=by, probe=lambda address: None, provider_id=row.pk)
