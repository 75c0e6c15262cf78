"""`antecedent` becomes the process that it names, and tells whether one lives."""

from __future__ import annotations

import os

import pytest

from config import alive, command, environment


@pytest.fixture(autouse=True)
def state(monkeypatch, tmp_path):
    monkeypatch.setattr(environment, "STATE_DIR", tmp_path)
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture
def became(monkeypatch):
    found: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, arguments: found.append(arguments))
    return found


@pytest.mark.parametrize(
    ("name", "part"), [("web", "config.asgi:application"), ("worker", "worker"), ("beat", "beat")]
)
def test_it_becomes_the_process(monkeypatch, became, name, part):
    monkeypatch.setattr("sys.argv", ["antecedent", name])
    command.main()
    assert part in became[0]


def test_a_worker_that_is_told_to_end_hands_back_what_it_cannot_finish():
    command.worker()
    assert os.environ["REMAP_SIGTERM"] == "SIGQUIT"


@pytest.mark.parametrize("name", ["worker", "beat"])
def test_a_process_lives_as_long_as_its_loop_turns(name):
    assert alive.main([name]) == 1
    alive.pulse(name)
    assert alive.main([name]) == 0
    stale = alive.pulse_file(name).stat().st_mtime - alive.STALE_SECONDS
    os.utime(alive.pulse_file(name), (stale, stale))
    assert alive.main([name]) == 1


def test_nobody_listening_is_not_alive(monkeypatch):
    monkeypatch.setenv("WEB_PORT", "1")
    assert alive.main(["web"]) == alive.main(["ready"]) == 1


def test_another_name_is_a_mistake_in_the_call():
    assert alive.main([]) == alive.main(["postgres"]) == 2
