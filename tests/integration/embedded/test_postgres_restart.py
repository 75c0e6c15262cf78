import socket

import psutil
import pytest

from embedded.ports import LOOPBACK


def test_a_second_start_finds_the_same_address_and_the_data(postgres, query):
    first = postgres()
    query(first.dsn, "CREATE TABLE kept AS SELECT 42 AS answer")
    first.stop()
    assert not first.is_ready()
    second = postgres()
    assert second.dsn == first.dsn
    assert query(second.dsn, "SELECT answer FROM kept") == 42


@pytest.mark.parametrize("state_of_the_first", ["killed", "running"])
def test_a_second_start_takes_over_the_data_directory(postgres, query, state_of_the_first):
    first = postgres()
    query(first.dsn, "CREATE TABLE kept AS SELECT 42 AS answer")
    before = psutil.Process(first.pid)
    family = [before, *before.children()]
    if state_of_the_first == "killed":
        before.kill()
    second = postgres()
    assert query(second.dsn, "SELECT answer FROM kept") == 42
    assert second.pid != before.pid
    assert not [process for process in family if is_alive(process)]


def test_a_lock_file_that_names_a_stranger_does_not_keep_it_from_starting(postgres, query):
    first = postgres()
    first.stop()
    stranger = psutil.Process().pid
    first.cluster.lock_file.write_text(f"{stranger}\n{first.data_dir}\n1\n1\n\n\n\nready\n")
    assert not first.is_ready()
    assert query(postgres().dsn, "SELECT 1") == 1
    assert psutil.pid_exists(stranger)


def test_it_moves_when_another_server_sits_on_its_port(postgres, query):
    first = postgres()
    first.stop()
    with socket.socket() as other:
        other.bind((LOOPBACK, first.identity.port))
        other.listen()
        second = postgres()
    assert second.identity.port != first.identity.port
    assert query(second.dsn, "SELECT 1") == 1


def test_a_lost_password_file_does_not_lose_the_data(postgres, query, state):
    first = postgres()
    query(first.dsn, "CREATE TABLE kept AS SELECT 42 AS answer")
    first.stop()
    (state / "postgres.json").unlink()
    assert query(postgres().dsn, "SELECT answer FROM kept") == 42


def is_alive(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
