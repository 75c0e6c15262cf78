"""The tests' model provider as a process of its own, to be killed and paused: `python -m tests.bench.model_process PORT`."""

from __future__ import annotations

import sys

from aiohttp import web

from tests.fakes.model_server import ModelServer

if __name__ == "__main__":
    web.run_app(
        ModelServer().application(), host="127.0.0.1", port=int(sys.argv[1]), print=None, access_log=None
    )
