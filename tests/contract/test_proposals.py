"""Curation proposes, people decide, and each proposal is made once; on every database."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

import heedful
from heedful import Category, InsightCategory
from heedful.errors import Conflict, NotFound
from heedful.learn.conversations.pipeline import Case
from heedful.learn.conversations.quality import JudgedCandidate
from heedful.learnings.curation import SHORTEST_HALF_LIFE
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.operations.caller import Caller, acting
from heedful.records.learning import Status
from heedful.records.proposal import Act, Proposal, ProposalStatus
from heedful.records.role import Role
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, check, report
from tests.contract.mining import LINT, LINT_TOO, RULES, PlainReader, active, numbers, taught, teach, whole
from tests.typed import corrections, insights


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder(), reader=PlainReader())


def _pending(loop: heedful.Loop) -> list[Proposal]:
    return list(loop.govern.proposals.page().items)


def _disliked(loop: heedful.Loop, id: str) -> None:
    for person in ("dana", "lee"):
        with acting(Caller("acme", Role.ADMIN, person, person)):
            insights(loop).rate(id, up=False)


def _apart(loop: heedful.Loop, clock: FrozenClock) -> tuple[str, str]:
    """Two that say nearly the same, and were taken apart by a person."""
    first = taught(loop, "a", LINT)
    clock.advance(hours=1)
    second = taught(loop, "b", LINT_TOO)
    insights(loop).restore(second.id)
    return first.id, second.id


def test_where_all_is_well_nothing_is_proposed(loop: heedful.Loop) -> None:
    for number, rule in enumerate(RULES):
        teach(loop, f"c{number}", rule)

    assert loop.learn.curate() == _pending(loop) == []


def test_what_people_dislike_is_proposed_to_be_retired_once(loop: heedful.Loop) -> None:
    bad, good = taught(loop, "a", LINT), taught(loop, "b", RULES[1])
    _disliked(loop, bad.id)
    (made,) = loop.learn.curate()

    assert (made.act, made.learnings, made.status) == (Act.RETIRE, (bad.id,), ProposalStatus.PENDING)
    assert (loop.learn.curate(), _pending(loop)) == ([], [made])
    assert len(active(loop)) == 2  # nothing is done before a person says so
    loop.govern.proposals.approve(made.id)
    assert [one.id for one in active(loop)] == [good.id]
    assert (loop.learn.curate(), _pending(loop)) == ([], [])
    whole(loop)


def _found(monkeypatch: pytest.MonkeyPatch, change: Callable[[JudgedCandidate], JudgedCandidate]) -> None:
    """From now on all that is found is as this makes it."""
    miner = importlib.import_module("heedful.learn.conversations.miner")
    run = miner.run

    def changed(case: Case) -> Case:
        made: Case = run(case)
        return replace(made, insights=tuple(map(change, made.insights)))

    monkeypatch.setattr(miner, "run", changed)


# Still true?


def _old(loop: heedful.Loop, clock: FrozenClock) -> str:
    """A correction that nobody has confirmed or used for a half-life."""
    id = report(loop, "an error", "nil", category="code")
    clock.advance(days=120)
    return id


def test_no_kind_fades_sooner_than_curation_looks(loop: heedful.Loop) -> None:
    one = loop.capture.correction("an error", "nil")
    halved = [CORRECTION.half_life(replace(one, category=category)) for category in Category]
    assert min(halved) == SHORTEST_HALF_LIFE
    insight = replace(taught(loop, "a", LINT), rule=False)
    lives = [INSIGHT.half_life(replace(insight, category=category)) for category in InsightCategory]
    assert all(life is not None and life >= SHORTEST_HALF_LIFE for life in lives)


def test_what_nobody_confirmed_or_used_for_a_half_life_is_asked_about(loop: heedful.Loop, clock: FrozenClock) -> None:
    code, style = (report(loop, "an error", right, category=right, about=right) for right in ("code", "style"))
    clock.advance(days=119)
    assert loop.learn.curate() == []
    clock.advance(days=1)
    (made,) = loop.learn.curate()

    assert (made.act, made.learnings) == (Act.RENEW, (code,))
    assert made.reason == "It has not been confirmed or applied since 2026-01-05."
    assert (loop.learn.curate(), _pending(loop)) == ([], [made])
    assert {one.id for one in corrections(loop).all()} == {code, style}  # age does not silence


def test_yes_renews_it_and_it_is_asked_about_again_a_half_life_later(loop: heedful.Loop, clock: FrozenClock) -> None:
    id = _old(loop, clock)
    (made,) = loop.learn.curate()
    with acting(Caller("acme", Role.REVIEWER, "k1", "dana")):
        decided = loop.govern.proposals.approve(made.id)

    assert (decided.status, decided.decided_by) == (ProposalStatus.APPROVED, "key:k1")
    one = corrections(loop).get(id)
    assert (one.status, one.renewed_at, one.confirmed) == (Status.ACTIVE, clock.now, 1)
    assert [(event.kind, event.actor) for event in corrections(loop).evidence(id)][1:] == [
        ("LEARNING_CONFIRMED", "key:k1")
    ]
    clock.advance(days=119)
    assert loop.learn.curate() == []
    clock.advance(days=1)
    (again,) = loop.learn.curate()
    assert (again.act, again.learnings, again.id == made.id) == (Act.RENEW, (id,), False)
    check(loop)


def test_no_retires_it(loop: heedful.Loop, clock: FrozenClock) -> None:
    id = _old(loop, clock)
    (made,) = loop.learn.curate()
    loop.govern.proposals.reject(made.id, why="We left Go.")

    assert corrections(loop).get(id).status is Status.RETIRED
    assert corrections(loop).evidence(id)[-1].kind == "LEARNING_RETIRED"
    assert (loop.learn.curate(), _pending(loop)) == ([], [])
    check(loop)


def test_what_was_used_or_retired_meanwhile_is_no_question_any_more(loop: heedful.Loop, clock: FrozenClock) -> None:
    used, retired = report(loop, "a panic", "a list", category="code"), _old(loop, clock)
    assert len(loop.learn.curate()) == len(_pending(loop)) == 2
    clock.advance(hours=1)
    loop.capture.event("LEARNING_APPLIED", entity=("learning", used))
    corrections(loop).retire(retired)

    assert _pending(loop) == []
    assert len(list(loop.govern.proposals.all(status=None))) == 2
    clock.advance(days=120)
    assert [one.learnings for one in loop.learn.curate()] == [(used,)]


def test_insights_are_asked_about_too_but_not_rules(
    loop: heedful.Loop, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught(loop, "rule", RULES[2])
    _found(monkeypatch, lambda one: replace(one, candidate=replace(one.candidate, rule=False)))
    old = taught(loop, "a", LINT)
    confirmed = taught(loop, "b", RULES[1])
    teach(loop, "c", RULES[1])
    clock.advance(days=3_000)

    assert {(one.act, one.learnings) for one in loop.learn.curate()} == {
        (Act.RENEW, (old.id,)),
        (Act.RENEW, (confirmed.id,)),
    }
    assert len(active(loop)) == 3
    whole(loop)


# Decided


def test_what_is_rejected_is_not_proposed_again(loop: heedful.Loop) -> None:
    bad = taught(loop, "a", LINT)
    _disliked(loop, bad.id)
    (made,) = loop.learn.curate()
    loop.govern.proposals.reject(made.id, why="I like it.")

    assert loop.learn.curate() == []
    assert insights(loop).get(bad.id).status == Status.ACTIVE


def test_twins_are_proposed_to_be_merged_once(loop: heedful.Loop, clock: FrozenClock) -> None:
    first, second = _apart(loop, clock)
    before = insights(loop).get(first)
    (made,) = loop.learn.curate()
    assert (made.act, made.learnings) == (Act.MERGE, (first, second))
    assert loop.learn.curate() == []

    loop.govern.proposals.approve(made.id)
    (one,) = active(loop)
    assert (one.id, one.confirmed) == (first, 1)
    assert one.confidence > before.confidence
    whole(loop)
    insights(loop).restore(second)
    assert numbers(insights(loop).get(first)) == numbers(before)
    whole(loop)


def test_a_merge_of_what_does_not_hold_any_more_is_refused(loop: heedful.Loop, clock: FrozenClock) -> None:
    _, second = _apart(loop, clock)
    (made,) = loop.learn.curate()
    insights(loop).retire(second)
    with pytest.raises(Conflict):
        loop.govern.proposals.approve(made.id)

    assert _pending(loop) == []
    assert loop.govern.proposals.get(made.id).status is ProposalStatus.PENDING
    whole(loop)


def _better(one: JudgedCandidate) -> JudgedCandidate:
    content = {**one.candidate.content, "how": "Type it into a shell."}
    return replace(one, confidence=0.99, candidate=replace(one.candidate, content=content))


def test_a_persons_words_are_proposed_to_be_said_better(loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    edited, approved, plain = taught(loop, "a", LINT), taught(loop, "b", RULES[1]), taught(loop, "c", RULES[2])
    insights(loop).edit(edited.id, tags=["lint"])
    insights(loop).approve(approved.id)
    assert loop.learn.curate() == []
    _found(monkeypatch, _better)
    for number, rule in enumerate((LINT, *RULES[1:3])):
        teach(loop, f"more{number}", rule)

    assert insights(loop).get(plain.id).version == 2  # nobody minds
    made = loop.learn.curate()
    assert {(one.act, one.learnings) for one in made} == {
        (Act.REWRITE, (edited.id,)),
        (Act.REWRITE, (approved.id,)),
    }
    assert loop.learn.curate() == []
    for one in made:
        loop.govern.proposals.approve(one.id)
        assert insights(loop).get(one.learnings[0]).content == one.content != {}
    assert loop.learn.curate() == []
    whole(loop)


def test_a_proposal_goes_with_what_it_is_about(loop: heedful.Loop, clock: FrozenClock) -> None:
    _, second = _apart(loop, clock)
    (made,) = loop.learn.curate()
    insights(loop).delete(second)

    assert loop.govern.proposals.page(status=None).items == []
    with pytest.raises(NotFound):
        loop.govern.proposals.approve(made.id)
    whole(loop)


def test_two_who_curate_or_decide_at_once_do_it_once(open_loop: OpenLoop, clock: FrozenClock) -> None:
    loops = [open_loop(embedder=WordEmbedder(), reader=PlainReader()) for _ in range(2)]
    first, second = _apart(loops[0], clock)
    _disliked(loops[0], first)
    start = threading.Barrier(4)

    def curate(number: int) -> int:
        start.wait()
        return len(loops[number % 2].learn.curate())

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(curate, range(4))) == len(_pending(loops[0])) == 2
    (merge,) = [one for one in _pending(loops[0]) if one.act is Act.MERGE]

    def decide(number: int) -> ProposalStatus:
        start.wait()
        return loops[number % 2].govern.proposals.approve(merge.id).status

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(decide, range(4))) == {ProposalStatus.APPROVED}
    assert insights(loops[0]).get(first).confirmed == 1
    assert insights(loops[0]).get(second).superseded_by == first
    whole(loops[0])


def test_pages_have_all_proposals_once(loop: heedful.Loop) -> None:
    ids = [taught(loop, f"c{number}", rule).id for number, rule in enumerate(RULES)]
    for id in ids:
        _disliked(loop, id)
    made = loop.learn.curate()
    seen, cursor = list[str](), None
    while True:
        page = loop.govern.proposals.page(limit=2, cursor=cursor)
        seen += [one.id for one in page.items]
        if (cursor := page.next) is None:
            break

    assert sorted(seen) == sorted(one.id for one in made)
    assert len(seen) == len(ids)
