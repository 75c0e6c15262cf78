"""Questions that nothing in the documents answers, by REST: the list, and the mark that one was dealt with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.selectors.questions import (
    LOOKED_BACK,
    Question,
    QuestionState,
    questions_unanswered,
    questions_worded,
)
from conversations.services.questions import question_deal_with, question_reopen
from kernel.clock import now
from kernel.json import JsonObject
from tenants.rest.fields import Output, shown
from tenants.rest.operations import operation
from tenants.rest.pagination import Key
from tenants.rest.views import ApiView
from tenants.roles import May

TAG = "Unanswered questions"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DEALT = {
    "fingerprint": "5f0c7a3d9f1b5f0e7b8a1c2d3e4f5061728394a5b6c7d8e9f00112233445566a",
    "dealt_with_at": "2026-11-30T08:10:00Z",
    "dealt_with_by": 7,
}
QUESTION = {
    **DEALT,
    "question": "Do you clean windows?",
    "state": "open",
    "times": 3,
    "people": 2,
    "latest": "2026-11-30T09:00:00Z",
}


class QuestionsQuery(serializers.Serializer):  # type: ignore[type-arg]
    state = serializers.ChoiceField(
        [state.value for state in QuestionState], default=QuestionState.OPEN.value
    )
    days = serializers.IntegerField(
        min_value=1, max_value=LOOKED_BACK.days, default=7, help_text="How far back it is looked."
    )


class DealtOutput(Output):
    fingerprint = serializers.CharField(help_text="SHA-256 of the question's words, in hex.")
    dealt_with_at = serializers.DateTimeField(source="mark.at", allow_null=True)
    dealt_with_by = serializers.IntegerField(
        source="mark.by_id",
        allow_null=True,
        help_text="`user` of the member who dealt with it; null for a key.",
    )


class QuestionOutput(DealtOutput):
    question = serializers.CharField(
        source="asked",
        allow_blank=True,
        help_text="As it was asked last: as it was searched for who writes documents, else as it was typed.",
    )
    state = serializers.ChoiceField(
        [state.value for state in QuestionState],
        help_text="`open` again when it was asked in vain after it was dealt with.",
    )
    times = serializers.IntegerField(help_text="How often it was asked in this time.")
    people = serializers.IntegerField(help_text="By how many.")
    latest = serializers.DateTimeField()


def _most_asked_first(question: Question) -> Key:
    latest = (question.latest - EPOCH) // timedelta(microseconds=1)
    return (-question.times, -latest, question.fingerprint)


class UnansweredQuestions(ApiView):
    """What people asked and no document answered."""

    @operation(
        "List unanswered questions",
        tag=TAG,
        may=May.READ_CONVERSATIONS,
        query=QuestionsQuery,
        answers=QuestionOutput,
        paged=True,
        etag=True,
        description="The same words are one question, whatever their case and punctuation. The most asked come first.",
        example=QUESTION,
    )
    def get(self, request: Request) -> Response:
        asked = self.asked(QuestionsQuery)
        since = now() - timedelta(days=asked["days"])
        found = [one for one in questions_unanswered(since) if one.state == asked["state"]]
        words = self.caller.may(May.WRITE_DOCUMENTS)

        def told(page: list[Question]) -> list[JsonObject]:
            return [shown(QuestionOutput(one)) for one in questions_worded(page, since, with_searches=words)]

        return self.page_of_rows(found, told, label="questions", key=_most_asked_first)


class QuestionDealt(ApiView):
    """The mark of a question that was dealt with."""

    @operation(
        "Mark a question as dealt with",
        tag=TAG,
        may=May.JUDGE_CONVERSATIONS,
        answers=DealtOutput,
        description="From now on: asked in vain again, it is open again.",
        example=DEALT,
    )
    def put(self, request: Request, fingerprint: str) -> Response:
        mark = question_deal_with(fingerprint=fingerprint, by=self.caller.user)
        return Response(shown(DealtOutput({"fingerprint": fingerprint, "mark": mark})))

    @operation("Open a question again", tag=TAG, may=May.JUDGE_CONVERSATIONS, status=204)
    def delete(self, request: Request, fingerprint: str) -> Response:
        question_reopen(fingerprint=fingerprint)
        return Response(status=204)
