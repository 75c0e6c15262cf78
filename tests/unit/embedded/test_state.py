import os
import subprocess

import pytest

from embedded.errors import StackInUse
from embedded.state import default_state_dir, exclusive, holder, is_owned, read_json, write_json

HOLD = """
from pathlib import Path
from embedded.state import exclusive
with exclusive(Path({folder!r})):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other_process(python, tmp_path):
    with subprocess.Popen(
        python(HOLD.format(folder=str(tmp_path))), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_it_refuses_a_directory_that_another_process_owns_and_names_it(other_process, tmp_path):
    assert is_owned(tmp_path)
    with pytest.raises(StackInUse, match=str(other_process.pid)), exclusive(tmp_path):
        pass
    assert holder(tmp_path) == str(other_process.pid)


def test_it_gets_the_directory_of_a_killed_process(other_process, tmp_path):
    other_process.kill()
    other_process.wait()
    assert not is_owned(tmp_path)
    with exclusive(tmp_path):
        assert holder(tmp_path) == str(os.getpid())
    assert not is_owned(tmp_path)


def test_looking_does_not_create_anything(tmp_path):
    assert not is_owned(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_what_it_keeps_is_private_and_survives_a_damaged_file(tmp_path):
    file = tmp_path / "kept.json"
    write_json(file, {"password": "secret"})
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_json(file) == {"password": "secret"}
    file.write_text('{"password": "sec')
    assert read_json(file) == {}


def test_the_environment_chooses_the_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("ANTECEDENT_STATE", str(tmp_path))
    assert default_state_dir() == tmp_path
