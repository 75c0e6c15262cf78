"""The whole application on a port of its own, for clients that are nobody's test client."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn


@contextmanager
def served() -> Iterator[str]:
    """The address at which the ASGI application is served by a thread of this process."""
    from config.asgi import application

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        config = uvicorn.Config(application, log_level="warning", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=asyncio.run, args=[_serve(server, listening)], name="uvicorn")
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(0.01)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(30)


async def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
    """Leave no connection behind in the loop that ends with the server."""
    from conversations import wiring
    from conversations.adapters.event_log import close_client

    await server.serve(sockets=[listening])
    await wiring.answers_ended()
    await close_client()
