"""Whether the workspace asks its members for a second factor."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from tenants.api.members import BY_KEY, TAG, acting_member
from tenants.models import Tenant
from tenants.rest.fields import Flag, Input, Output, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.selectors.members import member_figures
from tenants.services.members import two_factor_require

EXAMPLE = {"required": True, "members_without": 2}


class TwoFactorInput(Input):
    required = Flag()  # type: ignore[assignment]


class TwoFactorOutput(Output):
    required = serializers.BooleanField()  # type: ignore[assignment]
    members_without = serializers.IntegerField(help_text="Members who have no second factor yet.")


def two_factor_shown(tenant: Tenant) -> JsonObject:
    told = {"required": tenant.two_factor_required, "members_without": member_figures().without_two_factor}
    return shown(TwoFactorOutput(told))


class WorkspaceTwoFactor(ApiView):
    """What is asked of members when they sign in."""

    @operation(
        "Read whether a second factor is required",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        answers=TwoFactorOutput,
        etag=True,
        example=EXAMPLE,
    )
    def get(self, request: Request) -> Response:
        return Response(two_factor_shown(self.caller.tenant))

    @operation(
        "Require a second factor",
        tag=TAG,
        may=May.MANAGE_MEMBERS,
        takes=TwoFactorInput,
        answers=TwoFactorOutput,
        description="Of every member, before anything else; who signs in through the workspace's own provider is that "
        f"provider's to ask. Members without one set it up when they come next. {BY_KEY}",
        sends={"required": True},
        example=EXAMPLE,
    )
    def put(self, request: Request) -> Response:
        asked = self.read(TwoFactorInput)
        two_factor_require(required=asked["required"], by=acting_member(self.caller))
        return Response(two_factor_shown(Tenant.objects.get(pk=self.caller.tenant.pk)))
