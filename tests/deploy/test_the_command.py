"""`antecedent` becomes the process that it names, and tells whether one lives."""

from __future__ import annotations

import itertools
import os

import pytest

from config import alive, command, environment
from embedded.application import Web


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


def test_the_web_process_bounds_what_it_is_sent_as_the_one_of_up_does():
    own = dict(itertools.pairwise(Web("127.0.0.1", 8000, dict)._arguments))
    images = dict(itertools.pairwise(command.web()))
    for options in (own, images):
        assert options["--http"] == "config.serving:Impatient" and options["--ws-max-size"] == "524288"
    assert "--no-server-header" in command.web()
    assert (own["--timeout-graceful-shutdown"], images["--timeout-graceful-shutdown"]) == ("5", "25")


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
