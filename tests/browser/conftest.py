"""People with browsers: a real Chromium that speaks to a real server."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from heedful.edges.request_body import Timeouts
from heedful.edges.server import Server
from heedful.edges.worker import Worker
from heedful.loop import Loop
from heedful.records.role import Role
from heedful.settings import Settings
from tests.serving import Served, serving

_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_EXPECTED = "Failed to load resource: the server responded with a status of 4"  # a refusal, which tests ask for


class Person:
    """Somebody with a browser of their own, signed in with a key. What the browser complains about is kept."""

    def __init__(self, context: BrowserContext, served: Served) -> None:
        self.context = context
        self.url = served.url
        self.complaints: list[str] = []
        context.on("console", self._listen)
        context.on("weberror", lambda found: self.complaints.append(str(found.error)))
        context.on("request", self._watch)
        self.page: Page = context.new_page()

    def sign_in(self, key: str) -> None:
        self.page.goto(f"{self.url}/sign-in")
        self.page.get_by_label("Key").fill(key)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(f"{self.url}/**")

    def open(self, path: str) -> Page:
        self.page.goto(f"{self.url}{path}")
        return self.page

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(_EXPECTED):
            self.complaints.append(message.text)

    def _watch(self, request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(self.url).netloc:
            self.complaints.append(f"asked another host: {request.url}")


SignIn = Callable[..., Person]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Not longer than the package: while it runs, no other event loop can run in this thread."""
    if _CHROMIUM is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="package")
def served(_migrated_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    database = str(shutil.copy(_migrated_file, tmp_path_factory.mktemp("browser") / "heedful.db"))
    settings = Settings(database=database, org="acme", rate_limit=0)
    with serving(Server(settings, worker=False, timeouts=Timeouts(wrong_key=0.0))) as running:
        yield running


@pytest.fixture
def loop(served: Served) -> Loop:
    """An organisation that was founded just now."""
    return served.loop.org(f"org-{uuid.uuid4()}")


@pytest.fixture
def work(served: Served) -> Callable[[], int]:
    """Does what the worker of a server would do."""
    return Worker(served.loop).run_all


@pytest.fixture
def sign_in(browser: Browser, served: Served, loop: Loop) -> Iterator[SignIn]:
    """Signs somebody in with a key of their own; at the end, no browser may have complained."""
    people: list[Person] = []

    def someone(name: str, role: Role = Role.REVIEWER, *, key: str | None = None, **options: Any) -> Person:
        secret = key or loop.govern.keys.create(name, role=role).secret
        assert secret is not None
        person = Person(browser.new_context(**options), served)
        people.append(person)
        person.sign_in(secret)
        return person

    yield someone
    for person in people:
        person.context.close()
    assert [complaint for person in people for complaint in person.complaints] == []
