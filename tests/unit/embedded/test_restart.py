from embedded.child import RestartPolicy
from embedded.supervisor import Stage

SLEEP = "exec sleep 60"


def test_it_starts_a_killed_program_again(group):
    service = group.shell("web", SLEEP)
    watcher = group.shell("watcher", SLEEP, ready=lambda: len(service.pids) == 2)
    assert group.run(Stage([service], then=service.kill), Stage([watcher])) == 0
    assert "web was killed (SIGKILL); starting it again in 0.01 s." in group.said


def test_it_starts_a_program_that_ended_by_itself_again(group):
    script = "test $(wc -l < web.pids) -ge 3 && exec sleep 60; exit 0"
    service = group.shell("web", script, ready=lambda: len(service.pids) == 3)
    assert group.run(Stage([service])) == 0
    assert "web ended with exit code 0; starting it again" in group.said


def test_it_gives_up_after_several_quick_failures_and_shows_the_last_words(group):
    broken = group.shell("web", "echo cannot find my configuration; exit 3", ready=lambda: False)
    healthy = group.shell("valkey", SLEEP)
    assert group.run(Stage([healthy]), Stage([broken])) == 1
    assert len(broken.pids) == 4
    assert "web ended with exit code 3 4 times in a row" in group.said
    assert group.said.rindex("cannot find my configuration") > group.said.index("4 times in a row")


def test_what_ran_well_once_is_started_again_for_as_long_as_it_takes(group):
    """A server whose disk is full ends early again and again, and runs as soon as there is room."""
    script = "case $(wc -l < postgres.pids) in 1|10) exec sleep 60;; *) exit 1;; esac"
    service = group.shell("postgres", script)
    watcher = group.shell("watcher", SLEEP, ready=lambda: len(service.pids) == 10)
    assert group.run(Stage([service], then=service.kill), Stage([watcher])) == 0
    assert group.said.count("postgres ended with exit code 1; starting it again") == 8


def test_it_says_why_a_program_cannot_be_started_at_all(group):
    service = group.shell("web", SLEEP)
    service.folder = group.folder / "missing"
    assert group.run(Stage([service])) == 1
    assert "web could not be started" in group.said
    assert "missing" in group.said


def test_it_replaces_a_program_that_never_becomes_ready(group):
    service = group.shell("web", SLEEP, ready=lambda: len(service.pids) == 2)
    service.ready_seconds = 0.3
    assert group.run(Stage([service])) == 0
    assert "web is not usable (not ready after 0.3 s)" in group.said


def test_what_a_killed_program_started_does_not_meet_its_successor(group, is_gone):
    service = group.shell("worker", "sleep 60 & echo $! >> helpers; wait")
    helpers = group.folder / "helpers"
    ready = group.shell("watcher", SLEEP, ready=lambda: len(helpers.read_text().split()) == 2)
    service._ready = helpers.exists
    group.run(Stage([service], then=service.kill), Stage([ready]))
    assert is_gone(int(helpers.read_text().split()[0]))


def test_delays_double_up_to_the_longest():
    policy = RestartPolicy(first_delay=0.5, longest_delay=3)
    assert [policy.delay(ends) for ends in (1, 2, 3, 4, 9)] == [0.5, 1, 2, 3, 3]
