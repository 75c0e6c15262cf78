"""What is expensive is made once, also when many threads ask for it before it is there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from kernel.once import made_once


def test_many_who_ask_at_one_moment_get_the_same():
    made, asking, may_end = [], Barrier(8), Event()

    @made_once
    def heavy():
        made.append(object())
        may_end.wait(10)
        return made[-1]

    def ask():
        asking.wait(10)
        return heavy()

    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(ask) for _ in range(8)]
        may_end.set()
        got = {id(answer.result()) for answer in answers}
    assert len(made) == len(got) == 1


def test_each_set_of_arguments_has_its_own_and_may_be_made_anew():
    made = []

    @made_once
    def named(name):
        """What it is."""
        made.append(name)
        return [name]

    assert named("a") is named("a") and named("a") is not named("b")
    named.cache_clear()
    assert named("a") == ["a"] and made == ["a", "b", "a"] and named.__doc__ == "What it is."


def test_what_could_not_be_made_is_tried_again_by_the_next():
    tried = []

    @made_once
    def fragile():
        tried.append(1)
        if len(tried) == 1:
            raise RuntimeError("not yet")
        return "made"

    with pytest.raises(RuntimeError):
        fragile()
    assert fragile() == "made"
