"""What an admin of a demonstration tenant finds to look at: a turn that the guard objected to, ratings, an evaluation and
a what-if replay. All of it comes about as it would for anybody; the worker runs what takes longer once it is up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import Any

import conversations.tasks  # noqa: F401 -- what waits for the worker is put into its line
from conversations.evaluation.records import FollowUpSet
from conversations.evaluation.what_if import Selection
from conversations.evaluation.what_if_records import WhatIfReplay
from conversations.models import Turn
from conversations.selectors.in_force import SCOPE
from conversations.services.evaluation_runs import evaluation_start
from conversations.services.evaluation_sets import set_create, set_import
from conversations.services.turns import turn_rate
from conversations.services.what_if import what_if_start
from tenants.models import VersionKind


def rate(ratings: Iterable[Mapping[str, str]]) -> None:
    """What the people of the scripted conversations thought of answers; a turn that is rated already keeps its rating."""
    for wanted in ratings:
        turn = Turn.objects.filter(message=wanted["message"], rating="").order_by("created_at").first()
        if turn is not None:
            turn_rate(
                turn_id=turn.pk,
                end_user_id=turn.session.end_user_id,
                rating=wanted["rating"],
                reason=wanted.get("reason", ""),
            )


def evaluate(manifest: Mapping[str, Any], *, by: int) -> None:
    """A follow-up set of some of the shipped items, and one evaluation of it, which waits for the worker."""
    wanted = manifest["evaluation"]
    if FollowUpSet.objects.filter(name=wanted["name"]).exists():
        return
    made = set_create(name=wanted["name"], note=wanted["note"], by=by)
    lines = "\n".join(json.dumps(line) for line in _items(manifest, frozenset(wanted["items"])))
    set_import(set_id=made.pk, data=lines.encode())
    evaluation_start(
        set_id=made.pk,
        strategies=wanted["strategies"],
        policy_number=None,
        prompt_number=None,
        audience="",
        with_model=False,
        has_model=False,
        by=by,
    )


def replay(change: Mapping[str, Any], *, by: int) -> None:
    """What the scripted conversations had come to under a changed policy; waits for the worker."""
    if not WhatIfReplay.objects.exists():
        what_if_start(
            kind=VersionKind.POLICY.value,
            name=SCOPE,
            selection=Selection(),
            data=dict(change),
            requested_by=by,
        )


def _items(manifest: Mapping[str, Any], ids: frozenset[str]) -> Iterator[dict[str, Any]]:
    """Shipped items, with the titles of documents in place of their files."""
    titles = {
        f"{corpus['slug']}/{document['file']}": document["title"]
        for corpus in manifest["corpora"]
        for document in corpus["documents"]
    }
    shipped = resources.files("conversations.evaluation").joinpath("sets", f"{manifest['slug']}.jsonl")
    for text in shipped.read_text("utf-8").splitlines():
        line = json.loads(text)
        if line["id"] in ids:
            yield {**line, "gold": [_titled(reference, titles) for reference in line["gold"]]}


def _titled(reference: str, titles: Mapping[str, str]) -> str:
    file, _, quote = reference.partition("#")
    return f"{titles[file]}#{quote}"
