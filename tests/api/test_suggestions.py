"""Feedback on suggestions through a server: what a loop answers, a client is told, and so is an agent."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

import heedful
import heedful.aio
from heedful.errors import Conflict, Forbidden, InvalidInput, InvalidLearnings, LicenceRequired, NotFound
from heedful.records.role import Role
from heedful.testing import sample_fixes
from tests.api.test_mcp import call, in_memory
from tests.serving import Served

RULES = ("plain-words", "no-passive", "units", "unheard-of")


@pytest.fixture
def loop_and_client(served: Served) -> Any:
    served.loop.capture.fixes(sample_fixes(300))
    with heedful.Client(served.url, served.key()) as client:
        yield served.loop, client


def test_a_client_is_told_what_a_loop_answers(loop_and_client: tuple[heedful.Loop, heedful.Client]) -> None:
    loop, client = loop_and_client
    for rule in RULES:
        context = client.apply.rule_context(rule)
        assert context == loop.apply.rule_context(rule)
        assert context.confidence(0.7) == loop.apply.rule_context(rule).confidence(0.7)
    for wanted in ({}, {"period": "30d"}, {"rules": ["units", "plain-words"], "exclude_skipped": True}):
        assert client.measure.statistics(**wanted) == loop.measure.statistics(**wanted)
    assert client.measure.calibration("units") == loop.measure.calibration("units")
    assert client.govern.privacy() == loop.govern.privacy()
    assert client.govern.set_privacy(max_records=5_000) == loop.govern.privacy()


def test_a_client_records_shares_and_clears(loop_and_client: tuple[heedful.Loop, heedful.Client]) -> None:
    loop, client = loop_and_client
    told: dict[str, Any] = {"original": "a b c", "suggested": "a c", "confidence": 1, "actor": "dana", "id": "f-1"}
    first = client.capture.fix("style/no-b", heedful.Decision.ACCEPTED, **told)
    assert first == client.capture.fix("style/no-b", heedful.Decision.ACCEPTED, **told) == loop.event("f-1")
    with pytest.raises(Conflict):
        client.capture.fix("style/no-b", heedful.Decision.REJECTED, **told)

    exported = client.govern.export()
    assert exported.patterns == loop.govern.export().patterns
    with pytest.raises(Conflict, match="exported this file itself"):
        client.govern.import_(exported)
    with pytest.raises(InvalidLearnings, match="checksum"):
        client.govern.import_(replace(exported, min_people=1))
    planned = client.govern.clearing(everything=True)
    assert planned.records == 301
    assert client.govern.clear(planned.token).records == 301
    assert client.apply.rule_context("units").sample_count == 0

    assert client.govern.import_(exported).rules == 3
    assert client.govern.import_(exported).already_known == 3
    assert client.apply.rule_context("units").sample_count == 25


def test_async_code_does_the_same(served: Served) -> None:
    async def main(key: str) -> float:
        async with heedful.aio.Client(served.url, key) as client:
            await client.capture.fix("units", "accepted", original="5kg", suggested="5 kg")
            context = await client.apply.rule_context("units")
            return float(context.acceptance_rate)

    assert asyncio.run(main(served.key())) == 1.0


@pytest.mark.parametrize("rule", ["a/b", "..", "50% off", "naïve 🙂", "a?b=c&d", "a\\b"])
def test_a_rule_may_be_named_anything(someone: httpx2.Client, rule: str) -> None:
    assert someone.post("/v1/fixes", json={"rule": rule, "decision": "accepted"}).status_code == 201

    found = someone.get(f"/v1/rules/{quote(rule, safe='') if rule != '..' else '%2E%2E'}/context")

    assert (found.status_code, found.json()["sample_count"], found.json()["rule_id"]) == (200, 1, rule)


def test_lists_are_repeated_in_an_address(someone: httpx2.Client) -> None:
    for rule in ("a", "b", "c"):
        someone.post("/v1/fixes", json={"rule": rule, "decision": "accepted"})

    two = someone.get("/v1/statistics?rules=a&rules=c").json()
    assert list(two["by_rule"]) == ["a", "c"]
    assert list(someone.get("/v1/statistics", params={"rules": "b"}).json()["by_rule"]) == ["b"]
    twice = someone.get("/v1/statistics?period=30d&period=7d")
    assert (twice.status_code, twice.json()["detail"]) == (422, "Duplicate parameter: period.")


@pytest.mark.parametrize(
    "body",
    [
        {"rule": "a"},
        {"rule": "a", "decision": "liked"},
        {"rule": "a", "decision": "accepted", "confidence": "0.5"},
        {"rule": "a", "decision": "accepted", "confidence": 1.01},
        {"rule": "", "decision": "accepted"},
        {"rule": "a", "decision": "accepted", "originaal": "x"},
        {"rule": "a", "decision": "accepted", "original": 5},
        {"rule": "a", "decision": "accepted", "bulk": "yes"},
    ],
)
def test_what_cannot_be_recorded_is_refused_with_a_reason(someone: httpx2.Client, body: dict[str, Any]) -> None:
    refused = someone.post("/v1/fixes", json=body)

    assert refused.status_code == 422
    assert refused.json()["hint"]
    assert someone.get("/v1/statistics").json()["total_feedback"] == 0


def test_roles_may_what_they_may(served: Served) -> None:
    def allowed(role: Role) -> set[str]:
        with heedful.Client(served.url, served.key(role)) as client:
            calls: dict[str, Any] = {
                "fix": lambda: client.capture.fix("a", heedful.Decision.ACCEPTED),
                "context": lambda: client.apply.rule_context("a"),
                "statistics": client.measure.statistics,
                "export": client.govern.export,
                "import": lambda: client.govern.import_({}),
                "clear": lambda: client.govern.clear("made-up"),
                "privacy": client.govern.privacy,
                "set_privacy": lambda: client.govern.set_privacy(min_people=4),
            }
            return {name for name, ask in calls.items() if not _forbidden(ask)}

    everyone = {"context", "privacy"}
    assert allowed(Role.VIEWER) == everyone
    assert allowed(Role.OPERATOR) == allowed(Role.REVIEWER) == everyone | {"fix"}
    assert allowed(Role.INTEGRATOR) == everyone | {"fix", "statistics", "export"}
    assert len(allowed(Role.ADMIN)) == 8


def _forbidden(ask: Any) -> bool:
    try:
        ask()
    except Forbidden:
        return True
    except (InvalidInput, NotFound):
        return False
    return False


def test_a_token_clears_only_where_it_was_given(served: Served) -> None:
    for org in ("acme", "globex"):
        served.loop.org(org).capture.fixes(sample_fixes(5))
    with (
        heedful.Client(served.url, served.key()) as acme,
        heedful.Client(served.url, served.key(org="globex")) as other,
    ):
        token = acme.govern.clearing(everything=True).token
        with pytest.raises(NotFound):
            other.govern.clear(token)
        assert acme.govern.clear(token).records == 5
        assert acme.govern.clear(token).records == 0
        assert other.measure.statistics().total_feedback == 5


def test_below_the_tier_a_client_is_told_so(served: Served) -> None:
    served.loop.govern.set_tier("free")
    with heedful.Client(served.url, served.key()) as client:
        with pytest.raises(LicenceRequired, match="needs the tier teams"):
            client.capture.fix("a", heedful.Decision.ACCEPTED)
        assert client.capture.event("FIELD_SET").seq


def test_an_agent_asks_before_it_suggests_and_tells_what_came_of_it(loop: heedful.Loop) -> None:
    async def main() -> tuple[Any, Any, Any]:
        async with in_memory(loop, "auto") as client:
            for actor in ("dana", "lee", "kim", "dana") * 3:
                await call(
                    client, "record_fix", rule="plain", decision="rejected", original="commence", suggested="start",
                    actor=actor, confidence=0.9, comment="legal wording",
                )  # fmt: skip
            return (
                await call(client, "rule_context", rule="plain"),
                await call(client, "suggestion_statistics", period="7d"),
                await call(client, "calibration", rule="plain"),
            )

    context, statistics, calibration = asyncio.run(main())
    assert '"commence" → "start": rejected 12 of 12 times. Reason given: "legal wording".' in context["prompt"]
    assert statistics["by_rule"]["plain"]["acceptance_rate"] == 0.0
    assert calibration["scores"]["brier"] < calibration["scores"]["brier_raw"]
