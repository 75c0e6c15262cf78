"""Evaluations by REST: started, watched, cancelled, read item by item; and the gates of publishing."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from conversations import wiring
from conversations.api import evaluation_shapes as shapes
from conversations.selectors.evaluations import access_run, gates_now, results_list, runs_list
from conversations.services import evaluation_gates, evaluation_runs
from tenants.rest.fields import shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May

TAG, MAY, MAY_READ = shapes.TAG, May.RUN_EVALUATIONS, May.READ_REPORTS


class Evaluations(ApiView):
    """Runs of follow-up sets."""

    @operation(
        "List evaluations",
        tag=TAG,
        may=MAY_READ,
        answers=shapes.RunOutput,
        paged=True,
        etag=True,
        example=shapes.RUN,
    )
    def get(self, request: Request) -> Response:
        return self.page(runs_list(), shapes.run_shown, by=("-created_at", "id"))

    @operation(
        "Start an evaluation",
        tag=TAG,
        may=MAY,
        takes=shapes.RunInput,
        answers=shapes.RunOutput,
        status=201,
        repeatable=True,
        description=(
            "Every item of a set under each strategy, over the workspace's own documents, in the background: poll it "
            "until `state` is `done`, `failed` or `cancelled`. Versions may be drafts; left out, what is in force is run. "
            "The strategy `policy` is the policy's own."
        ),
        sends={"set": shapes.SET_ID, "strategies": ["policy", "window4"], "policy_number": 3},
        example={
            **shapes.RUN,
            "state": "queued",
            "done": 0,
            "passed": None,
            "report": {},
            "finished_at": None,
        },
    )
    def post(self, request: Request) -> Response:
        asked, user = self.read(shapes.RunInput), self.caller.user
        run = evaluation_runs.evaluation_start(
            set_id=asked.pop("set"),
            **asked,
            has_model=wiring.chat_model() is not None,
            by=user.pk if user else None,
        )
        return Response(shapes.run_shown(run), status=201)


class EvaluationDetail(ApiView):
    """One run."""

    @operation(
        "Read an evaluation", tag=TAG, may=MAY_READ, answers=shapes.RunOutput, etag=True, example=shapes.RUN
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        return Response(shapes.run_shown(access_run(run_id)))

    @operation(
        "Delete an evaluation",
        tag=TAG,
        may=MAY,
        status=204,
        description="With its results, once it has ended.",
    )
    def delete(self, request: Request, run_id: UUID) -> Response:
        evaluation_runs.evaluation_delete(run_id=run_id)
        return Response(status=204)


class EvaluationCancel(ApiView):
    """The end of a run."""

    @operation(
        "Cancel an evaluation",
        tag=TAG,
        may=MAY,
        answers=shapes.RunOutput,
        repeatable=True,
        description="What it has found so far stays.",
        example={**shapes.RUN, "state": "cancelled", "passed": None},
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        return Response(shapes.run_shown(evaluation_runs.evaluation_cancel(run_id=run_id)))


class EvaluationResults(ApiView):
    """What came of each item."""

    @operation(
        "List results of an evaluation",
        tag=TAG,
        may=MAY,
        query=shapes.ResultsQuery,
        answers=shapes.ResultOutput,
        paged=True,
        etag=True,
        example=shapes.RESULT,
    )
    def get(self, request: Request, run_id: UUID) -> Response:
        access_run(run_id)
        found = results_list(run_id, **self.asked(shapes.ResultsQuery))
        return self.page(found, shapes.result_shown, by=("position", "id"))


class Gates(ApiView):
    """What an evaluation must reach."""

    @operation(
        "Read the gates", tag=TAG, may=MAY_READ, answers=shapes.GatesOutput, etag=True, example=shapes.GATES
    )
    def get(self, request: Request) -> Response:
        return Response(shown(shapes.GatesOutput(gates_now())))

    @operation(
        "Set the gates",
        tag=TAG,
        may=May.PUBLISH_VERSIONS,
        takes=shapes.GatesInput,
        answers=shapes.GatesOutput,
        description="While `required`, a policy or a prompt is published after a passing evaluation on `set` only.",
        sends=shapes.GATES,
        example=shapes.GATES,
    )
    def put(self, request: Request) -> Response:
        asked = self.read(shapes.GatesInput)
        gates = evaluation_gates.gates_set(set_id=asked.pop("set"), **asked)
        return Response(shown(shapes.GatesOutput(gates)))
