import os
import subprocess

import psutil
import pytest

from embedded.stack import Endpoints, endpoints, running_stack, throwaway_state
from embedded.state import exclusive
from embedded.up import Options, run

HOLD = """
from pathlib import Path
from embedded import running_stack
with running_stack(Path({state!r})) as addresses:
    print(addresses.database_url, flush=True)
    sys.stdin.read()
"""
UP = """
from pathlib import Path
from embedded.up import Options, run
sys.exit(run(Options(only_services=True), Path({state!r})))
"""


def start(command):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_another_process_finds_and_uses_a_running_stack_and_leaves_it_alone(state, python, query):
    with running_stack(state) as ours:
        assert endpoints(state) == ours
        other = subprocess.run(
            python(HOLD.format(state=str(state))),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        )
        assert other.stdout.strip() == ours.database_url
        assert query(ours.database_url, "SELECT 1") == 1
    assert endpoints(state) is None


def test_a_killed_owner_leaves_no_address_and_no_process(state, python, query):
    with start(python(HOLD.format(state=str(state)))) as owner:
        assert owner.stdout.readline().startswith("postgresql://antecedent:")
        servers = psutil.Process(owner.pid).children()
        owner.kill()
    assert endpoints(state) is None
    with running_stack(state) as ours:
        assert query(ours.database_url, "SELECT 1") == 1
        assert not psutil.wait_procs(servers, timeout=5)[1]


def test_up_restarts_a_killed_server_tells_a_second_up_where_it_is_and_stops_cleanly(
    state, python, query, capsys
):
    with start(python(UP.format(state=str(state)))) as up:
        wait_for(up, "The servers are ready")
        addresses = endpoints(state)
        assert isinstance(addresses, Endpoints)
        assert run(Options(), state) == 1
        assert f"already running (process {up.pid})" in capsys.readouterr().err
        family = psutil.Process(up.pid).children()
        next(child for child in family if child.name() == "postgres").kill()
        wait_for(up, "postgres │ Ready")
        assert query(addresses.database_url, "SELECT 1") == 1
        family = psutil.Process(up.pid).children(recursive=True)
        up.terminate()
        said = up.stdout.read()
    assert up.returncode == 0
    assert said.rstrip().endswith("Everything has stopped.")
    assert not psutil.wait_procs(family, timeout=1)[1]
    assert endpoints(state) is None
    assert "password" not in (state / "log" / "antecedent.log").read_text().lower()


def test_up_uses_the_servers_it_is_given(state, python, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:secret@db.example/antecedent")
    monkeypatch.setenv("VALKEY_URL", "redis://cache.example/0")
    with start(python(UP.format(state=str(state)))) as up:
        wait_for(up, "The servers are ready")
        addresses = endpoints(state)
        assert psutil.Process(up.pid).children() == []
        up.terminate()
        up.stdout.read()
    assert addresses == Endpoints(
        "postgresql://me:secret@db.example/antecedent", "", "redis://cache.example/0"
    )


def test_a_throwaway_state_of_a_killed_run_is_removed_by_a_later_one():
    with throwaway_state() as abandoned, throwaway_state() as recent, throwaway_state() as used:
        for folder in (abandoned, recent):
            (folder / "lock").touch()
        os.utime(abandoned / "lock", (0, 0))
        with exclusive(used):
            os.utime(used / "lock", (0, 0))
            with throwaway_state():
                assert [folder.exists() for folder in (abandoned, recent, used)] == [False, True, True]


def wait_for(process, words):
    for line in process.stdout:
        if words in line:
            return
    pytest.fail(f"it ended before it said: {words}")
