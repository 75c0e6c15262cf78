"""Who may open the console and what they may do there: by the role of their membership."""

from __future__ import annotations

from django.http import HttpRequest

from kernel.errors import DomainError
from tenants.errors import OwnersOnly, RoleForbids
from tenants.models import Membership, User
from tenants.roles import May, role_may
from tenants.selectors import membership_of


class NotAMember(DomainError):
    """The console is for members of this workspace, and your account is not one. Ask an owner to invite you."""

    code = "not_a_member"
    http_status = 403


class NotAManager(DomainError):
    """Your role here reads documents. Owners, admins and editors add, retry and delete them."""

    code = "not_a_document_manager"
    http_status = 403


class NotAnAdmin(DomainError):
    """Your role does not decide who sees what. Owners, admins and editors make corpora and audiences and give access."""

    code = "not_an_admin"
    http_status = 403


class NotADataAdmin(DomainError):
    """Your role does not decide how long conversations are kept. Owners and admins do."""

    code = "not_a_data_admin"
    http_status = 403


class NotAVersionEditor(DomainError):
    """Your role reads policies and prompts. Owners, admins and editors draft them."""

    code = "not_a_version_editor"
    http_status = 403


class NotAVersionPublisher(DomainError):
    """Your role does not decide which policies and prompts are in force. Owners and admins do."""

    code = "not_a_version_publisher"
    http_status = 403


def member_of(request: HttpRequest) -> Membership | None:
    """The signed-in person's membership in the tenant of the address, asked for once a request."""
    if not hasattr(request, "console_member"):
        user = request.user
        known = isinstance(user, User) and user.is_active and getattr(request, "tenant", None) is not None
        request.console_member = membership_of(user) if known else None  # type: ignore[attr-defined, arg-type]
    return request.console_member  # type: ignore[attr-defined, no-any-return]


def may(request: HttpRequest, what: May) -> bool:
    """Whether the asking member's role may do it."""
    member = member_of(request)
    return member is not None and role_may(member.role, what)


def manages_documents(request: HttpRequest) -> bool:
    return may(request, May.WRITE_DOCUMENTS)


def access_document_manager(request: HttpRequest) -> User:
    """The person, when their role manages documents. Raises `NotAManager`."""
    if not manages_documents(request):
        raise NotAManager
    return request.user  # type: ignore[return-value]


def manages_access(request: HttpRequest) -> bool:
    return may(request, May.GRANT_ACCESS)


def access_admin(request: HttpRequest) -> None:
    """Raises `NotAnAdmin` for whom corpora and audiences are not theirs to change."""
    if not manages_access(request):
        raise NotAnAdmin


def access_data_admin(request: HttpRequest) -> None:
    """Raises `NotADataAdmin` for whom it is not to say what is kept and deleted."""
    if not may(request, May.MANAGE_DATA):
        raise NotADataAdmin


def access_member_manager(request: HttpRequest) -> Membership:
    """The asking member, when their role manages members. Raises `RoleForbids`."""
    member = member_of(request)
    if member is None or not role_may(member.role, May.MANAGE_MEMBERS):
        raise RoleForbids
    return member


def access_owner(request: HttpRequest) -> Membership:
    """The asking member, when they are an owner. Raises `OwnersOnly`."""
    member = member_of(request)
    if member is None or not role_may(member.role, May.MANAGE_OWNERS):
        raise OwnersOnly
    return member


def edits_versions(request: HttpRequest) -> bool:
    return may(request, May.EDIT_VERSIONS)


def publishes_versions(request: HttpRequest) -> bool:
    return may(request, May.PUBLISH_VERSIONS)


def access_version_reader(request: HttpRequest) -> None:
    """Raises `NotAMember` for whom reports, and so the versions they are about, are not to read."""
    if not may(request, May.READ_REPORTS):
        raise NotAMember


def access_version_editor(request: HttpRequest) -> None:
    """Raises `NotAVersionEditor` for whom policies and prompts are only to read."""
    if not edits_versions(request):
        raise NotAVersionEditor


def access_version_publisher(request: HttpRequest) -> None:
    """Raises `NotAVersionPublisher` for whom it is not to say what is in force."""
    if not publishes_versions(request):
        raise NotAVersionPublisher
