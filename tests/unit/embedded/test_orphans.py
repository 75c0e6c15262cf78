import subprocess
import sys
import time

import pytest

from embedded.supervisor import Stage

SUPERVISED = """
from pathlib import Path
from embedded.console import Console
from embedded.process import Launch
from embedded.service import Service
from embedded.supervisor import Stage, Supervisor
import os

class Sleeper(Service):
    name = "sleeper"
    def prepare(self):
        return Launch(("/bin/sh", "-c", {script!r}), Path({folder!r}), dict(os.environ))

def tell():
    print("started", flush=True)

console = Console(Path({folder!r}) / "child.log", [], open(os.devnull, "w"))
Supervisor([Stage([Sleeper()], then=tell)], console, mark={folder!r}).run()
"""


def kill_a_supervisor_of(script, folder, python):
    source = SUPERVISED.format(
        script=script.replace("READY", "echo $$ > part; mv part pid"), folder=str(folder)
    )
    with subprocess.Popen(python(source), stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout.readline() == "started\n"
        while not (folder / "pid").exists():
            time.sleep(0.01)
        supervisor.kill()
    return int((folder / "pid").read_text())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
def test_children_end_when_their_supervisor_is_killed(group, is_gone, python):
    assert is_gone(kill_a_supervisor_of("READY; exec sleep 60", group.folder, python))


def test_the_next_supervisor_ends_what_outlived_the_last_one(group, is_gone, python, monkeypatch):
    monkeypatch.setattr("embedded.supervisor._ORPHAN_SECONDS", 0.3)
    orphan = kill_a_supervisor_of("trap '' TERM; READY; while :; do sleep 0.1; done", group.folder, python)
    assert group.run(Stage([group.shell("web", "exec sleep 60")])) == 0
    assert is_gone(orphan)
    assert "that an earlier run left behind" in group.said
