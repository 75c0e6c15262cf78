import os
import signal

from embedded.supervisor import Stage

SLEEP = "exec sleep 60"
NOTE = "trap 'echo $0 >> stopped; exit 0' TERM; echo >> $0.up; while :; do sleep 0.05; done"


def trapping(group, name):
    service = group.shell(name, NOTE, ready=lambda: (group.folder / f"{name}.up").exists())
    return service


def test_it_stops_the_last_stage_first(group):
    services = [trapping(group, name) for name in ("postgres", "valkey", "web")]
    assert group.run(*(Stage([service]) for service in services)) == 0
    assert (group.folder / "stopped").read_text().split() == ["web", "valkey", "postgres"]


def test_it_waits_for_a_stage_before_the_next(group):
    gate = group.folder / "gate"
    first = group.shell("postgres", f"sleep 0.2; touch {gate}; exec sleep 60", ready=gate.exists)
    second = group.shell("web", f"test -e {gate} && touch seen; exec sleep 60")
    second._ready = (group.folder / "seen").exists
    assert group.run(Stage([first]), Stage([second])) == 0
    assert len(second.pids) == 1


def test_a_failed_task_keeps_the_next_stage_from_starting(group):
    task = group.shell("migrate", "echo no such table; exit 2", once=True)
    web = group.shell("web", SLEEP)
    assert group.run(Stage([task]), Stage([web])) == 1
    assert (task.pids != [], web.pids) == (True, [])
    assert "migrate ended with exit code 2; nothing that depends on it was started." in group.said


def test_a_task_that_ends_well_is_not_started_again(group):
    task = group.shell("migrate", "echo done", once=True)
    web = group.shell("web", SLEEP)
    assert group.run(Stage([task]), Stage([web])) == 0
    assert (len(task.pids), len(web.pids)) == (1, 1)


def test_it_kills_what_does_not_end_in_time(group, is_gone):
    stubborn = group.shell("web", "trap '' TERM; touch up; while :; do sleep 0.05; done")
    stubborn._ready = (group.folder / "up").exists
    stubborn.stop_seconds = 0.2
    assert group.run(Stage([stubborn])) == 0
    assert is_gone(stubborn.pids[0])
    assert "It does not end; killing it." in group.said


def test_a_second_signal_kills_at_once(group, is_gone):
    stubborn = group.shell("web", "trap 'kill -TERM $PPID' TERM; touch up; while :; do sleep 0.05; done")
    stubborn._ready = (group.folder / "up").exists
    stubborn.stop_seconds = 120
    assert group.run(Stage([stubborn])) == 0
    assert is_gone(stubborn.pids[0])
    assert "killing everything now" in group.said


def test_an_interrupt_during_the_start_stops_what_was_started(group, is_gone):
    first = group.shell("postgres", SLEEP)
    never = group.shell("web", SLEEP, ready=lambda: False)

    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)

    assert group.run(Stage([first], then=interrupt), Stage([never])) == 0
    assert is_gone(first.pids[0])
    assert "Everything has stopped." in group.said
