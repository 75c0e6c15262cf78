"""Who may see which corpus and which document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.errors import Invalid, NotFound
from retrieval import services
from retrieval.api.corpora import access_corpus
from retrieval.api.documents import access_document
from retrieval.selectors import corpus_seers, who_can_see
from retrieval.services import AccessAction, AccessChange, AccessEffect
from tenants.models import Audience, Membership
from tenants.rest.fields import Choice, Flag, Id, Input, Output, Text, Whole
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.services.audiences import audience_of_one, end_user_known_as

TAG = "Access"
MOST = 1000
_EXAMPLE = {
    "audiences": [{"id": "9a1d2f0c-8f66-4d5c-9d0e-2b6c2c1f7f11", "name": "Nurses", "by": "corpus"}],
    "members": [{"id": 7, "name": "Ada Osei", "by": "role"}],
}


def _ids(about: str) -> serializers.ListField:
    return serializers.ListField(child=Id(), max_length=MOST, required=False, help_text=about)


class GrantInput(Input):
    """At least one corpus or document, and at least one who is meant; to restrict and open, documents alone."""

    action = Choice([action.value for action in AccessAction])
    preview = Flag(required=False, help_text="Change nothing, tell what would be changed.")
    corpora = _ids("What may be seen: every unrestricted document in it.")
    documents = _ids("What may be seen, restricted or not.")
    audiences = _ids("Who: audiences.")
    members = serializers.ListField(
        child=Whole(min_value=1, max_value=2**31 - 1),
        max_length=MOST,
        required=False,
        help_text="Who: members, by their user's id.",
    )
    end_users = serializers.ListField(
        child=Text(max_length=200),
        max_length=MOST,
        required=False,
        help_text="Who: end users, by their subject or email address.",
    )


class DocumentsEffect(Output):
    documents = serializers.IntegerField(help_text="Documents that are changed.")
    grants = serializers.IntegerField(help_text="Grants given or taken.")
    people = serializers.IntegerField(help_text="Known people who may be touched, each counted once.")
    everyone = serializers.BooleanField(help_text="Whether visitors whom nobody knows are among them.")


class GrantResult(Output):
    corpora = serializers.IntegerField()
    documents = serializers.IntegerField()
    holders = serializers.IntegerField()
    effect = DocumentsEffect(
        allow_null=True, help_text="What changes for the documents; null without documents."
    )


class AudienceSeer(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    by = serializers.ChoiceField(["document", "corpus", "role"])


class MemberSeer(Output):
    id = serializers.IntegerField()
    name = serializers.CharField()
    by = serializers.ChoiceField(["document", "corpus", "role"])


class SeersOutput(Output):
    audiences = AudienceSeer(many=True)
    members = MemberSeer(many=True)


class Grants(ApiView):
    """Access, given and taken in bulk."""

    @operation(
        "Give or take access",
        tag=TAG,
        may=May.GRANT_ACCESS,
        takes=GrantInput,
        answers=GrantResult,
        repeatable=True,
        description=(
            "Every one of the holders may see, or no longer sees by a grant of their own, every one of the things. All "
            "or nothing, in force at the next search. What is taken from nobody changes nothing. `restrict` has documents "
            "need grants of their own, `open` has those of their corpus count again."
        ),
        sends={
            "action": "give",
            "corpora": ["6f1c0f0e-8d8a-4b47-9a3e-0a4f6f1b7f10"],
            "audiences": ["9a1d2f0c-8f66-4d5c-9d0e-2b6c2c1f7f11"],
        },
        example={"corpora": 1, "documents": 0, "holders": 1, "effect": None},
    )
    @transaction.atomic
    def post(self, request: Request) -> Response:
        asked = self.read(GrantInput)
        corpora, action = asked.get("corpora", []), AccessAction(asked["action"])
        groups, users = holders(asked)
        change = AccessChange(action, tuple(asked.get("documents", [])), tuple(groups), tuple(users))
        _check_named(change, corpora)
        effect = _change(change, corpora, preview=asked.get("preview", False))
        # Whom a preview names, it does not make.
        transaction.set_rollback(asked.get("preview", False))
        told = {"corpora": len(corpora), "documents": len(change.document_ids), "holders": change.holders}
        return Response(GrantResult({**told, "effect": effect}).data)


def _check_named(change: AccessChange, corpora: Sequence[UUID]) -> None:
    if not (corpora or change.document_ids) or (change.is_about_grants and not change.holders):
        raise Invalid(reason="Name at least one corpus or document, and at least one who is meant.")
    if not change.is_about_grants and (corpora or change.holders):
        raise Invalid(reason="Only documents are restricted and opened, for everybody: name documents alone.")


def _change(change: AccessChange, corpora: Sequence[UUID], *, preview: bool) -> AccessEffect | None:
    if corpora and not preview:
        act = services.corpora_grant if change.action is AccessAction.GIVE else services.corpora_revoke
        act(corpus_ids=corpora, user_ids=change.user_ids, group_ids=change.group_ids)
    if not change.document_ids:
        return None
    return services.access_effect(change) if preview else services.access_change(change)


def holders(asked: dict[str, Any]) -> tuple[list[int], list[int]]:
    """The groups and users behind audiences, members and end users. Raises NotFound when one is not there."""
    wanted = set(asked.get("audiences", []))
    groups = list(Audience.objects.filter(pk__in=wanted).values_list("group_id", flat=True))
    _check_all(len(groups), wanted, "audience")
    members = set(asked.get("members", []))
    users = list(Membership.objects.filter(user_id__in=members).values_list("user_id", flat=True))
    _check_all(len(users), members, "member")
    subjects = set(asked.get("end_users", []))
    people = [end_user_known_as(subject) for subject in subjects]
    for person in people:
        if person.user_id is not None:
            users.append(person.user_id)
        else:
            groups.append(audience_of_one(end_user=person).group_id)
    return groups, users


def _check_all(found: int, wanted: set[Any], what: str) -> None:
    if found != len(wanted):
        raise NotFound(what=what)


class DocumentSeers(ApiView):
    """Who sees a document."""

    @operation(
        "Read who sees a document",
        tag=TAG,
        may=May.GRANT_ACCESS,
        answers=SeersOutput,
        description="By a grant on it, by one on its corpus unless it is restricted, or by their role.",
        example=_EXAMPLE,
    )
    def get(self, request: Request, document_id: UUID) -> Response:
        seers = who_can_see(access_document(self, document_id).pk)
        return Response(_shown([(seer.audience_id, seer.user_id, seer.name, seer.by) for seer in seers]))


class CorpusSeers(ApiView):
    """Who sees a corpus."""

    @operation(
        "Read who sees a corpus",
        tag=TAG,
        may=May.GRANT_ACCESS,
        answers=SeersOutput,
        description="By a grant on it. Owners, admins and editors see every corpus besides.",
        example={**_EXAMPLE, "members": []},
    )
    def get(self, request: Request, corpus_id: UUID) -> Response:
        seers = corpus_seers(access_corpus(self, corpus_id).pk)
        return Response(_shown([(seer.audience_id, seer.user_id, seer.name, seer.by) for seer in seers]))


def _shown(seers: Sequence[tuple[UUID | None, int | None, str, str]]) -> dict[str, Any]:
    audiences = [{"id": audience, "name": name, "by": by} for audience, _, name, by in seers if audience]
    members = [{"id": user, "name": name, "by": by} for _, user, name, by in seers if user]
    return SeersOutput({"audiences": audiences, "members": members}).data
