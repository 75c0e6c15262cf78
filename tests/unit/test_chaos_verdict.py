"""The judge of `make chaos` finds what is lost, doubled and unfinished, and only that."""

from __future__ import annotations

import pytest

from tests.bench.chaos_verdict import DOCUMENTS, TURNS, judged

GOOD_TURN = ("a", "completed", 1)
GOOD_FILE = ("a.md", "indexed", 3, 3, 3)


def verdict(turns, files, *, well=True):
    def rows(query, wanted):
        return {TURNS: turns, DOCUMENTS: files}[query]

    return judged(rows, ["a"], ["a.md"], well=well)


def test_all_there_and_once_is_good():
    assert verdict([GOOD_TURN], [GOOD_FILE]).is_good
    assert verdict([("a", "joined", 0)], [GOOD_FILE]).is_good


@pytest.mark.parametrize(
    ("turns", "files", "wrong"),
    [
        ([], [GOOD_FILE], "lost_turns"),
        ([GOOD_TURN, GOOD_TURN], [GOOD_FILE], "doubled_turns"),
        ([("a", "completed", 2)], [GOOD_FILE], "doubled_turns"),
        ([("a", "running", 0)], [GOOD_FILE], "unfinished_turns"),
        ([("a", "failed", 1)], [GOOD_FILE], "unfinished_turns"),
        ([("a", "completed", 0)], [GOOD_FILE], "unfinished_turns"),
        ([GOOD_TURN], [], "lost_documents"),
        ([GOOD_TURN], [GOOD_FILE, GOOD_FILE], "doubled_documents"),
        ([GOOD_TURN], [("a.md", "indexed", 3, 6, 3)], "doubled_documents"),
        ([GOOD_TURN], [("a.md", "indexed", 3, 3, 6)], "doubled_documents"),
        ([GOOD_TURN], [("a.md", "embedding", 0, 0, 0)], "unfinished_documents"),
        ([GOOD_TURN], [("a.md", "indexed", 3, 3, 2)], "unfinished_documents"),
        ([GOOD_TURN], [("a.md", "indexed", 0, 0, 0)], "unfinished_documents"),
    ],
)
def test_each_kind_of_wrong_is_named(turns, files, wrong):
    found = verdict(turns, files)
    assert not found.is_good and getattr(found, wrong)


def test_a_platform_that_is_not_well_again_is_not_good():
    assert not verdict([GOOD_TURN], [GOOD_FILE], well=False).is_good
