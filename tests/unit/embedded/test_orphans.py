import os
import signal
import subprocess
import sys

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
    source = SUPERVISED.format(script=f"echo $$ > pid.part; mv pid.part pid; {script}", folder=str(folder))
    with subprocess.Popen(python(source), stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout.readline() == "started\n"
        for _ in range(500):
            if (folder / "pid").exists():
                break
            os.sched_yield()
            signal.sigtimedwait([], 0.01)
        supervisor.kill()
    return int((folder / "pid").read_text())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
def test_children_end_when_their_supervisor_is_killed(group, is_gone, python):
    assert is_gone(kill_a_supervisor_of("exec sleep 60", group.folder, python))


def test_the_next_supervisor_ends_what_outlived_the_last_one(group, is_gone, python):
    script = "trap '' TERM; while :; do sleep 0.1; done"
    (group.folder / "pid").unlink(missing_ok=True)
    orphan = kill_a_supervisor_of("trap '' TERM; touch deaf; while :; do sleep 0.1; done", group.folder, python)
    assert script
    web = group.shell("web", "exec sleep 60")
    import embedded.supervisor as module

    before, module._ORPHAN_SECONDS = module._ORPHAN_SECONDS, 0.3
    try:
        assert group.run(Stage([web])) == 0
    finally:
        module._ORPHAN_SECONDS = before
    assert is_gone(orphan)
    assert "that an earlier run left behind" in group.said
