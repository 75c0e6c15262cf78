"""Search and the passages behind citations, under the permissions of this moment."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from retrieval import services
from retrieval.domain.explaining import Exclusion, ExplainedHit
from retrieval.domain.passages import SearchFilters, SearchHit, SearchRequest, WeightedQuery
from retrieval.selectors import passage_get
from tenants.rest.end_users import EndUserField, acted_for, asked_for
from tenants.rest.fields import Flag, Id, Input, Output, Text, Whole
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May

TAG = "Search"
MOST_HITS = 100
_HIT = {
    "passage": "b6c1b0a2-9a35-4e64-8f8e-6d8a9fd0b7aa",
    "document": "0d9b8a3c-52d4-4e0f-b8c5-5d0a8a3f3c11",
    "corpus": "6f1c0f0e-8d8a-4b47-9a3e-0a4f6f1b7f10",
    "title": "Visiting hours",
    "filename": "visiting-hours.pdf",
    "heading_path": ["Intensive care"],
    "page": 2,
    "text": "Intensive care may be visited from 15:00 to 17:00, two visitors at a time.",
    "score": 0.0163,
    "ranks": {"dense": 1, "lexical": 1},
    "scores": {"dense": 0.71, "lexical": 0.31},
}


class FiltersInput(Input):
    corpora = serializers.ListField(child=Id(), max_length=200, required=False)
    documents = serializers.ListField(child=Id(), max_length=1000, required=False)
    tags = serializers.ListField(
        child=Text(max_length=60), max_length=50, required=False, help_text="One of them is enough."
    )
    uploaded_from = serializers.DateTimeField(required=False)
    uploaded_until = serializers.DateTimeField(required=False)


class SearchInput(Input):
    query = Text(max_length=4000)
    limit = Whole(min_value=1, max_value=MOST_HITS, required=False, help_text="10 unless given.")
    filters = FiltersInput(required=False)
    explain = Flag(required=False, help_text="Also tell which matching passages are left out, and why.")
    end_user = EndUserField(required=False)


class Sides(Output):
    dense = serializers.FloatField(allow_null=True)
    lexical = serializers.FloatField(allow_null=True)


class Ranks(Output):
    dense = serializers.IntegerField(allow_null=True)
    lexical = serializers.IntegerField(allow_null=True)


class HitOutput(Output):
    passage = serializers.UUIDField(source="chunk_id")
    document = serializers.UUIDField(source="document_id")
    corpus = serializers.UUIDField(source="corpus_id")
    title = serializers.CharField()
    filename = serializers.CharField()
    heading_path = serializers.ListField(child=serializers.CharField())
    page = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    score = serializers.FloatField(source="fused_score", help_text="Comparable inside one search only.")
    ranks = serializers.SerializerMethodField(help_text="From 1; null where it was not among the candidates.")
    scores = serializers.SerializerMethodField()

    @extend_schema_field(Ranks)
    def get_ranks(self, hit: SearchHit) -> JsonObject:
        return {"dense": hit.dense_rank, "lexical": hit.lexical_rank}

    @extend_schema_field(Sides)
    def get_scores(self, hit: SearchHit) -> JsonObject:
        return {"dense": hit.dense_score, "lexical": hit.lexical_score}


class LeftOutOutput(Output):
    hit = HitOutput()
    reasons = serializers.ListField(child=serializers.ChoiceField([reason.value for reason in Exclusion]))


class SearchOutput(Output):
    hits = HitOutput(many=True)
    left_out = LeftOutOutput(many=True, allow_null=True, help_text="Null unless `explain` was asked for.")


class PassageOutput(Output):
    chunk_id = serializers.UUIDField()
    document_id = serializers.UUIDField()
    corpus_id = serializers.UUIDField()
    title = serializers.CharField()
    filename = serializers.CharField()
    heading_path = serializers.ListField(child=serializers.CharField())
    page = serializers.IntegerField(allow_null=True)
    ordinal = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    text = serializers.CharField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)


class Search(ApiView):
    """The search that turns make."""

    @operation(
        "Search passages",
        tag=TAG,
        may=(May.READ_DOCUMENTS, May.CHAT),
        takes=SearchInput,
        answers=SearchOutput,
        description=(
            "Ranked inside what may be seen, never before. With `end_user` it is that person's search; a key with the "
            "scope `chat` alone has to name one."
        ),
        sends={"query": "When may intensive care be visited?", "limit": 5, "filters": {"tags": ["visitors"]}},
        example={"hits": [_HIT], "left_out": None},
    )
    def post(self, request: Request) -> Response:
        asked = self.read(SearchInput)
        wanted = search_wanted(asked, acted_for(self.caller, asked.get("end_user")))
        if not asked.get("explain"):
            return Response(
                SearchOutput({"hits": services.search(request=wanted).hits, "left_out": None}).data
            )
        told = services.search_explain(request=wanted)
        hits, out = [one.hit for one in told.shown], [_left_out(one) for one in told.left_out]
        return Response(SearchOutput({"hits": hits, "left_out": out}).data)


def search_wanted(asked: dict[str, Any], principal: Any) -> SearchRequest:
    filters = asked.get("filters", {})
    return SearchRequest(
        queries=(WeightedQuery(asked["query"]),),
        principal=principal,
        filters=SearchFilters(
            corpus_ids=tuple(filters.get("corpora", ())),
            document_ids=tuple(filters.get("documents", ())),
            tags=tuple(filters.get("tags", ())),
            uploaded_from=filters.get("uploaded_from"),
            uploaded_until=filters.get("uploaded_until"),
        ),
        limit=asked.get("limit", 10),
        candidates=max(50, asked.get("limit", 10)),
    )


def _left_out(one: ExplainedHit) -> dict[str, Any]:
    return {"hit": one.hit, "reasons": [reason.value for reason in one.reasons]}


class PassageDetail(ApiView):
    """What a citation opens."""

    @operation(
        "Read a passage",
        tag=TAG,
        may=(May.READ_DOCUMENTS, May.CHAT),
        answers=PassageOutput,
        query=asked_for(),
        description="With the text before and after it, if it may be seen now.",
        example={
            "chunk_id": _HIT["passage"],
            "document_id": _HIT["document"],
            "corpus_id": _HIT["corpus"],
            "title": _HIT["title"],
            "filename": _HIT["filename"],
            "heading_path": _HIT["heading_path"],
            "page": 2,
            "ordinal": 4,
            "start": 1320,
            "end": 1394,
            "text": _HIT["text"],
            "before": "",
            "after": "",
        },
    )
    def get(self, request: Request, passage_id: UUID) -> Response:
        principal = acted_for(self.caller, self.asked(asked_for()).get("end_user"))
        return Response(PassageOutput(passage_get(passage_id, principal).as_dict()).data)
