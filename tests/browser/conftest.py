"""The whole platform as `make demo` runs it, once for all tests here, and a real Chromium to look at it."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import psutil
import psycopg
import pytest

from embedded import ports
from embedded.stack import endpoints, throwaway_state

ROOT = Path(__file__).parents[2]
ARTIFACTS = ROOT / "tests" / "artifacts"
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def eventually(what: Callable[[], Any], *, seconds: float = 120, every: float = 0.2) -> Any:
    """The first truthy value of `what()`. The limit only bounds a broken run."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if value := what():
            return value
        time.sleep(every)
    raise AssertionError(f"did not happen within {seconds} s: {what}")


@dataclass
class Platform:
    """A running `manage.py up --seed demo`."""

    process: subprocess.Popen[bytes]
    state: Path
    url: str
    database: str

    def pids(self, role: str) -> list[int]:
        """The processes of a role in `ROLES`."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        return [child.pid for child in children if _plays(child, role)]

    def kill(self, role: str) -> None:
        """kill -9 of every process of a role; returns when others have taken their place."""
        gone = set(self.pids(role))
        assert gone, f"no process plays {role}"
        for pid in gone:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        eventually(lambda: set(self.pids(role)) - gone)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows as the superuser sees them, past the wall."""
        with psycopg.connect(self.database) as connection:
            return connection.execute(query, values or None).fetchall()

    @contextmanager
    def signed_in(self, tenant: str, email: str, password: str) -> Iterator[httpx2.Client]:
        base = f"{self.url}t/{tenant}/"
        with httpx2.Client(base_url=base, follow_redirects=True, timeout=60) as client:
            self._sign_in(client, email, password)
            yield client

    def _sign_in(self, client: httpx2.Client, email: str, password: str) -> None:
        client.get("login/")
        form = {"username": email, "password": password, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
        answer = client.post("login/", data=form, headers={"Referer": str(client.base_url)})
        assert answer.status_code == 200 and "chat" in str(answer.url), answer.url


ROLES = {
    "web": "uvicorn config.asgi",
    "worker": "config.celery worker",
    "postgres": "bin/postgres -D",
    "valkey": "valkey-server",
}


def _plays(process: psutil.Process, role: str) -> bool:
    try:
        return ROLES[role] in " ".join(process.cmdline())
    except psutil.Error:
        return False


@pytest.fixture(scope="session")
def platform_up(request: pytest.FixtureRequest) -> Iterator[Platform]:
    """Starts from nothing: servers, migrations, demonstration data, web, worker, beat.

    Its log and its port are this run's own, so that another run in the same tree never takes them for its own.
    """
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    log = ARTIFACTS / f"platform-{os.getpid()}.log"
    with running_platform(log, port=ports.choose_persistent()) as platform:
        yield platform
        if request.session.testsfailed:
            print("the platform's last lines:", *log.read_text(errors="replace").splitlines()[-60:], sep="\n")


@contextmanager
def running_platform(
    log: Path,
    *,
    port: int,
    settings: Mapping[str, str] = {},
    prepared: Callable[[Path], AbstractContextManager[Any]] = nullcontext,
) -> Iterator[Platform]:
    """`manage.py up --seed demo` in a state of its own, which may be prepared, with these settings; stopped at the end."""
    log.unlink(missing_ok=True)
    ours = {"DATABASE_URL", "VALKEY_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"}
    with throwaway_state() as state, prepared(state), log.open("wb") as output:
        env = {name: value for name, value in os.environ.items() if name not in ours}
        env |= {"ANTECEDENT_STATE": str(state), "COLUMNS": "120", **settings}
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--seed", "demo", "--port", str(port)],
            cwd=ROOT,
            env=env,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_end_with_the_tests,
        )
        try:
            url = eventually(lambda: _ready_url(process, log), seconds=280)
            addresses = endpoints(state)
            assert addresses is not None
            superuser = urlsplit(addresses.superuser_database_url)._replace(path="/antecedent").geturl()
            yield Platform(process, state, url, superuser)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def _end_with_the_tests() -> None:
    """PR_SET_PDEATHSIG: a test run that is killed takes its platform along."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _ready_url(process: subprocess.Popen[bytes], log: Path) -> str | None:
    assert process.poll() is None, log.read_text()[-4000:]
    found = re.search(r"Antecedent is ready: (http://\S+)", log.read_text(errors="replace"))
    return found[1] if found else None


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium on this machine, and in CI browser tests are never skipped")
        pytest.skip("no Chromium on this machine: install the package `chromium` to run the browser tests")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page of a fresh browser. Any script error fails the test; its last state is kept as a picture."""
    context = chromium.new_context(viewport={"width": 1280, "height": 860})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.screenshot(path=ARTIFACTS / f"{request.node.name}.png")
    context.close()
    assert errors == []
