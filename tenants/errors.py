"""What can be wrong with a tenant or with the one who asks."""

from __future__ import annotations

from kernel.errors import DomainError


class NoTenantScope(DomainError):
    """A tenant's data was asked for outside any tenant's scope."""

    code = "no_tenant_scope"
    http_status = 500


class TenantNotFound(DomainError):
    """There is no workspace at this address."""

    code = "tenant_not_found"
    http_status = 404


class TenantSuspended(DomainError):
    """This workspace is suspended. Please contact its owner."""

    code = "tenant_suspended"
    http_status = 403


class SignInRequired(DomainError):
    """Please sign in."""

    code = "sign_in_required"
    http_status = 401


class KeyRefused(DomainError):
    """This key is not valid here."""

    code = "key_refused"
    http_status = 401


class KeyExpired(KeyRefused):
    """This key has expired. Please create a new one."""

    code = "key_expired"


class KeyRevoked(KeyRefused):
    """This key was revoked. Please use another one."""

    code = "key_revoked"


class WidgetKeyUnknown(DomainError):
    """There is no chat widget with this key. Please check the key in the page's script tag."""

    code = "widget_key_unknown"
    http_status = 404


class WidgetKeyRevoked(DomainError):
    """This chat widget was switched off by its owner."""

    code = "widget_key_revoked"
    http_status = 403


class OriginNotAllowed(DomainError):
    """The chat may not be used from {origin}. Its owner can add that origin to the widget's key."""

    code = "origin_not_allowed"
    http_status = 403


class IdentityRequired(DomainError):
    """This chat is for known people only: the page has to say who is asking, with a signed identity."""

    code = "identity_required"
    http_status = 401


class IdentityRefused(DomainError):
    """The identity was refused: {reason}."""

    code = "identity_refused"
    http_status = 401


class IdentityExpired(IdentityRefused):
    """The identity has expired. The page has to sign a new one."""

    code = "identity_expired"


class IdentityUsed(IdentityRefused):
    """This identity was for one use and has been used. The page has to sign a new one."""

    code = "identity_used"


class IdentityUnchecked(DomainError):
    """Whether this identity was used before cannot be told at the moment. Please try again."""

    code = "identity_unchecked"
    retryable = True
    http_status = 503


class SessionTokenRefused(DomainError):
    """This session token is not valid here. Please start the chat anew."""

    code = "session_token_refused"
    http_status = 401


class SessionTokenExpired(SessionTokenRefused):
    """The session token has expired. Fetch a new one and go on."""

    code = "session_token_expired"


class SecretUnreadable(DomainError):
    """A stored secret cannot be read: it was sealed with a key that SECRETS_KEYS no longer holds, or for another
    workspace, or it was altered. Put the old key back into SECRETS_KEYS, or enter the secret again."""

    code = "secret_unreadable"
    http_status = 500


class TooManyRequests(DomainError):
    """That was a lot in a short time. Please try again in {wait}."""

    code = "too_many_requests"
    retryable = True
    http_status = 429


class QuotaReached(DomainError):
    """This workspace has used up its {what} ({limit}). Please try again in {wait}."""

    code = "quota_reached"
    retryable = True
    http_status = 429


class QuotaZero(DomainError):
    """The platform has set this workspace's quota of {what} to 0. {stops} Ask the platform for more."""

    code = "quota_zero"
    http_status = 403


class QuotaFull(DomainError):
    """This workspace has no room for more {what}: {used} of {limit} are taken. Delete some, or ask the platform for more room."""

    code = "quota_full"
    http_status = 403


class TooManyAtOnce(DomainError):
    """Very many answers are being written in this workspace right now. Please try again in {wait}."""

    code = "too_many_at_once"
    retryable = True
    http_status = 429


class TooManyAttempts(DomainError):
    """Too many attempts. Please wait {wait} and try again."""

    code = "too_many_attempts"
    retryable = True
    http_status = 429


class RoleForbids(DomainError):
    """Your role does not manage the people of this workspace. Owners and admins do."""

    code = "role_forbids"
    http_status = 403


class OwnersOnly(DomainError):
    """Only owners do this: making somebody an owner, changing or removing an owner, and single sign-on."""

    code = "owners_only"
    http_status = 403


class LastOwner(DomainError):
    """A workspace needs an owner, and this is its last one. Make somebody else an owner first."""

    code = "last_owner"
    http_status = 409


class AlreadyAMember(DomainError):
    """{email} is a member of this workspace already."""

    code = "already_a_member"
    http_status = 409


class InvitationUnknown(DomainError):
    """This invitation link is not valid. Check that the address is complete, or ask for a new invitation."""

    code = "invitation_unknown"
    http_status = 404


class InvitationUsed(DomainError):
    """This invitation has been used. If it was you, sign in; otherwise ask for a new one."""

    code = "invitation_used"
    http_status = 410


class InvitationExpired(DomainError):
    """This invitation has expired. Ask whoever invited you to send it again."""

    code = "invitation_expired"
    http_status = 410


class InvitationRevoked(DomainError):
    """This invitation was taken back. Ask the workspace's owner or admin if you should have access."""

    code = "invitation_revoked"
    http_status = 410


class InvitationForAnother(DomainError):
    """This invitation is for {email}, and you are signed in as {other}. Sign out, then open the link again."""

    code = "invitation_for_another"
    http_status = 403


class SignInProviderUnknown(DomainError):
    """This workspace has no such way to sign in. Go back to its sign-in page."""

    code = "sign_in_provider_unknown"
    http_status = 404


class SignInEmailUnverified(DomainError):
    """{provider} did not confirm that this email address is yours, so it cannot sign you in here."""

    code = "sign_in_email_unverified"
    http_status = 403


class SignInEmailOutside(DomainError):
    """This workspace does not let {email} sign in with {provider}. Use your work address, or ask an owner."""

    code = "sign_in_email_outside"
    http_status = 403


class SignInNotInvited(DomainError):
    """{email} is not a member of this workspace. Ask an owner or admin to invite you."""

    code = "sign_in_not_invited"
    http_status = 403


class SignInPasswordOnly(DomainError):
    """This account signs in with its password only."""

    code = "sign_in_password_only"
    http_status = 403


class SignInThroughProvider(DomainError):
    """You signed in with {provider}. To change password, two-factor or sign-ins, sign in with your password instead."""

    code = "sign_in_through_provider"
    http_status = 403


class IssuerOutOfReach(DomainError):
    """The sign-in provider at {issuer} does not answer as OpenID Connect: {reason}."""

    code = "issuer_out_of_reach"
    http_status = 400


class TwoFactorRequired(DomainError):
    """This workspace asks its members for a second factor. Set one up on your account page first."""

    code = "two_factor_required"
    http_status = 403


class ExportNotReady(DomainError):
    """This archive cannot be fetched now: it is {state}."""

    code = "export_not_ready"
    http_status = 409


class BucketUnavailable(DomainError):
    """The storage of files does not answer at the moment; it will be tried again."""

    code = "bucket_unavailable"
    retryable = True
    http_status = 503


class DatabaseUnavailable(DomainError):
    """The database does not answer at the moment. Please try again in a few seconds."""

    code = "database_unavailable"
    retryable = True
    http_status = 503


class StorageFull(DomainError):
    """There is no room left to store this, and nothing of it was kept. Whoever runs the platform has to make room;
    then try again."""

    code = "storage_full"
    retryable = True
    http_status = 507
