"""The embedding model of a corpus: which it is, a change to another one, how far that is, and the way back."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from retrieval import services
from retrieval.api.corpora import TAG, access_corpus
from retrieval.services.embedding_models import ModelState, model_state
from retrieval.tasks import corpus_reembed_task
from tenants.rest.fields import Id, Input, Output, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.scoping import current_tenant_id

TODAY = "0b4f6c1e-3f0b-4c58-9b2c-6f1d1f2a7c11"
OLDER = "5f0c7a3d-9f1b-4f0e-8b8a-1c2d3e4f5061"
EXAMPLE: JsonObject = {
    "model": {"id": OLDER, "name": "text-embedding-ada-002"},
    "is_gone": False,
    "changing_to": {"id": TODAY, "name": "text-embedding-3-small"},
    "passages": 1200,
    "made": 300,
    "keeps": False,
    "choices": [{"id": TODAY, "name": "text-embedding-3-small", "dimensions": 1536, "is_today": True}],
}
CALLED_OFF: JsonObject = {**EXAMPLE, "changing_to": None, "made": 0, "keeps": True}


class CorpusModelInput(Input):
    model = Id(help_text="The `id` of one of the `choices`.")


class NamedModelOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()


class ModelChoiceOutput(NamedModelOutput):
    dimensions = serializers.IntegerField()
    is_today = serializers.BooleanField(help_text="Whether new corpora get it.")


class CorpusModelOutput(Output):
    model = NamedModelOutput(
        allow_null=True, help_text="What is searched with; null before the first document."
    )
    is_gone = serializers.BooleanField(
        help_text="It cannot be run here any more: the corpus is searched by words alone."
    )
    changing_to = NamedModelOutput(allow_null=True)
    passages = serializers.IntegerField(help_text="Passages to embed for a change.")
    made = serializers.IntegerField(help_text="How many of them have their new vector.")
    keeps = serializers.BooleanField(help_text="It is not changed to another model by itself.")
    choices = ModelChoiceOutput(
        many=True, help_text="What it may change to; an earlier model is the way back."
    )


def _state_shown(state: ModelState) -> JsonObject:
    told: dict[str, Any] = {
        "model": {"id": state.now_id, "name": state.now} if state.now_id else None,
        "is_gone": state.is_gone,
        "changing_to": {"id": state.next_id, "name": state.next} if state.next_id else None,
        "passages": state.passages,
        "made": state.made,
        "keeps": state.keeps,
        "choices": state.choices,
    }
    return shown(CorpusModelOutput(told))


class _ModelView(ApiView):
    def told(self, corpus_id: UUID) -> Response:
        return Response(_state_shown(model_state(access_corpus(self, corpus_id))))

    def work(self, corpus_id: UUID) -> None:
        """In the background: embedding what is missing, and clearing away what is not needed any more."""
        queue = partial(corpus_reembed_task.delay, str(current_tenant_id()), str(corpus_id))
        transaction.on_commit(queue, robust=True)


class CorpusModel(_ModelView):
    """What makes the passages of a corpus findable by meaning."""

    @operation(
        "Read the embedding model of a corpus",
        tag=TAG,
        may=May.WRITE_DOCUMENTS,
        answers=CorpusModelOutput,
        etag=True,
        description="And how far a change is: until the last passage has its new vector, searches go on as before.",
        example=EXAMPLE,
    )
    def get(self, request: Request, corpus_id: UUID) -> Response:
        return self.told(corpus_id)

    @operation(
        "Change the embedding model of a corpus",
        tag=TAG,
        may=May.GRANT_ACCESS,
        takes=CorpusModelInput,
        answers=CorpusModelOutput,
        description="Every passage is embedded again in the background, which a model at a service charges for. Poll the "
        "answer of GET. One that is not today's is kept until it is chosen anew.",
        sends={"model": TODAY},
        example={**EXAMPLE, "made": 0},
    )
    @transaction.atomic
    def put(self, request: Request, corpus_id: UUID) -> Response:
        asked = self.read(CorpusModelInput)
        found = access_corpus(self, corpus_id)
        services.corpus_model_choose(corpus_id=found.pk, space_id=asked["model"])
        self.work(found.pk)
        return self.told(found.pk)


class CorpusModelKept(_ModelView):
    """The end of a change."""

    @operation(
        "Keep the embedding model of a corpus",
        tag=TAG,
        may=May.GRANT_ACCESS,
        answers=CorpusModelOutput,
        repeatable=True,
        description="A change that is under way is called off, and none begins by itself. After a change, the way back is "
        "to choose the earlier model.",
        example=CALLED_OFF,
    )
    @transaction.atomic
    def post(self, request: Request, corpus_id: UUID) -> Response:
        found = access_corpus(self, corpus_id)
        services.corpus_keep_model(corpus_id=found.pk)
        self.work(found.pk)
        return self.told(found.pk)
