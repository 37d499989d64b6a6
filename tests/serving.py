"""A real server on a real socket, in a thread, for tests that speak to it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx2

from heedful.edges.server import Server
from heedful.records.role import Role


class Served:
    """A running server, and keys to it."""

    def __init__(self, server: Server, url: str) -> None:
        self.server = server
        self.loop = server.loop
        self.url = url

    def key(self, role: Role = Role.ADMIN, org: str = "acme", **options: Any) -> str:
        made = self.loop.org(org).govern.keys.create(f"{role.value} of {org}", role=role, **options)
        assert made.secret is not None
        return made.secret

    def client(self, role: Role = Role.ADMIN, org: str = "acme") -> httpx2.Client:
        """An HTTP client with a key, or without one for nobody."""
        headers = {"authorization": f"Bearer {self.key(role, org)}"}
        return httpx2.Client(base_url=self.url, headers=headers, verify=False)  # no TLS, no certificates to load


@contextmanager
def serving(server: Server, proxies: Sequence[str] = ()) -> Iterator[Served]:
    listener = socket.create_server(("127.0.0.1", 0))
    running = server.runner(graceful_seconds=5, proxies=proxies)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        httpx2.get(f"{url}/healthz", timeout=60, verify=False)  # answered as soon as it has started
        yield Served(server, url)
    finally:
        running.should_exit = True
        thread.join()
        listener.close()
        server.close()
