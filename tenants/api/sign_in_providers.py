"""Single sign-on: the OpenID Connect providers of the workspace. Their secrets are written, never read."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from tenants.adapters.issuer_http import issuer_probe
from tenants.api.members import acting_member
from tenants.models import Role, SignInProvider
from tenants.rest.fields import Choice, Flag, Input, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.selectors.providers import provider_found
from tenants.services.providers import ProviderInput, domains_of, provider_remove, provider_save
from tenants.sign_in.guards import public_url

TAG = "Sign-in providers"
ROLES = [role for role in Role.choices if role[0] != Role.OWNER]
MOST_DOMAINS = 50
ID = "3f0c7a3d-9f1b-4f0e-8b8a-1c2d3e4f5061"
WRITTEN = {
    "name": "Hospital account",
    "issuer": "https://login.hospital.example",
    "client_id": "antecedent",
    "email_domains": ["hospital.example"],
    "default_role": "analyst",
    "enabled": True,
}
EXAMPLE = {
    **WRITTEN,
    "id": ID,
    "has_client_secret": True,
    "callback": f"https://chat.example/t/hospital/account/with/{ID}/back/",
    "created_at": "2026-11-30T08:00:00Z",
}


class SignInProviderInput(Input):
    name = Text(max_length=80)
    issuer = Text(max_length=300, help_text="Its address, with https; it is asked for its configuration.")
    client_id = Text(max_length=300)
    client_secret = Text(
        max_length=1000,
        required=False,
        allow_blank=True,
        default="",
        help_text="Kept sealed and never shown. Left out, the one there is stays.",
    )
    email_domains = serializers.ListField(
        child=Text(max_length=253),
        max_length=MOST_DOMAINS,
        required=False,
        default=list,
        help_text="Whose addresses may join by signing in; none: by invitation only.",
    )
    default_role = Choice(ROLES, default=Role.ANALYST.value, help_text="Of who joins by signing in.")
    enabled = Flag(default=True)


class SignInProviderOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    issuer = serializers.CharField()
    client_id = serializers.CharField()
    has_client_secret = serializers.BooleanField(source="client_secret")
    email_domains = serializers.ListField(child=serializers.CharField())
    default_role = serializers.ChoiceField(ROLES)
    enabled = serializers.BooleanField()
    callback = serializers.SerializerMethodField(help_text="The address to enter at the provider.")
    created_at = serializers.DateTimeField()

    @extend_schema_field(serializers.CharField())
    def get_callback(self, provider: SignInProvider) -> str:
        return str(self.context["callback"](provider))


def _wanted(asked: dict[str, Any]) -> ProviderInput:
    return ProviderInput(**{**asked, "email_domains": domains_of(asked["email_domains"])})


class _ProviderView(ApiView):
    """Only owners say who is who in their workspace; a key never does."""

    def told(self, provider: SignInProvider) -> JsonObject:
        return shown(SignInProviderOutput(provider, context={"callback": self._callback}))

    def _callback(self, provider: SignInProvider) -> str:
        path = f"/t/{self.caller.tenant.slug}/account/with/{provider.pk}/back/"
        return public_url(self.request._request, path)

    def saved(self, provider_id: UUID | None) -> JsonObject:
        wanted, by = _wanted(self.read(SignInProviderInput)), acting_member(self.caller)
        return self.told(provider_save(wanted=wanted, by=by, probe=issuer_probe, provider_id=provider_id))


class SignInProviders(_ProviderView):
    """How members sign in beside their passwords."""

    @operation(
        "List sign-in providers",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        answers=SignInProviderOutput,
        paged=True,
        example=EXAMPLE,
    )
    def get(self, request: Request) -> Response:
        return self.page(SignInProvider.objects.all(), self.told, by=("name", "id"))

    @operation(
        "Add a sign-in provider",
        tag=TAG,
        may=May.MANAGE_OWNERS,
        takes=SignInProviderInput,
        answers=SignInProviderOutput,
        status=201,
        repeatable=True,
        description="Its issuer is asked for its configuration first. Enter `callback` at the provider afterwards.",
        sends={**WRITTEN, "client_secret": "…"},
        example=EXAMPLE,
    )
    def post(self, request: Request) -> Response:
        return Response(self.saved(None), status=201)


class SignInProviderDetail(_ProviderView):
    """One provider."""

    @operation(
        "Read a sign-in provider",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        answers=SignInProviderOutput,
        example=EXAMPLE,
    )
    def get(self, request: Request, provider_id: UUID) -> Response:
        return Response(self.told(provider_found(provider_id)))

    @operation(
        "Change a sign-in provider",
        tag=TAG,
        may=May.MANAGE_OWNERS,
        takes=SignInProviderInput,
        answers=SignInProviderOutput,
        description="As a whole. Another issuer or client needs its `client_secret` again, and signs out whoever came "
        "through the one before; so does switching it off.",
        sends=WRITTEN,
        example=EXAMPLE,
    )
    def put(self, request: Request, provider_id: UUID) -> Response:
        return Response(self.saved(provider_found(provider_id).pk))

    @operation(
        "Remove a sign-in provider",
        tag=TAG,
        may=May.MANAGE_OWNERS,
        status=204,
        description="Whoever came through it is signed out; members stay members.",
    )
    def delete(self, request: Request, provider_id: UUID) -> Response:
        provider_remove(provider_id=provider_id, by=acting_member(self.caller))
        return Response(status=204)
