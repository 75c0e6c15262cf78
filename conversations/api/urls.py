"""Addresses of conversations, below `/api/v1/`."""

from __future__ import annotations

from django.urls import path

from conversations.api import (
    comparisons,
    evaluation_sets,
    evaluations,
    judgements,
    memory,
    questions,
    reports,
    sessions,
    turns,
    what_if,
)

urlpatterns = [
    path("sessions", sessions.Sessions.as_view()),
    path("sessions/<uuid:session_id>", sessions.SessionDetail.as_view()),
    path("sessions/<uuid:session_id>/memory", memory.SessionMemory.as_view()),
    path("turns", turns.Turns.as_view()),
    path("turns/<uuid:turn_id>", turns.TurnDetail.as_view()),
    path("turns/<uuid:turn_id>/trace", turns.TurnTraceDetail.as_view()),
    path("turns/<uuid:turn_id>/stop", turns.TurnStop.as_view()),
    path("turns/<uuid:turn_id>/retry", turns.TurnRetry.as_view()),
    path("turns/<uuid:turn_id>/rating", turns.TurnRating.as_view()),
    path("turns/<uuid:turn_id>/judgement", judgements.TurnJudged.as_view()),
    path("unanswered-questions", questions.UnansweredQuestions.as_view()),
    path("unanswered-questions/<slug:fingerprint>/dealt-with", questions.QuestionDealt.as_view()),
    path("reports/contamination", reports.Contamination.as_view()),
    path("what-if-replays", what_if.WhatIfReplays.as_view()),
    path("what-if-replays/<uuid:replay_id>", what_if.WhatIfReplayDetail.as_view()),
    path("what-if-replays/<uuid:replay_id>/cancel", what_if.WhatIfReplayCancel.as_view()),
    path("what-if-replays/<uuid:replay_id>/draft", what_if.WhatIfReplayDraft.as_view()),
    path("what-if-replays/<uuid:replay_id>/publish", what_if.WhatIfReplayPublication.as_view()),
    path("what-if-replays/<uuid:replay_id>/differences", what_if.WhatIfReplayDifferences.as_view()),
    path("evaluations/sets", evaluation_sets.Sets.as_view()),
    path("evaluations/sets/<uuid:set_id>", evaluation_sets.SetDetail.as_view()),
    path("evaluations/sets/<uuid:set_id>/items", evaluation_sets.SetItems.as_view()),
    path("evaluations/sets/<uuid:set_id>/items/<uuid:item_id>", evaluation_sets.SetItemDetail.as_view()),
    path("evaluations/sets/<uuid:set_id>/turns", evaluation_sets.SetTurns.as_view()),
    path("evaluations/sets/<uuid:set_id>/import", evaluation_sets.SetImport.as_view()),
    path("evaluations/sets/<uuid:set_id>/export", evaluation_sets.SetExport.as_view()),
    path("evaluations/runs", evaluations.Evaluations.as_view()),
    path("evaluations/runs/<uuid:run_id>", evaluations.EvaluationDetail.as_view()),
    path("evaluations/runs/<uuid:run_id>/cancel", evaluations.EvaluationCancel.as_view()),
    path("evaluations/runs/<uuid:run_id>/results", evaluations.EvaluationResults.as_view()),
    path(
        "evaluations/runs/<uuid:run_id>/against/<uuid:before_id>", comparisons.EvaluationComparison.as_view()
    ),
    path(
        "evaluations/runs/<uuid:run_id>/against/<uuid:before_id>/items",
        comparisons.EvaluationComparisonItems.as_view(),
    ),
    path("evaluations/gates", evaluations.Gates.as_view()),
]
