"""A hostile file ends in its own reason, and never in the worker's end."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from kernel.errors import DomainError
from retrieval.adapters.converters import sandbox
from retrieval.adapters.converters.sandbox import SandboxedConverter
from retrieval.domain.errors import (
    ConverterUnavailable,
    DocumentBomb,
    DocumentCorrupt,
    DocumentTimeout,
    DocumentTooLong,
    DocumentUnsupported,
)
from retrieval.domain.ports import ConversionLimits

NESTED = b"<div>" * 400_000 + b"hello"


def test_it_gives_the_document_across_the_border():
    document = SandboxedConverter().convert("# Größe\n\nEins.".encode(), filename="a.md")
    assert (document.title, document.text, document.encoding) == ("Größe", "Größe\n\nEins.", "utf-8")
    assert document.blocks[1].heading_path == ("Größe",)


def test_a_reason_crosses_with_its_details():
    with pytest.raises(DocumentUnsupported, match="a PNG image"):
        SandboxedConverter().convert(b"\x89PNG\r\n\x1a\n" + bytes(99), filename="a.md")


def test_a_file_that_takes_too_long_is_stopped():
    with pytest.raises(DocumentTimeout):
        SandboxedConverter(ConversionLimits(seconds=0.3)).convert(NESTED, filename="a.html")


def test_a_file_that_takes_too_much_memory_is_stopped():
    limits = ConversionLimits(memory_bytes=220_000_000)
    with pytest.raises(DocumentBomb):
        SandboxedConverter(limits).convert(b"word " * 8_000_000, filename="a.txt")


def test_a_text_over_the_limit_is_too_long():
    with pytest.raises(DocumentTooLong):
        SandboxedConverter(ConversionLimits(text_characters=1000)).convert(b"word " * 400, filename="a.txt")


def test_it_does_not_see_the_workers_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    from retrieval.adapters.converters import sandbox

    assert "OPENAI_API_KEY" not in sandbox._environment()


@pytest.mark.parametrize(
    "status, reason",
    [
        (1, ConverterUnavailable),
        (-signal.SIGALRM, DocumentTimeout),
        (-signal.SIGXCPU, DocumentTimeout),
        (-signal.SIGKILL, DocumentBomb),
        (-signal.SIGABRT, DocumentBomb),
        (-signal.SIGSEGV, DocumentCorrupt),
    ],
)
def test_every_end_of_the_child_has_a_reason(status, reason):
    assert type(SandboxedConverter()._reason(status)) is reason


def test_it_beats_while_it_works_and_stops_when_told(monkeypatch):
    from retrieval.adapters.converters import sandbox

    class Stop(Exception):
        pass

    def heartbeat():
        raise Stop

    children = []

    def start(*arguments, **options):
        children.append(popen(*arguments, **options))
        return children[-1]

    popen = sandbox.subprocess.Popen
    monkeypatch.setattr(sandbox.subprocess, "Popen", start)
    monkeypatch.setattr(sandbox, "_HEARTBEAT_SECONDS", 0.0)
    with pytest.raises(Stop):
        SandboxedConverter().convert(NESTED, filename="a.html", heartbeat=heartbeat)
    assert children[0].returncode == -signal.SIGKILL


def test_without_an_interpreter_it_may_be_tried_again(monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(DomainError) as caught:
        SandboxedConverter().convert(b"text", filename="a.txt")
    assert caught.value.code == "converter_unavailable"
    assert caught.value.retryable


@pytest.fixture
def converter():
    converter = SandboxedConverter()
    yield converter
    converter.close()


def serving(converter):
    return [readers._process.pid for readers in converter._idle]


def test_one_process_serves_many_files(converter):
    for number in range(3):
        assert converter.convert(f"Text {number}.".encode(), filename="a.txt").text == f"Text {number}."
    assert len(serving(converter)) == 1


def test_a_file_that_is_refused_costs_no_process(converter):
    converter.convert(b"Text.", filename="a.txt")
    before = serving(converter)
    with pytest.raises(DocumentUnsupported):
        converter.convert(b"\x89PNG\r\n\x1a\n" + bytes(99), filename="a.md")
    assert serving(converter) == before


def test_after_a_fault_the_next_file_has_a_new_process():
    converter = SandboxedConverter(ConversionLimits(memory_bytes=60_000_000))
    converter.convert(b"Text.", filename="a.txt")
    before = serving(converter)
    with pytest.raises(DocumentBomb):
        converter.convert(b"<p>word</p> " * 2_000_000, filename="a.html")
    assert converter.convert(b"Text.", filename="a.txt").text == "Text."
    assert before != [] and len(serving(converter)) == 1
    converter.close()


def test_a_process_that_ended_meanwhile_is_replaced(converter):
    converter.convert(b"Text.", filename="a.txt")
    (pid,) = serving(converter)
    os.kill(pid, signal.SIGKILL)
    assert converter.convert(b"More.", filename="a.txt").text == "More."
    assert serving(converter) != [pid]


def test_a_process_is_replaced_after_many_files(converter, monkeypatch):
    monkeypatch.setattr(sandbox, "_FILES_EACH", 2)
    pids = []
    for _ in range(4):
        converter.convert(b"Text.", filename="a.txt")
        pids.append(serving(converter))
    assert pids[0] != [] and pids[1] == [] and pids[2] not in ([], pids[0]) and pids[3] == []


def test_files_at_once_have_a_process_each(converter):
    with ThreadPoolExecutor(3) as pool:
        texts = list(
            pool.map(lambda n: converter.convert(f"Text {n}.".encode(), filename="a.txt").text, range(9))
        )
    assert texts == [f"Text {n}." for n in range(9)]
    assert 1 <= len(serving(converter)) <= 3


def test_what_one_file_leaves_behind_the_next_does_not_find(converter):
    """Each file is read by a fork of its own: nothing it does to the reader outlives it."""
    first = converter.convert(b"a,b\n1,2\n", filename="a.csv")
    with pytest.raises(DomainError):
        converter.convert(b'a,b\n"' + b"x" * 11_000_000, filename="b.csv")
    assert converter.convert(b"a,b\n1,2\n", filename="a.csv") == first


def test_when_the_worker_is_gone_its_readers_end(converter):
    converter.convert(b"Text.", filename="a.txt")
    (readers,) = converter._idle
    readers._channel.close()
    assert readers._process.wait(30) == 0
