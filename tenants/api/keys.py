"""API keys, widget keys, and the keys that check signed identities."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from tenants.models import Algorithm, ApiKey, IdentityKey, Scope
from tenants.rest.fields import Choice, Input, Output, Text, Whole, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.services.identities import identity_key_create, identity_key_retire, identity_key_revoke
from tenants.services.keys import api_key_create, api_key_revoke

TAG = "Keys"
KEY = {
    "id": "0f2c9b1e-64d6-4d3e-a6a8-5b8c6f3a9e21",
    "name": "Ingest of the wards",
    "hint": "x9Qz",
    "scopes": ["ingest"],
    "per_minute": None,
    "created_at": "2026-11-30T08:00:00Z",
    "expires_at": None,
    "last_used_at": "2026-11-30T08:19:00Z",
    "revoked_at": None,
}
IDENTITY_KEY = {
    "id": "b1a2c3d4-1111-4222-8333-444455556666",
    "kid": "2026-11",
    "algorithm": "HS256",
    "expected_aud": "",
    "created_at": "2026-11-30T08:00:00Z",
    "retired_at": None,
    "revoked_at": None,
}


class KeyInput(Input):
    name = Text(max_length=80)
    scopes = serializers.ListField(child=Choice(Scope.choices), min_length=1, max_length=4)
    per_minute = Whole(min_value=1, max_value=100_000, required=False, allow_null=True)
    expires_at = serializers.DateTimeField(required=False, allow_null=True)


class KeyOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    hint = serializers.CharField(help_text="The last characters, to tell keys apart.")
    scopes = serializers.ListField(child=serializers.ChoiceField(Scope.choices))
    per_minute = serializers.IntegerField(allow_null=True, help_text="Requests a minute; null: the usual.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)


class NewKeyOutput(KeyOutput):
    key = serializers.SerializerMethodField(help_text="The key itself. It is shown this once.")

    @extend_schema_field(serializers.CharField())
    def get_key(self, key: ApiKey) -> str:
        return str(self.context["text"])


class IdentityKeyInput(Input):
    kid = Text(max_length=80, help_text="The `kid` of the tokens that it checks.")
    algorithm = Choice(Algorithm.choices)
    material = Text(
        max_length=10_000,
        required=False,
        allow_blank=True,
        help_text="Public key (PEM), or a secret for HS256, which is made when left out.",
    )
    expected_aud = Text(max_length=200, required=False, allow_blank=True)


class IdentityKeyOutput(Output):
    id = serializers.UUIDField()
    kid = serializers.CharField()
    algorithm = serializers.ChoiceField(Algorithm.choices)
    expected_aud = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)


class NewIdentityKeyOutput(IdentityKeyOutput):
    secret = serializers.SerializerMethodField(
        help_text="For HS256 the secret that signs, shown this once; else empty."
    )

    @extend_schema_field(serializers.CharField(allow_blank=True))
    def get_secret(self, key: IdentityKey) -> str:
        return str(self.context["secret"])


def key_shown(key: ApiKey) -> JsonObject:
    return shown(KeyOutput(key))


def identity_key_shown(key: IdentityKey) -> JsonObject:
    return shown(IdentityKeyOutput(key))


class Keys(ApiView):
    """Every API key."""

    @operation("List API keys", tag=TAG, may=May.MANAGE_KEYS, answers=KeyOutput, paged=True, example=KEY)
    def get(self, request: Request) -> Response:
        return self.page(ApiKey.objects.all(), key_shown, by=("-created_at", "id"))

    @operation(
        "Make an API key",
        tag=TAG,
        may=May.MANAGE_KEYS,
        takes=KeyInput,
        answers=NewKeyOutput,
        status=201,
        repeatable=True,
        sends={"name": "Ingest of the wards", "scopes": ["ingest"]},
        example={**KEY, "key": "ante_…"},
    )
    def post(self, request: Request) -> Response:
        key, text = api_key_create(**self.read(KeyInput))
        return Response(NewKeyOutput(key, context={"text": text}).data, status=201)


class KeyDetail(ApiView):
    """One API key."""

    @operation(
        "Revoke an API key",
        tag=TAG,
        may=May.MANAGE_KEYS,
        answers=KeyOutput,
        description="It counts for nothing from now on; it stays in the list.",
        example={**KEY, "revoked_at": "2026-11-30T09:00:00Z"},
    )
    def delete(self, request: Request, key_id: UUID) -> Response:
        return Response(key_shown(api_key_revoke(key_id=key_id)))


class IdentityKeys(ApiView):
    """What checks the identities that the workspace signs."""

    @operation(
        "List identity keys",
        tag=TAG,
        may=May.MANAGE_KEYS,
        answers=IdentityKeyOutput,
        paged=True,
        example=IDENTITY_KEY,
    )
    def get(self, request: Request) -> Response:
        return self.page(IdentityKey.objects.all(), identity_key_shown, by=("-created_at", "id"))

    @operation(
        "Make an identity key",
        tag=TAG,
        may=May.MANAGE_KEYS,
        takes=IdentityKeyInput,
        answers=NewIdentityKeyOutput,
        status=201,
        repeatable=True,
        sends={"kid": "2026-11", "algorithm": "HS256"},
        example={**IDENTITY_KEY, "secret": "…"},
    )
    def post(self, request: Request) -> Response:
        key, secret = identity_key_create(**self.read(IdentityKeyInput))
        return Response(NewIdentityKeyOutput(key, context={"secret": secret}).data, status=201)


class IdentityKeyRetire(ApiView):
    """The end of signing with a key."""

    @operation(
        "Retire an identity key",
        tag=TAG,
        may=May.MANAGE_KEYS,
        answers=IdentityKeyOutput,
        description="What it signed before counts for a day; what it signs from now on is refused.",
        example={**IDENTITY_KEY, "retired_at": "2026-11-30T09:00:00Z"},
    )
    def post(self, request: Request, key_id: UUID) -> Response:
        return Response(identity_key_shown(identity_key_retire(key_id=key_id)))


class IdentityKeyDetail(ApiView):
    """One identity key."""

    @operation(
        "Revoke an identity key",
        tag=TAG,
        may=May.MANAGE_KEYS,
        answers=IdentityKeyOutput,
        description="Whatever it signed is refused from now on.",
        example={**IDENTITY_KEY, "revoked_at": "2026-11-30T09:00:00Z"},
    )
    def delete(self, request: Request, key_id: UUID) -> Response:
        return Response(identity_key_shown(identity_key_revoke(key_id=key_id)))
