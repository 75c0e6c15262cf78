"""The examples of docs/identity.md sign identities that are accepted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tenants.services import audience_create
from tenants.services.identities import identity_accept, identity_key_create
from tests.integration.tenants.signing import pair

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).parents[2] / "docs/identity.md").read_text(encoding="utf-8")
SECRET = "an example's secret, long enough"


def examples(language):
    return [code for code in re.findall(rf"```{language}\n(.*?)```", PAGE, re.S) if "sub" in code]


def printed(command, code, tmp_path, **environment):
    path = tmp_path / f"example{'.py' if command == sys.executable else '.js'}"
    path.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [command, str(path)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commands():
    node = shutil.which("node")
    skipped = pytest.mark.skipif(
        node is None, reason="node is not installed: the JavaScript examples need it"
    )
    yield pytest.param(sys.executable, "python", 0, id="python")
    for n in range(2):
        yield pytest.param(node, "javascript", n, id=f"javascript {n}", marks=skipped)


@pytest.mark.parametrize(("command", "language", "n"), commands())
def test_an_example_signs_somebody_in(scoped, tmp_path, command, language, n):
    audience_create(name="Staff")
    private, public = pair("EdDSA")
    identity_key_create(kid="site-2026", algorithm="HS256", material=SECRET)
    identity_key_create(kid="site-2026-pair", algorithm="EdDSA", material=public)
    token = printed(
        command, examples(language)[n], tmp_path, IDENTITY_SECRET=SECRET, IDENTITY_PRIVATE_KEY=private
    )
    identity = identity_accept(token=token)
    assert identity.end_user.subject == "id:reader-17" and identity.unknown_audiences == ()


def test_every_example_is_run():
    assert (len(examples("python")), len(examples("javascript"))) == (1, 2)
