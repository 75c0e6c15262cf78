import socket
import threading

import pytest

from embedded import ports
from embedded.identity import Identity


@pytest.fixture
def taken():
    with socket.socket() as server:
        server.bind((ports.LOOPBACK, 0))
        server.listen()
        yield server.getsockname()[1]


def test_it_takes_the_next_free_port_when_one_is_busy(taken):
    assert not ports.is_free(taken)
    chosen = ports.next_free(taken)
    assert chosen > taken
    assert ports.is_free(chosen)


def test_a_server_keeps_its_port_and_passwords(tmp_path):
    first = Identity.settle(tmp_path / "server.json")
    assert Identity.settle(tmp_path / "server.json") == first == Identity.kept(tmp_path / "server.json")


def test_a_server_moves_only_when_its_port_is_taken(tmp_path):
    first = Identity.settle(tmp_path / "server.json")
    with socket.socket() as thief:
        thief.bind((ports.LOOPBACK, first.port))
        thief.listen()
        second = Identity.settle(tmp_path / "server.json")
    assert second.port != first.port
    assert second.password == first.password


def test_remembered_ports_lie_below_those_of_outgoing_connections(tmp_path):
    assert 20_000 <= Identity.settle(tmp_path / "server.json").port < 32_768


def test_a_port_that_is_let_go_of_a_moment_later_is_kept():
    with socket.socket() as dying:
        dying.bind((ports.LOOPBACK, 0))
        dying.listen()
        port = dying.getsockname()[1]
        threading.Timer(0.1, dying.close).start()
        assert ports.choose_persistent(port, patience=10) == port
