"""Whether the person behind a connection still counts in the current tenant."""

from __future__ import annotations

from datetime import datetime

from tenants.errors import IdentityRequired, SignInRequired, TenantSuspended
from tenants.logins import login_is_current, session_of
from tenants.models import EndUser, EndUserKind, Membership
from tenants.selectors.members import check_two_factor
from tenants.selectors.people import membership_counts


def check_person(end_user: EndUser, *, login: str | None) -> datetime | None:
    """When their stay ends by itself (a support visit's does), else None.

    `end_user` is freshly read, with tenant and user; `login` is the key of the session they are signed in with, empty
    where it is not theirs, None for who came without. Raises `TenantSuspended`; `IdentityRequired` where visitors may
    not chat; `SignInRequired` where the login or the visit is over, or the end user is no longer the account's; and
    `TwoFactorRequired`.
    """
    if end_user.tenant.suspended_at is not None:
        raise TenantSuspended
    if login is not None:
        return _check_login(login, end_user)
    if end_user.kind == EndUserKind.ANONYMOUS and not end_user.tenant.anonymous_chat:
        raise IdentityRequired
    return None


def _check_login(session_key: str, end_user: EndUser) -> datetime | None:
    user = end_user.user
    session = session_of(session_key)
    if user is None or not login_is_current(session, user):
        raise SignInRequired
    membership = Membership.objects.filter(user=user).first()
    if membership is not None and not membership_counts(membership):
        raise SignInRequired
    check_two_factor(end_user.tenant, user, session)
    return membership.until if membership is not None else None
