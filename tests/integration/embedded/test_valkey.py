import psutil
import pytest
import valkey as client


def connect(server):
    return client.from_url(server.url, decode_responses=True)


def test_it_refuses_a_stranger(valkey):
    server = valkey()
    with client.Valkey(port=server.identity.port) as stranger, pytest.raises(client.AuthenticationError):
        stranger.ping()
    assert server.home.stat().st_mode & 0o077 == 0


def test_it_listens_on_this_machine_only(valkey):
    listening = [item for item in psutil.Process(valkey().pid).net_connections() if item.status == "LISTEN"]
    assert [item.laddr.ip for item in listening] == ["127.0.0.1"]


def test_what_was_written_survives_a_kill_and_the_address_stays(valkey):
    first = valkey()
    with connect(first) as there:
        there.set("kept", "42")
    psutil.Process(first.pid).kill()
    second = valkey()
    assert second.url == first.url
    with connect(second) as there:
        assert there.get("kept") == "42"


def test_a_log_cut_off_in_the_middle_of_a_write_loses_that_write_only(valkey):
    first = valkey()
    with connect(first) as there:
        there.set("kept", "42")
        there.set("cut", "off")
    psutil.Process(first.pid).kill()
    first.stop()
    (log,) = first.home.glob("appendonlydir/*.incr.aof")
    log.write_bytes(log.read_bytes()[:-7])
    with connect(valkey()) as there:
        assert (there.get("kept"), there.get("cut")) == ("42", None)
        there.set("more", "1")


def test_a_second_start_takes_over_from_one_that_still_runs(valkey):
    first = valkey()
    before = psutil.Process(first.pid)
    with connect(first) as there:
        there.set("kept", "42")
    second = valkey()
    assert second.pid != before.pid
    assert not before.is_running() or before.status() == psutil.STATUS_ZOMBIE
    with connect(second) as there:
        assert there.get("kept") == "42"


def test_it_refuses_writes_rather_than_forgetting_when_memory_is_full(valkey):
    with connect(valkey()) as there:
        assert there.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert there.config_get("append*")["appendfsync"] == "everysec"
