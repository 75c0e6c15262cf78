"""What the pages draw is computed from values, without a page and without a database."""

from __future__ import annotations

from typing import Any

import pytest

from admin_ui.components.rewrite import Run, added_runs
from admin_ui.components.timeline import Remembered, timeline
from admin_ui.components.waterfall import token_shares, waterfall
from admin_ui.templatetags.console import answer_html, ms


def marked(typed: str, searched: str) -> list[str]:
    return [run.text for run in added_runs(typed, searched) if run.added]


@pytest.mark.parametrize(
    ("typed", "searched", "added"),
    [
        ("and the RPO?", "and the RPO Dublin recovery?", ["Dublin recovery"]),
        ("What's Dublin's RTO?", "What's the RTO of Dublin?", ["the", "of"]),
        ("C++ price", "C++ price eu-west-1", ["eu-west-1"]),
        ("same words", "Same WORDS", []),
        ("", "all new", ["all new"]),
        ("anything", "", []),
        ("😀", "😀 Ünïcode", ["Ünïcode"]),
    ],
)
def test_it_marks_added_words_and_leaves_the_text_as_it_is(typed, searched, added):
    assert marked(typed, searched) == added
    assert "".join(run.text for run in added_runs(typed, searched)) == searched


def test_it_marks_no_punctuation():
    assert added_runs("Why?", "Why Dublin?")[-1] == Run("?", False)


def slot(
    name: str, status: str, *, since: int = 1, last: int = 1, id: str = "", **more: Any
) -> dict[str, Any]:
    return {
        "id": id or name,
        "name": name,
        "type": more.get("type", "place"),
        "status": status,
        "introduced_turn": since,
        "last_mention_turn": last,
        "superseded_by": more.get("by"),
    }


def change(name: str, before: str | None, after: str, happened: str, id: str = "") -> dict[str, Any]:
    return {"slot_id": id or name, "name": name, "before": before, "after": after, "happened": happened}


def turn(n: int, *slots: dict[str, Any], changes: Any = (), **more: Any) -> Remembered:
    return Remembered(n, f"#turn-{n}", memory={"turn": n, "slots": slots, "changes": list(changes)}, **more)


def spans(lane: Any) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.mark.label) for span in lane.spans]


def test_a_lane_is_cut_into_bars_of_one_status():
    drawn = timeline(
        [
            turn(1, slot("Dublin", "live"), changes=[change("Dublin", None, "live", "named")]),
            turn(2, slot("Dublin", "live")),
            turn(3, slot("Dublin", "stale"), changes=[change("Dublin", "live", "stale", "silence")]),
        ]
    )
    assert spans(drawn.lanes[0]) == [(1, 3, "live"), (3, 4, "stale")]
    assert [m.column for m in drawn.lanes[0].moments if m.changed] == [1, 3]
    assert "live → stale" in drawn.lanes[0].moments[-1].tip


def test_a_turn_without_a_trace_keeps_the_status_before_it():
    drawn = timeline(
        [turn(1, slot("Dublin", "live")), Remembered(2, "#turn-2"), turn(3, slot("Dublin", "live"))]
    )
    assert spans(drawn.lanes[0]) == [(1, 4, "live")]


def test_a_closed_entity_that_is_named_again_continues_in_its_lane():
    old = slot("Dublin", "superseded", by="f")
    drawn = timeline(
        [
            turn(1, slot("Dublin", "live")),
            turn(2, old, slot("Frankfurt", "live", since=2, last=2, id="f")),
            turn(3, slot("dublin", "live", since=3, last=3, id="new"), old),
        ]
    )
    assert [lane.name for lane in drawn.lanes] == ["Dublin", "Frankfurt"]
    assert spans(drawn.lanes[0]) == [(1, 2, "live"), (2, 3, "superseded"), (3, 4, "live")]


def test_it_tells_who_took_the_place():
    moved = turn(
        2,
        slot("Dublin", "superseded", by="f"),
        slot("Frankfurt", "live", since=2, last=2, id="f"),
        changes=[change("Dublin", "live", "superseded", "replaced")],
    )
    drawn = timeline([turn(1, slot("Dublin", "live")), moved])
    assert "Frankfurt took its place" in drawn.lanes[0].moments[-1].tip


def test_what_only_the_assistant_named_is_kept_apart():
    drawn = timeline([turn(1, slot("Basic", "offered")), turn(2, slot("Basic", "evicted"))])
    assert drawn.lanes == ()
    assert spans(drawn.offered[0]) == [(1, 2, "offered"), (2, 3, "evicted")]


def test_a_slot_that_left_the_memory_keeps_its_last_status():
    drawn = timeline([turn(1, slot("Dublin", "live")), turn(2, slot("Dublin", "evicted")), turn(3)])
    assert spans(drawn.lanes[0])[-1] == (2, 4, "evicted")


def test_a_conversation_without_memory_has_no_lanes():
    assert timeline([Remembered(1, "#turn-1")]).lanes == ()


def test_bars_stay_inside_the_whole_and_are_never_invisible():
    drawn = waterfall(
        [
            {"name": "load", "at": 0, "ms": 0},
            {"name": "answer", "at": 1, "ms": 99},
            {"name": "end", "at": 100, "ms": 0},
        ]
    )
    assert drawn.total_ms == 100
    assert all(bar.width > 0 and bar.left + bar.width <= 100.01 for bar in drawn.bars)
    assert drawn.slowest is not None
    assert drawn.slowest.name == "answer"


@pytest.mark.parametrize("stages", [[], [{"name": "load", "at": 0, "ms": 0}]])
def test_a_turn_that_took_no_time_can_be_drawn(stages):
    assert waterfall(stages).total_ms == 0


def test_sections_stand_in_the_order_of_the_prompt():
    shares = token_shares({"message": 10, "new": 5, "passages": 65, "summary": 0, "system": 20})
    assert [share.name for share in shares] == ["system", "passages", "message", "new"]
    assert sum(share.width for share in shares) == pytest.approx(100)


def test_markers_become_links_to_the_citations_of_the_turn():
    assert '<a class="cite" href="#turn-7-source-2">2</a>' in answer_html("So it is [2].", 7)


@pytest.mark.parametrize(("value", "shown"), [(0.44, "0.4 ms"), (38.2, "38 ms"), (1234, "1.2 s")])
def test_durations_are_short_to_read(value, shown):
    assert ms(value) == shown
