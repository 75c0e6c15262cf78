"""A chat frame comes in: who is asking, through which widget, and the tokens it goes on with."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import uuid4

from conversations.identity import Asker
from tenants.devices import device_of, device_token
from tenants.errors import IdentityRequired, SessionTokenRefused
from tenants.models import EndUser, Tenant, WidgetKey
from tenants.selectors.widget_keys import access_widget_key, check_origin
from tenants.services import end_user_for_device
from tenants.services.identities import identity_accept
from tenants.services.session_tokens import IssuedToken, session_token_issue, session_token_renew


@dataclass(frozen=True, slots=True)
class Knock:
    """What a frame shows: the widget's public key, the origin of the page around it, its identity and device.

    `host` is our own: a page of ours may embed every widget, for previews and the hosted chat. `adopt` wants the
    device's conversations to become the identity's.
    """

    public_key: str
    origin: str
    host: str = ""
    identity: str = ""
    device: str = ""
    adopt: bool = True


@dataclass(frozen=True, slots=True)
class Visit:
    """Who came in. `device` is for the frame to keep: whoever shows it next is this visitor, or a new one.

    `widget_key` is None on the hosted page. `adopts` is the device token whose conversations the person takes along.
    """

    end_user: EndUser
    widget_key: WidgetKey | None
    issued: IssuedToken
    device: str = ""
    adopts: str = ""
    adopted: int = 0
    unknown_audiences: tuple[str, ...] = ()


def visit_begin(knock: Knock, *, tenant: Tenant) -> Visit:
    """Let a frame in, as a known person or as a visitor.

    A known person's frame gets another device: what it does signed out begins empty. Raises `WidgetKeyUnknown`,
    `WidgetKeyRevoked`, `OriginNotAllowed`, `IdentityRequired` and what `identity_accept` raises.
    """
    widget_key = _widget_key(knock)
    if knock.identity:
        return _known(knock, widget_key, tenant)
    if widget_key.identified_only or not tenant.anonymous_chat:
        raise IdentityRequired
    device = device_of(tenant.pk, knock.device) or str(uuid4())
    end_user = end_user_for_device(device=device)
    issued = session_token_issue(end_user=end_user, widget_key=widget_key)
    return Visit(end_user, widget_key, issued, device_token(tenant.pk, device))


def visit_renew(knock: Knock, *, asker: Asker) -> Visit:
    """Another session token for who holds one, through the same widget. Raises `SessionTokenRefused`, `…Expired`."""
    widget_key = _widget_key(knock) if knock.public_key else None
    if asker.token is None or asker.token.widget_key != (widget_key.pk if widget_key else None):
        raise SessionTokenRefused
    return Visit(asker.end_user, widget_key, session_token_renew(token=asker.token))


def visit_hosted(*, asker: Asker) -> Visit:
    """A session token for our own page, bound to the login of its browser where there is one."""
    issued = session_token_issue(end_user=asker.end_user, login=asker.login or "")
    return Visit(asker.end_user, None, issued)


def _widget_key(knock: Knock) -> WidgetKey:
    widget_key = access_widget_key(knock.public_key)
    if not knock.host or urlsplit(knock.origin).netloc != knock.host:
        check_origin(widget_key, knock.origin)
    return widget_key


def _known(knock: Knock, widget_key: WidgetKey, tenant: Tenant) -> Visit:
    identity = identity_accept(token=knock.identity, one_time=widget_key.one_time_identities)
    issued = session_token_issue(end_user=identity.end_user, widget_key=widget_key, identity_key=identity.key)
    return Visit(
        identity.end_user,
        widget_key,
        issued,
        device=device_token(tenant.pk),
        adopts=knock.device if knock.adopt else "",
        unknown_audiences=identity.unknown_audiences,
    )
