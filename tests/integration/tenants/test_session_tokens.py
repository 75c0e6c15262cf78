"""Session tokens: bound to tenant, person, widget, identity key and login, and over when one of these is."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module

import pytest
from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY

from kernel.clock import now
from tenants.errors import (
    IdentityRequired,
    SessionTokenExpired,
    SessionTokenRefused,
    SignInRequired,
    TenantSuspended,
    WidgetKeyRevoked,
)
from tenants.models import EndUser, User
from tenants.scoping import tenant_scope
from tenants.services import end_user_for_account, end_user_for_device, session_tokens
from tenants.services.identities import identity_accept, identity_key_retire, identity_key_revoke
from tenants.services.session_tokens import (
    session_token_check,
    session_token_issue,
    session_token_read,
    session_token_renew,
)
from tenants.services.widget_keys import widget_key_create, widget_key_revoke, widget_key_visitors_set
from tests.integration.tenants.signing import claims, signer

pytestmark = pytest.mark.django_db


@pytest.fixture
def widget(scoped):
    return widget_key_create(name="Reading room")


@pytest.fixture
def visitor(scoped):
    return end_user_for_device(device="one")


@pytest.fixture
def later(monkeypatch):
    """Lets time pass for tokens."""

    def passed(**time):
        moment = now() + timedelta(**time)
        monkeypatch.setattr(session_tokens, "now", lambda: moment)

    return passed


def known(tenant, **changes):
    return identity_accept(token=signer(kid=f"k{EndUser.objects.count()}").sign(claims(tenant, **changes)))


def test_it_says_who_through_which_widget_until_when(visitor, widget):
    issued = session_token_issue(end_user=visitor, widget_key=widget)
    token = session_token_read(issued.text)
    assert (token.end_user, token.widget_key, token.identity_key, token.login) == (
        visitor.pk,
        widget.pk,
        None,
        "",
    )
    assert abs(token.expires_at - now() - timedelta(hours=1)) < timedelta(seconds=5)
    assert session_token_check(token) == visitor


def test_its_text_can_stand_in_a_subprotocol_and_a_header(visitor, widget):
    text = session_token_issue(end_user=visitor, widget_key=widget, login="x" * 40).text
    assert text.startswith("st_") and text.isascii() and not set(text) & set(' "(),/:;<=>?@[\\]{}')


@pytest.mark.parametrize(
    "change",
    [
        lambda t: "", lambda t: "st_", lambda t: t[3:], lambda t: t[:-1], lambda t: t + "A", lambda t: t + "\n",
        lambda t: t.upper(), lambda t: t.replace(".", ":", 1), lambda t: "st_" + "é" * 9, lambda t: t * 40,
        lambda t: "st_." + t[3:], lambda t: t.partition(".")[0],
    ],
)  # fmt: skip
def test_a_changed_one_is_refused(visitor, widget, change):
    text = session_token_issue(end_user=visitor, widget_key=widget).text
    with pytest.raises(SessionTokenRefused) as error:
        session_token_read(change(text))
    assert error.value.code == "session_token_refused"


def test_the_rival_can_do_nothing_with_it(visitor, widget, rival):
    issued = session_token_issue(end_user=visitor, widget_key=widget)
    with tenant_scope(rival.pk):
        with pytest.raises(SessionTokenRefused):
            session_token_read(issued.text)
        with pytest.raises(SessionTokenRefused):
            session_token_check(issued.token)


def test_it_ends_after_an_hour(visitor, widget, later):
    issued = session_token_issue(end_user=visitor, widget_key=widget)
    later(minutes=59)
    assert session_token_check(session_token_read(issued.text)) == visitor
    later(minutes=61)
    for late in (lambda: session_token_read(issued.text), lambda: session_token_check(issued.token)):
        with pytest.raises(SessionTokenExpired):
            late()


def test_a_visitors_can_be_renewed_as_long_as_it_is_used(visitor, widget, later):
    issued = session_token_issue(end_user=visitor, widget_key=widget)
    later(hours=30)
    renewed = session_token_renew(token=issued.token)
    assert session_token_check(session_token_read(renewed.text)) == visitor
    assert renewed.token.widget_key == widget.pk


def test_an_identitys_must_be_vouched_for_again_after_a_day(scoped, widget, later):
    identity = known(scoped)
    issued = session_token_issue(end_user=identity.end_user, widget_key=widget, identity_key=identity.key)
    later(hours=23, minutes=30)
    renewed = session_token_renew(token=issued.token)
    assert renewed.token.expires_at == issued.token.began_at + timedelta(hours=24)
    later(hours=24, minutes=1)
    for token in (issued.token, renewed.token):
        with pytest.raises(SessionTokenExpired):
            session_token_renew(token=token)


def test_it_ends_with_its_widget(visitor, widget):
    issued = session_token_issue(end_user=visitor, widget_key=widget)
    other = session_token_issue(end_user=visitor, widget_key=widget_key_create(name="Other"))
    widget_key_revoke(key_id=widget.pk)
    with pytest.raises(WidgetKeyRevoked):
        session_token_check(issued.token)
    assert session_token_check(other.token) == visitor


def test_it_ends_with_the_key_of_its_identity_and_not_with_its_retirement(scoped, widget):
    identity, other = known(scoped), known(scoped, sub="reader-18")
    mine, theirs = (
        session_token_issue(end_user=one.end_user, widget_key=widget, identity_key=one.key).token
        for one in (identity, other)
    )
    identity_key_retire(key_id=identity.key.pk)
    assert session_token_check(mine) == identity.end_user
    identity_key_revoke(key_id=identity.key.pk)
    with pytest.raises(SessionTokenRefused):
        session_token_check(mine)
    assert session_token_check(theirs) == other.end_user


def test_it_ends_with_its_person(visitor, widget):
    issued = session_token_issue(end_user=visitor, widget_key=widget)
    visitor.delete()
    with pytest.raises(SessionTokenRefused):
        session_token_check(issued.token)


def test_it_ends_with_its_tenant(scoped, visitor, widget):
    issued = session_token_issue(end_user=visitor, widget_key=widget)
    scoped.suspended_at = now()
    scoped.save()
    with pytest.raises(TenantSuspended):
        session_token_check(issued.token)


def test_visitors_end_when_visitors_are_no_longer_welcome_and_known_people_stay(scoped, visitor, widget):
    identity = known(scoped)
    anonymous = session_token_issue(end_user=visitor, widget_key=widget).token
    vouched = session_token_issue(
        end_user=identity.end_user, widget_key=widget, identity_key=identity.key
    ).token
    widget_key_visitors_set(key_id=widget.pk, identified_only=True, one_time_identities=False)
    with pytest.raises(IdentityRequired):
        session_token_check(anonymous)
    assert session_token_check(vouched) == identity.end_user
    widget_key_visitors_set(key_id=widget.pk, identified_only=False, one_time_identities=False)
    assert session_token_check(anonymous) == visitor
    scoped.anonymous_chat = False
    scoped.save()
    with pytest.raises(IdentityRequired):
        session_token_check(anonymous)
    assert session_token_check(vouched) == identity.end_user


def login_of(user):
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session.save()
    return session


def test_one_of_a_login_counts_beside_that_login_only_and_ends_with_it(scoped):
    ann = User.objects.create_user("ann@acme.example", "x")
    end_user = end_user_for_account(user=ann)
    login, other = login_of(ann), login_of(ann)
    issued = session_token_issue(end_user=end_user, login=login.session_key)
    assert login.session_key not in issued.text
    assert session_token_check(issued.token, login=login.session_key) == end_user
    for shown in (None, "", other.session_key, issued.token.login):
        with pytest.raises(SignInRequired):
            session_token_check(issued.token, login=shown)
    login.flush()
    with pytest.raises(SignInRequired):
        session_token_check(issued.token, login=login.session_key)


def test_it_costs_one_query_to_check(visitor, widget, django_assert_num_queries):
    issued = session_token_issue(end_user=visitor, widget_key=widget)
    with django_assert_num_queries(1):
        session_token_check(issued.token)
