"""Fixtures: a server on each database."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import httpx2
import pytest

from heedful.edges.request_body import Timeouts
from heedful.edges.server import Server
from heedful.settings import Settings
from tests.serving import Served, serving


@pytest.fixture
def served(database: str) -> Iterator[Served]:
    settings = Settings(database=database, org="acme", rate_limit=0, webhook_allow=("127.0.0.1",))
    with serving(Server(settings, worker=False, timeouts=Timeouts(wrong_key=0.0))) as running:
        yield running


@pytest.fixture
def admin(served: Served) -> Iterator[httpx2.Client]:
    with served.client() as client:
        yield client


@pytest.fixture(scope="module")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One for many small questions."""
    settings = Settings(database=str(tmp_path_factory.mktemp("api") / "heedful.db"), org="acme", rate_limit=0)
    with serving(Server(settings, worker=False, timeouts=Timeouts(wrong_key=0.0))) as running:
        yield running


@pytest.fixture(scope="module")
def impatient_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One that gives up on slow senders; only for tests whose sender never goes on, however busy the machine is."""
    settings = Settings(database=str(tmp_path_factory.mktemp("api") / "heedful.db"), org="acme", rate_limit=0)
    with serving(Server(settings, worker=False, timeouts=Timeouts(body=0.5, chunk=3.0))) as running:
        yield running


@pytest.fixture
def someone(one_server: Served) -> Iterator[httpx2.Client]:
    """The admin of an organisation that was founded just now."""
    with one_server.client(org=f"org-{uuid.uuid4()}") as client:
        yield client
