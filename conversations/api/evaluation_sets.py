"""Follow-up sets by REST: made, loaded, taken away, edited item by item."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.api import evaluation_shapes as shapes
from conversations.evaluation.entries import lines_of
from conversations.selectors.evaluations import access_item, access_set, entries_of, items_list, sets_list
from conversations.services import evaluation_sets as services
from tenants.rest.operations import operation
from tenants.rest.views import ApiView, UploadView
from tenants.roles import May

TAG, MAY, MAY_READ = shapes.TAG, May.RUN_EVALUATIONS, May.READ_REPORTS


class Sets(ApiView):
    """Follow-up sets."""

    @operation(
        "List follow-up sets",
        tag=TAG,
        may=MAY_READ,
        answers=shapes.SetOutput,
        paged=True,
        etag=True,
        example=shapes.SET,
    )
    def get(self, request: Request) -> Response:
        return self.page(sets_list(), shapes.set_shown, by=("name", "id"))

    @operation(
        "Make a follow-up set",
        tag=TAG,
        may=MAY,
        takes=shapes.SetInput,
        answers=shapes.SetOutput,
        status=201,
        repeatable=True,
        sends={"name": "Wards"},
        example=shapes.SET,
    )
    def post(self, request: Request) -> Response:
        user = self.caller.user
        made = services.set_create(**self.read(shapes.SetInput), by=user.pk if user else None)
        return Response(shapes.set_shown(access_set(made.pk)), status=201)


class SetDetail(ApiView):
    """One follow-up set."""

    @operation(
        "Read a follow-up set", tag=TAG, may=MAY_READ, answers=shapes.SetOutput, etag=True, example=shapes.SET
    )
    def get(self, request: Request, set_id: UUID) -> Response:
        return Response(shapes.set_shown(access_set(set_id)))

    @operation(
        "Rename a follow-up set",
        tag=TAG,
        may=MAY,
        takes=shapes.SetInput,
        answers=shapes.SetOutput,
        sends={"name": "Wards", "note": "After the move"},
        example=shapes.SET,
    )
    def put(self, request: Request, set_id: UUID) -> Response:
        return Response(shapes.set_shown(services.set_change(set_id=set_id, **self.read(shapes.SetInput))))

    @operation(
        "Delete a follow-up set",
        tag=TAG,
        may=MAY,
        status=204,
        description="With its items, its evaluations and their results.",
    )
    def delete(self, request: Request, set_id: UUID) -> Response:
        services.set_delete(set_id=set_id)
        return Response(status=204)


class SetItems(ApiView):
    """Items of a set."""

    @operation(
        "List items of a follow-up set",
        tag=TAG,
        may=MAY,
        answers=shapes.ItemOutput,
        paged=True,
        etag=True,
        example=shapes.ITEM,
    )
    def get(self, request: Request, set_id: UUID) -> Response:
        access_set(set_id)
        return self.page(items_list(set_id), shapes.item_shown, by=("stratum", "key", "id"))

    @operation(
        "Add an item to a follow-up set",
        tag=TAG,
        may=MAY,
        takes=shapes.ItemInput,
        answers=shapes.ItemOutput,
        status=201,
        repeatable=True,
        sends={"item": shapes.LINE},
        example=shapes.ITEM,
    )
    def post(self, request: Request, set_id: UUID) -> Response:
        item = services.item_add(set_id=set_id, line=self.read(shapes.ItemInput)["item"])
        return Response(shapes.item_shown(item), status=201)


class SetItemDetail(ApiView):
    """One item."""

    @operation("Read an item", tag=TAG, may=MAY, answers=shapes.ItemOutput, etag=True, example=shapes.ITEM)
    def get(self, request: Request, set_id: UUID, item_id: UUID) -> Response:
        return Response(shapes.item_shown(access_item(set_id, item_id)))

    @operation(
        "Change an item",
        tag=TAG,
        may=MAY,
        takes=shapes.ItemInput,
        answers=shapes.ItemOutput,
        sends={"item": shapes.LINE},
        example=shapes.ITEM,
    )
    def put(self, request: Request, set_id: UUID, item_id: UUID) -> Response:
        line = self.read(shapes.ItemInput)["item"]
        return Response(shapes.item_shown(services.item_edit(set_id=set_id, item_id=item_id, line=line)))

    @operation("Delete an item", tag=TAG, may=MAY, status=204)
    def delete(self, request: Request, set_id: UUID, item_id: UUID) -> Response:
        services.item_delete(set_id=set_id, item_id=item_id)
        return Response(status=204)


class SetTurns(ApiView):
    """Turns made items."""

    @operation(
        "Add a turn to a follow-up set",
        tag=TAG,
        may=MAY,
        takes=shapes.GrowInput,
        answers=shapes.ItemOutput,
        status=201,
        repeatable=True,
        description=(
            "The conversation before it, its message, the words that the guard kept out as forbidden, and what was "
            "cited as gold. A turn that is an item already is that item."
        ),
        sends={"turn": shapes.SET_ID},
        example=shapes.ITEM,
    )
    def post(self, request: Request, set_id: UUID) -> Response:
        item = services.item_grow(turn_id=self.read(shapes.GrowInput)["turn"], set_id=set_id)
        return Response(shapes.item_shown(item), status=201)


class SetImport(UploadView):
    """A file loaded into a set."""

    @operation(
        "Load a file into a follow-up set",
        tag=TAG,
        may=MAY,
        takes=shapes.ImportInput,
        multipart=True,
        answers=shapes.ImportedOutput,
        repeatable=True,
        description="JSON lines. With a mistake in it nothing is loaded, and `extra.faults` names every one by line.",
        example={"items": 3},
    )
    def post(self, request: Request, set_id: UUID) -> Response:
        asked = self.read(shapes.ImportInput)
        count = services.set_import(set_id=set_id, data=asked["file"].read(), replace=asked["replace"])
        return Response({"items": count})


class SetExport(ApiView):
    """A set to take away."""

    @operation(
        "Export a follow-up set",
        tag=TAG,
        may=MAY,
        answers={(200, "application/x-ndjson"): OpenApiTypes.STR},
        description="JSON lines, as they can be loaded again.",
    )
    def get(self, request: Request, set_id: UUID) -> Any:
        access_set(set_id)
        lines = list(lines_of(entries_of(set_id)))
        response = StreamingHttpResponse(lines, content_type="application/x-ndjson")
        response.headers["Content-Disposition"] = 'attachment; filename="followup-set.jsonl"'
        return response
