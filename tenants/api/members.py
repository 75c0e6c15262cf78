"""Members, their roles, and invitations."""

from __future__ import annotations

from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from tenants.errors import OwnersOnly
from tenants.mail_tasks import invitation_mail
from tenants.models import Invitation, Membership, Role
from tenants.rest.callers import Caller
from tenants.rest.errors import NotPermitted
from tenants.rest.fields import Choice, Input, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.selectors import membership_of
from tenants.selectors.invitations import invitations_open
from tenants.selectors.members import access_member, members_list
from tenants.services.invitations import Issued, invitation_create, invitation_renew, invitation_revoke
from tenants.services.members import member_remove, member_role_set
from tenants.sign_in.guards import public_url

TAG = "Members"
BY_KEY = "A key does this in the name of the member who made it, and never to owners."
MEMBER = {
    "id": "e2f0b2a3-91d5-4c13-8f0a-0d5b7c1a4e66",
    "user": 7,
    "email": "ada@hospital.example",
    "name": "Ada Osei",
    "role": "editor",
    "since": "2026-11-01T08:00:00Z",
}
INVITATION = {
    "id": "c55f2c6e-2b43-4d0b-9b56-1f8b1b3a9f77",
    "email": "grace@hospital.example",
    "role": "analyst",
    "created_at": "2026-11-30T08:00:00Z",
    "expires_at": "2026-12-07T08:00:00Z",
}


class MemberOutput(Output):
    id = serializers.UUIDField()
    user = serializers.IntegerField(source="user_id", help_text="What grants to single people name them by.")
    email = serializers.CharField(source="user.email")
    name = serializers.CharField(source="user.name", allow_blank=True)
    role = serializers.ChoiceField(Role.choices)
    since = serializers.DateTimeField(source="created_at")


class MembersOutput(Output):
    items = MemberOutput(many=True)


class RoleInput(Input):
    role = Choice(Role.choices)


class InvitationInput(Input):
    email = Text(max_length=254)
    role = Choice(Role.choices)


class InvitationOutput(Output):
    id = serializers.UUIDField()
    email = serializers.CharField()
    role = serializers.ChoiceField(Role.choices)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


def member_shown(member: Membership) -> JsonObject:
    return shown(MemberOutput(member))


def invitation_shown(invitation: Invitation) -> JsonObject:
    return shown(InvitationOutput(invitation))


def acting_member(caller: Caller, *roles: str) -> Membership:
    """The member in whose name members are managed. Raises `NotPermitted`, and `OwnersOnly` for what keys may not do."""
    user = caller.user if caller.key is None else caller.key.created_by
    member = membership_of(user) if user is not None else None
    if member is None:
        raise NotPermitted(needs="a member, or a key that a member made who is still one")
    if caller.key is not None and Role.OWNER in roles:
        raise OwnersOnly
    return member


class Members(ApiView):
    """Everybody with a role."""

    @operation(
        "List members",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        answers=MembersOutput,
        etag=True,
        example={"items": [MEMBER]},
    )
    def get(self, request: Request) -> Response:
        return Response({"items": [member_shown(row.membership) for row in members_list()]})


class MemberDetail(ApiView):
    """One member."""

    @operation("Read a member", tag=TAG, may=May.MANAGE_MEMBERS, answers=MemberOutput, example=MEMBER)
    def get(self, request: Request, member_id: UUID) -> Response:
        return Response(member_shown(access_member(member_id)))

    @operation(
        "Give a member another role",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        takes=RoleInput,
        answers=MemberOutput,
        description=f"Only owners make owners, and the last owner stays one. {BY_KEY}",
        sends={"role": "editor"},
        example=MEMBER,
    )
    def patch(self, request: Request, member_id: UUID) -> Response:
        role = self.read(RoleInput)["role"]
        by = acting_member(self.caller, role, access_member(member_id).role)
        return Response(member_shown(member_role_set(membership_id=member_id, role=role, by=by)))

    @operation(
        "Take a member out",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        status=204,
        description=f"Their sign-ins here end at once. {BY_KEY}",
    )
    def delete(self, request: Request, member_id: UUID) -> Response:
        by = acting_member(self.caller, access_member(member_id).role)
        member_remove(membership_id=member_id, by=by)
        return Response(status=204)


class Invitations(ApiView):
    """Invitations that can still be accepted."""

    @operation(
        "List invitations",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        answers=InvitationOutput,
        paged=True,
        example=INVITATION,
    )
    def get(self, request: Request) -> Response:
        return self.page(invitations_open(), invitation_shown, by=("-created_at", "id"))

    @operation(
        "Invite somebody",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        takes=InvitationInput,
        answers=InvitationOutput,
        status=201,
        repeatable=True,
        description=f"By a link that is sent to the address. {BY_KEY}",
        sends={"email": "grace@hospital.example", "role": "analyst"},
        example=INVITATION,
    )
    def post(self, request: Request) -> Response:
        asked = self.read(InvitationInput)
        issued = invitation_create(**asked, by=acting_member(self.caller, asked["role"]))
        send(request, self.caller, issued)
        return Response(invitation_shown(issued.invitation), status=201)


class InvitationDetail(ApiView):
    """One invitation."""

    @operation("Take an invitation back", tag=TAG, may=May.MANAGE_MEMBERS, status=204, description=BY_KEY)
    def delete(self, request: Request, invitation_id: UUID) -> Response:
        invitation_revoke(invitation_id=invitation_id, by=acting_member(self.caller))
        return Response(status=204)


class InvitationRenewal(ApiView):
    """Another letter for an invitation."""

    @operation(
        "Send an invitation again",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        answers=InvitationOutput,
        repeatable=True,
        description=f"With a new link; the old one ends. {BY_KEY}",
        example=INVITATION,
    )
    def post(self, request: Request, invitation_id: UUID) -> Response:
        issued = invitation_renew(invitation_id=invitation_id, by=acting_member(self.caller))
        send(request, self.caller, issued)
        return Response(invitation_shown(issued.invitation))


def send(request: Request, caller: Caller, issued: Issued) -> None:
    """Queue the letter with the link, whose token nobody else is told."""
    link = public_url(request._request, f"/t/{caller.tenant.slug}/invitation/{issued.token}/")
    invitation_mail.delay_on_commit(str(caller.tenant.pk), str(issued.invitation.pk), link)
