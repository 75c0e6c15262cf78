"""Secrets of the workspace: kept sealed, never shown again."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from tenants.models import TenantSecret
from tenants.rest.fields import Input, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.services.secrets import LONGEST_VALUE, secret_forget, secret_set

TAG = "Secrets"
EXAMPLE = {"name": "openai", "hint": "x9Qz", "updated_at": "2026-11-30T08:00:00Z"}


class SecretInput(Input):
    value = Text(max_length=LONGEST_VALUE, trim_whitespace=False)


class SecretOutput(Output):
    name = serializers.CharField()
    hint = serializers.CharField(allow_blank=True, help_text="The last characters of a long one.")
    updated_at = serializers.DateTimeField()


def secret_shown(secret: TenantSecret) -> JsonObject:
    return shown(SecretOutput(secret))


class Secrets(ApiView):
    """The names of all secrets."""

    @operation(
        "List secrets", tag=TAG, may=May.MANAGE_KEYS, answers=SecretOutput, paged=True, example=EXAMPLE
    )
    def get(self, request: Request) -> Response:
        return self.page(TenantSecret.objects.all(), secret_shown, by=("name", "id"))


class SecretDetail(ApiView):
    """One secret."""

    @operation(
        "Set a secret",
        tag=TAG,
        may=May.MANAGE_KEYS,
        takes=SecretInput,
        answers=SecretOutput,
        description="In place of the one of that name.",
        sends={"value": "sk-…"},
        example=EXAMPLE,
    )
    def put(self, request: Request, name: str) -> Response:
        return Response(secret_shown(secret_set(name=name, value=self.read(SecretInput)["value"])))

    @operation("Forget a secret", tag=TAG, may=May.MANAGE_KEYS, status=204)
    def delete(self, request: Request, name: str) -> Response:
        secret_forget(name=name)
        return Response(status=204)
