import io

import pytest

from embedded.console import Console


class Terminal(io.StringIO):
    def isatty(self):
        return True


class ClosedPipe(io.StringIO):
    def write(self, text):
        raise BrokenPipeError


@pytest.fixture
def console(tmp_path):
    def make(stream):
        made.append(Console(tmp_path / "log" / "all.log", ["postgres", "web"], stream))
        return made[-1]

    made = []
    yield make
    for each in made:
        each.close()


def test_it_is_plain_in_a_pipe_and_names_who_speaks(console):
    stream = io.StringIO()
    console(stream).say("ready\nto serve", "web")
    first, second = stream.getvalue().splitlines()
    assert first.endswith(" web      │ ready")
    assert second.endswith(" web      │ to serve")
    assert "\033" not in stream.getvalue()


def test_it_gives_each_name_its_colour_on_a_terminal(console):
    stream = Terminal()
    log = console(stream)
    log.say("a", "web")
    log.say("b", "postgres")
    first, second = stream.getvalue().splitlines()
    assert first.split()[1][:5] != second.split()[1][:5]
    assert "\033[" in first


def test_it_goes_on_writing_the_file_when_nobody_reads_the_pipe(console, tmp_path):
    log = console(ClosedPipe())
    log.say("one", "web")
    log.say("two", "web")
    assert [line[-3:] for line in (tmp_path / "log" / "all.log").read_text().splitlines()] == ["one", "two"]
