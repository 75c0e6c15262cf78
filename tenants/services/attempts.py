"""How often somebody may try: passwords, codes and mails, by account and by network address.

An attempt is counted before it is made and given back when it succeeds. What is unknown is counted like what is known,
so that being refused says nothing about who has an account. Where Valkey is out of reach attempts are let through:
each still costs an Argon2 hash, and nobody is locked out by a fault of ours.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from valkey.exceptions import ValkeyError

from tenants.adapters.attempts import Counter, attempt_count, attempt_return, attempts_forget
from tenants.errors import TooManyAttempts

log = logging.getLogger(__name__)
MINUTE, HOUR = 60, 3600


def sign_in_counters(*, email: str, address: str) -> tuple[Counter, ...]:
    """Five wrong passwords for one account from one address; more from everywhere, so that nobody locks others out."""
    account = email.strip().lower()
    return (
        Counter("sign-in", f"{account} {address}", most=5, seconds=5 * MINUTE),
        Counter("sign-in-account", account, most=40, seconds=HOUR),
        _address("sign-in", address, most=60, seconds=10 * MINUTE),
    )


def code_counters(*, user_id: int) -> tuple[Counter, ...]:
    """Codes of the second factor, and passwords asked for once more."""
    return (Counter("code", str(user_id), most=5, seconds=5 * MINUTE),)


def mail_counters(*, email: str, address: str) -> tuple[Counter, ...]:
    """Mails with a link to set a new password."""
    return (
        Counter("mail", email.strip().lower(), most=3, seconds=HOUR),
        _address("mail", address, most=20, seconds=HOUR),
    )


def invitation_counters(*, tenant_id: object) -> tuple[Counter, ...]:
    return (Counter("invitation", str(tenant_id), most=200, seconds=24 * HOUR),)


def attempt(counters: Sequence[Counter]) -> None:
    """Count an attempt. Raises `TooManyAttempts` with the seconds to wait."""
    try:
        seconds = attempt_count(counters)
    except ValkeyError:
        log.exception("attempts are not counted")
        return
    if seconds:
        raise TooManyAttempts(wait=in_words(seconds), retry_after=max(1, round(seconds)))


def attempt_succeeded(counters: Sequence[Counter]) -> None:
    """Forget the wrong attempts of this account; the address keeps its others."""
    with suppress(ValkeyError):
        for counter in counters:
            if counter.name.endswith("-address"):
                attempt_return(counter)
            else:
                attempts_forget(counter)


@contextmanager
def attempting(counters: Sequence[Counter]) -> Iterator[None]:
    """What is tried inside counts as an attempt, unless it ends without an exception."""
    attempt(counters)
    yield
    attempt_succeeded(counters)


def in_words(seconds: float) -> str:
    """`40 seconds`, `3 minutes`, rounded up."""
    if seconds <= 90:
        whole = max(1, round(seconds))
        return f"{whole} second{'' if whole == 1 else 's'}"
    return f"{-(-int(seconds) // MINUTE)} minutes"


def _address(name: str, address: str, *, most: int, seconds: int) -> Counter:
    return Counter(f"{name}-address", address, most=most, seconds=seconds)
