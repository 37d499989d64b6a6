"""Tiers: what an organisation has a licence for, on every database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

import heedful
from heedful import JobRequest, Role, Settings
from heedful.edges.worker import Worker
from heedful.errors import InvalidInput, LicenceRequired, Misconfigured
from heedful.operations.caller import acting
from heedful.records.tier import Tier
from tests.conftest import OpenLoop

URL = "https://example.com/heedful"


def _changes(loop: heedful.Loop) -> list[tuple[Any, ...]]:
    found = loop.events(kind="AUDIT_TIER_CHANGED")
    return [(event.actor, event.before.get("tier"), event.after.get("tier")) for event in found]


def test_an_organisation_has_everything_unless_told_otherwise(loop: heedful.Loop) -> None:
    assert loop.govern.tier() is Tier.ENTERPRISE
    assert loop.govern.me().tier is Tier.ENTERPRISE
    assert loop.govern.webhooks.create(URL).url == URL


def test_an_installation_can_give_all_another_tier(open_loop: OpenLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("free", "teams", "enterprise", "FREE"):
        monkeypatch.setenv("HEEDFUL_TIER", name)
        for loop in (open_loop(), open_loop().org("globex")):
            assert loop.govern.tier() is Tier(name.lower())


def test_the_tier_of_an_installation_can_be_handed_in(open_loop: OpenLoop, database: str) -> None:
    loop = open_loop(settings=Settings(database=database, tier="free"))

    assert loop.govern.tier() is Tier.FREE
    with pytest.raises(LicenceRequired):
        loop.govern.webhooks.create(URL)


def test_what_an_organisation_was_given_counts_more(open_loop: OpenLoop, database: str) -> None:
    open_loop().govern.set_tier("teams")
    loop = open_loop(settings=Settings(database=database, tier="free"))

    assert loop.govern.tier() is Tier.TEAMS
    assert loop.org("globex").govern.tier() is Tier.FREE
    assert loop.store.tiers() == {"acme": Tier.TEAMS}


def test_an_installation_refuses_to_start_with_a_tier_that_is_none(open_loop: OpenLoop, database: str) -> None:
    for name in ("gold", "", "free,teams"):
        with pytest.raises(Misconfigured, match="HEEDFUL_TIER") as refused:
            open_loop(settings=Settings(database=database, tier=name))
        assert "free, teams, enterprise" in refused.value.hint


def test_a_change_of_tier_is_in_the_trail(loop: heedful.Loop) -> None:
    loop.govern.set_tier("free")
    loop.govern.set_tier(Tier.TEAMS)

    assert loop.govern.tier() is Tier.TEAMS
    assert _changes(loop) == [("local", "enterprise", "free"), ("local", "free", "teams")]


def test_changes_at_once_follow_each_other_in_the_trail(open_loop: OpenLoop) -> None:
    loops = [open_loop() for _ in range(6)]
    start = Barrier(len(loops))

    def change(loop: heedful.Loop, tier: Tier) -> None:
        start.wait()
        loop.govern.set_tier(tier)

    with ThreadPoolExecutor(len(loops)) as threads:
        list(threads.map(change, loops, [*Tier, *Tier]))

    changes = _changes(loops[0])
    tiers = ["enterprise", *(after for _, _, after in changes)]
    assert [before for _, before, _ in changes] == tiers[:-1]
    assert loops[0].govern.tier().value == tiers[-1]


def test_a_change_that_is_undone_leaves_no_trace(loop: heedful.Loop) -> None:
    with pytest.raises(ZeroDivisionError), loop.transaction():
        loop.govern.set_tier("free")
        raise ZeroDivisionError

    assert loop.govern.tier() is Tier.ENTERPRISE
    assert _changes(loop) == []


def test_an_unknown_tier_is_refused(loop: heedful.Loop) -> None:
    unknown: list[Any] = ["gold", "", "Free", None, 1]
    for name in unknown:
        with pytest.raises(InvalidInput, match="not a tier") as refused:
            loop.govern.set_tier(name)
        assert "free, teams, enterprise" in refused.value.hint

    assert loop.govern.tier() is Tier.ENTERPRISE
    assert list(loop.events()) == []


def test_webhooks_begin_with_teams(loop: heedful.Loop) -> None:
    for tier in (Tier.TEAMS, Tier.ENTERPRISE):
        loop.govern.set_tier(tier)
        assert loop.govern.webhooks.create(URL).url == URL


def test_below_its_tier_a_feature_says_what_it_needs(loop: heedful.Loop) -> None:
    loop.govern.set_tier("free")

    with pytest.raises(LicenceRequired, match="needs the tier teams; this organisation has free") as refused:
        loop.govern.webhooks.create(URL)

    assert refused.value.code == "licence_required"
    assert refused.value.hint
    assert loop.govern.webhooks.all() == []
    assert list(loop.events(kind="AUDIT_WEBHOOK_CREATED")) == []


def test_a_key_does_not_replace_a_licence(loop: heedful.Loop) -> None:
    loop.govern.set_tier("free")
    key = loop.govern.keys.create("boss", role=Role.ADMIN)
    caller = loop.govern.access.by_key(key.secret or "")
    assert caller is not None

    with acting(caller), pytest.raises(LicenceRequired):
        loop.govern.webhooks.create(URL)


def test_everything_else_goes_on_working(loop: heedful.Loop) -> None:
    loop.govern.set_tier("free")

    loop.capture.event("FIELD_SET", actor="dana", id="x")
    loop.capture.correction("make ship", "make release", about="deployment")
    loop.capture.events([{"kind": "FIELD_SET"}] * 3)
    seen: list[str] = []
    loop.subscription(lambda event: seen.append(event.kind), name="s", kind="FIELD_SET").deliver_pending()
    loop.jobs.put(JobRequest("work"))
    key = loop.govern.keys.create("order desk", role=Role.OPERATOR)

    assert loop.event("x").actor == "dana"
    assert seen == ["FIELD_SET"] * 4
    assert sum(count.value for count in loop.measure.activity()) == len(list(loop.events()))
    assert loop.govern.access.by_key(key.secret or "") is not None
    assert Worker(loop).run_all() == 0


def test_who_falls_below_a_tier_can_still_look_and_tidy_up(loop: heedful.Loop) -> None:
    loop.govern.webhooks.create(URL, id="erp")
    loop.govern.set_tier("free")

    with pytest.raises(LicenceRequired):
        loop.govern.webhooks.replay("erp")
    assert [webhook.id for webhook in loop.govern.webhooks.all()] == ["erp"]
    assert loop.govern.webhooks.deliveries("erp").items == []
    loop.govern.webhooks.remove("erp")
    assert loop.govern.webhooks.all() == []


def test_a_better_tier_counts_at_once_everywhere(open_loop: OpenLoop) -> None:
    here, there = open_loop(), open_loop()
    here.govern.set_tier("free")
    with pytest.raises(LicenceRequired):
        there.govern.webhooks.create(URL)

    here.govern.set_tier("teams")

    assert there.govern.webhooks.create(URL).url == URL


def test_each_organisation_has_a_tier_of_its_own(loop: heedful.Loop) -> None:
    other = loop.org("globex")
    other.govern.set_tier("free")

    assert loop.govern.tier() is Tier.ENTERPRISE
    assert other.govern.tier() is Tier.FREE
    assert loop.govern.webhooks.create(URL).url == URL
    with pytest.raises(LicenceRequired):
        other.govern.webhooks.create(URL)
    assert loop.store.tiers() == {"acme": Tier.ENTERPRISE, "globex": Tier.FREE}
    assert _changes(loop) == []
