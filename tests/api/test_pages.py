"""A person with a browser: reads about the API, loses the way, and finds back."""

from __future__ import annotations

import re

import httpx2
import pytest

from heedful.wire import wires
from tests.serving import Served

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def _page(served: Served, path: str, **options: str) -> httpx2.Response:
    with httpx2.Client(base_url=served.url, headers=BROWSER) as browser:
        return browser.request(options.get("method", "GET"), path)


def test_the_docs_show_every_operation_to_whoever_asks(served: Served) -> None:
    answer = _page(served, "/docs")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    for wire in wires():
        assert f'id="{wire.id}"' in answer.text
        assert f"<code>/v1{wire.operation.path}</code>" in answer.text
    assert f"curl &#34;{served.url}/v1/events&#34;" in answer.text
    assert "`" not in re.sub(r"<pre>.*?</pre>", "", answer.text, flags=re.S)


def test_the_docs_need_nothing_from_elsewhere_and_their_links_lead_somewhere(served: Served) -> None:
    answer = _page(served, "/docs")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert not re.search(r"<(script|link|img|iframe)", answer.text)
    ids = set(re.findall(r'id="([^"]+)"', answer.text))
    assert len(ids) == len(re.findall(r'id="([^"]+)"', answer.text))
    for target in set(re.findall(r'href="([^"]+)"', answer.text)):
        assert target.removeprefix("#") in ids if target.startswith("#") else target.startswith("/"), target


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [("/nowhere", "GET", 404), ("/v1/nowhere", "GET", 401), ("/docs", "POST", 405), ("/v1/events", "GET", 401)],
)
def test_a_browser_that_lost_its_way_gets_a_page_and_programs_a_problem(
    served: Served, path: str, method: str, status: int
) -> None:
    page = _page(served, path, method=method)
    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert 'href="/"' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-request-id"] in page.text
    assert ('href="/sign-in"' in page.text) is (status == 401)
    for accept in ("*/*", "application/json", ""):
        told = httpx2.request(method, f"{served.url}{path}", headers={"Accept": accept})
        assert (told.status_code, told.headers["content-type"]) == (status, "application/problem+json")
        assert told.headers.get("allow") == page.headers.get("allow")


def test_a_mistake_of_heedfuls_own_is_a_page_too(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr("heedful.edges.web._base", broken)
    page = _page(served, "/docs")
    assert (page.status_code, "Internal error" in page.text, "secret words" in page.text) == (500, True, False)
    assert httpx2.get(f"{served.url}/docs").json()["code"] == "internal"


def test_what_somebody_put_into_an_address_stays_text(served: Served) -> None:
    assert "<script>" not in _page(served, "/<script>alert(1)</script>").text
