"""Whether the account behind a connection still counts in the current tenant."""

from __future__ import annotations

from datetime import datetime

from tenants.errors import SignInRequired
from tenants.logins import login_is_current, session_of
from tenants.models import EndUser, Membership
from tenants.selectors.members import check_two_factor
from tenants.selectors.people import membership_counts


def check_login(session_key: str, end_user: EndUser) -> datetime | None:
    """When the account's stay ends by itself (a support visit's does), else None.

    `end_user` is freshly read, with tenant and user. Raises `SignInRequired` where the login or the visit is over, or
    the end user is no longer the account's, and `TwoFactorRequired`.
    """
    user = end_user.user
    session = session_of(session_key)
    if user is None or not login_is_current(session, user):
        raise SignInRequired
    membership = Membership.objects.filter(user=user).first()
    if membership is not None and not membership_counts(membership):
        raise SignInRequired
    check_two_factor(end_user.tenant, user, session)
    return membership.until if membership is not None else None
