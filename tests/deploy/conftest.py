"""A server that speaks S3, on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator

import boto3
import pytest
from moto.server import ThreadedMotoServer

from tenants.adapters.bucket import Bucket

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The address of a server with an empty bucket `antecedent`."""
    os.environ.update(KEYS)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    boto3.client("s3", endpoint_url=address, region_name="us-east-1").create_bucket(Bucket="antecedent")
    yield address
    server.stop()


@pytest.fixture
def bucket(s3: str) -> Iterator[Bucket]:
    """The bucket below a prefix, empty again afterwards."""
    found = Bucket(name="antecedent", prefix="chat", endpoint=s3)
    yield found
    found.delete_below("")
