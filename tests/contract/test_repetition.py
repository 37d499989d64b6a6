"""What was said more than once is one learning that knows how often, by whom and where; on every database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import heedful
from heedful.errors import Conflict
from heedful.learnings import events
from heedful.operations.caller import Caller, acting
from heedful.records import mining
from heedful.records.event import Draft, Entity, noted
from heedful.records.insight import InsightCategory
from heedful.records.reading import LikelyStatement, MessageReading, StatementKind
from heedful.records.role import Role
from tests.conftest import OpenLoop
from tests.contract.mining import PlainReader, teach
from tests.typed import insights

AT = datetime(2026, 3, 3, 9, 12, tzinfo=UTC)


def _found(id: str, title: str, project: str, actor: str | None, days: int) -> Draft:
    meta = {"category": "bug_fix", "project": project, "confidence": 0.8}
    after = {"title": title, "content": {"fix": f"{title}: wait for it."}, "tags": ["uploads"]}
    chat = Entity(mining.ENTITY, f"chat-{id}")
    draft = noted(events.EXTRACTED, AT + timedelta(days=days), actor=actor, entity=chat, after=after, meta=meta)
    return draft._replace(id=id, own_id=True, own_time=True)


def _about(id: str, kind: str, meta: dict[str, Any]) -> Draft:
    return noted(kind, AT, entity=Entity(events.ENTITY, id), meta=meta)


def _merge(id: str, into: str) -> list[Draft]:
    return [_about(id, events.MERGED, {"into": into}), _about(into, events.CONFIRMED, {"by": id, "widens": True})]


def test_the_same_root_cause_in_several_projects_is_one_learning(loop: heedful.Loop) -> None:
    """Through several merges, and the oldest time counts, in whatever order they were mined."""
    loop.store.record(
        [
            _found("cause", "Uploads need a lock", "shop", "dana", 30),
            _found("again", "A lock for uploads", "till", "Dana.", 0),
            _found("third", "Lock the uploads", "desk", "lee", 60),
            *_merge("third", "again"),
            *_merge("again", "cause"),
            _about("cause", events.CONFIRMED, {}),  # somebody found that it is still true
            _found("other", "Downloads need no lock", "shop", None, 5),
        ]
    )
    (one,) = loop.govern.learnings.repeated()
    assert (one.learning.id, one.times, one.since) == ("cause", 3, AT)
    assert (one.people, one.projects) == (("dana", "lee"), ("desk", "shop", "till"))
    assert loop.govern.learnings.repeated(about="desk") == [one]
    assert loop.govern.learnings.repeated(about="elsewhere") == loop.govern.learnings.repeated(kind="correction") == []
    assert "found 3 times, since April 2026" in loop.apply.context("uploads need a lock").text

    insights(loop).restore("again")  # the merge is undone
    (again,) = loop.govern.learnings.repeated()
    assert (again.learning.id, again.times, again.projects) == ("again", 2, ("desk", "till"))


def test_what_three_people_correct_is_listed_first(loop: heedful.Loop) -> None:
    for who in ("dana", "lee", "kim", "kim"):
        loop.capture.correction("clients", "guests", actor=who, about="shop", always=True)
    for who in ("dana", "lee"):
        loop.capture.correction("an error", "nil", actor=who, about="shop")

    first, second = loop.govern.learnings.repeated(about="shop")
    assert (first.times, len(first.people), first.projects) == (4, 3, ("shop",))
    assert (second.times, len(second.people)) == (2, 2)
    assert loop.govern.learnings.repeated(limit=1) == [first]


def test_what_three_people_say_in_their_own_words_is_one_correction(loop: heedful.Loop) -> None:
    for who, message, output in (
        ("dana", "Never commit directly to main.", "Committed directly to main: 3 files changed."),
        ("lee", "Please don't commit straight to main!", "I committed the fix to main and pushed it."),
        ("kim", "Don't ever commit directly to main, the build deploys it", "Done. I committed it to main."),
    ):
        loop.capture.message(message, last_output=output, query="Fix the login", actor=who, about="shop")
    (one,) = loop.govern.learnings.repeated()
    assert (one.times, len(one.people)) == (3, 3)


def test_what_one_person_says_four_times_is_one_rule(loop: heedful.Loop) -> None:
    for number, rule in enumerate(
        (
            "Always write migrations by hand, the generator drops our indexes.",
            "Write migrations by hand, always.",
            "From now on migrations are written by hand, not generated.",
            "As I said, please write the migrations by hand, every time.",
        )
    ):
        teach(loop, f"c-{number}", rule, project="shop", actor="dana")
    (one,) = loop.govern.learnings.repeated()
    assert (one.times, one.projects) == (4, ("shop",))


class CauseReader(PlainReader):
    """Hears a cause in every sentence that says `because`, and takes thanks for a yes."""

    def message(self, text: str, before: str) -> MessageReading:
        return replace(super().message(text, before), accepted=float(text.startswith("Thanks")))

    def findings(self, *told: Any) -> tuple[LikelyStatement, ...]:
        text, sentences, _ = told
        return tuple(
            LikelyStatement(start, end, (start, end), StatementKind.FINDING, 0.9, 0.9, InsightCategory.BUG_FIX)
            for start, end in sentences
            if "because" in text[start:end]
        )


def _mended(
    loop: heedful.Loop, project: str, task: str, cause: str, fix: str, conversation: str | None = None
) -> mining.Mined:
    tools = [{"name": "Edit", "input": "nginx.conf"}, {"name": "Bash", "input": "pytest"}]
    told: list[dict[str, Any]] = [
        {"id": "a", "role": "user", "text": task},
        {"id": "b", "role": "assistant", "text": f"{cause} {fix} All 14 tests pass.", "tools": tools},
        {"id": "c", "role": "user", "text": "Thanks, that works."},
    ]
    loop.capture.conversation(told, id=conversation or project, project=project, actor="dana")
    return loop.learn.mine(conversation or project)


CUT = (
    "Large uploads fail with an error in `nginx.conf`, find out why",
    "The upload failed because nginx limits bodies with `client_max_body_size` in `nginx.conf`, 1 MB by default.",
    "I fixed it by setting `client_max_body_size 20m`.",
)
CUT_AGAIN = (
    "The till reports an error when customers upload receipts, fix `nginx.conf`",
    "nginx refused the receipts because `client_max_body_size` in `nginx.conf` was only 1m.",
    "I raised it for the till.",
)


def test_a_cause_that_two_projects_found_is_one_pattern_of_two_learnings(open_loop: OpenLoop) -> None:
    loop = open_loop(reader=CauseReader())
    (cut,) = _mended(loop, "shop", *CUT).learned
    assert loop.govern.learnings.repeated() == []
    again = _mended(loop, "till", *CUT_AGAIN)
    assert not again.proposals  # each project keeps what it found

    (one,) = loop.govern.learnings.repeated()
    assert (one.times, one.projects) == (2, ("shop", "till"))
    assert {one.learning.id, *one.others} == {cut, *again.learned}
    assert {each.about for each in insights(loop).all()} == {"shop", "till"}
    assert loop.govern.learnings.repeated(about="till") == loop.govern.learnings.repeated(kind="insight") == [one]
    assert loop.govern.learnings.repeated(about="elsewhere") == loop.govern.learnings.repeated(kind="rule") == []

    insights(loop).retire(cut)
    assert loop.govern.learnings.repeated() == []


def test_a_cause_that_one_project_found_again_is_asked_about(open_loop: OpenLoop) -> None:
    loop = open_loop(reader=CauseReader())
    _mended(loop, "shop", *CUT)
    (asked,) = _mended(loop, "shop", *CUT_AGAIN, conversation="later").proposals
    assert loop.govern.learnings.repeated() == []
    loop.govern.proposals.approve(asked)
    (one,) = loop.govern.learnings.repeated()
    assert (one.times, one.projects, one.others) == (2, ("shop",), ())


def test_a_cause_is_recognised_in_another_language_by_what_was_done_about_it(open_loop: OpenLoop) -> None:
    loop = open_loop(reader=CauseReader())
    _mended(
        loop,
        "shop",
        "The first request in the morning fails, fix `db.py`",
        "The first request failed because SQLAlchemy hands out pooled connections that the server has closed.",
        "I set `pool_pre_ping` for the engine in `db.py`.",
    )
    _mended(
        loop,
        "lager",
        "Nachts bricht der Import mit einem Fehler ab, repariere `engine.py`",
        "Der Import brach ab, because SQLAlchemy eine Verbindung aus dem Pool nahm, die der Server beendet hatte.",
        "I set `pool_pre_ping=True` in `engine.py`.",
    )
    _mended(
        loop,
        "desk",
        "Requests fail with an error after an hour, fix `pool.py`",
        "Requests failed because the pool of SQLAlchemy has five connections and nobody gave them back.",
        "I closed the session in `pool.py`.",
    )
    (one,) = loop.govern.learnings.repeated()
    assert one.projects == ("lager", "shop")


def test_an_approval_is_taken_back_by_who_gave_it(loop: heedful.Loop) -> None:
    loop.store.record([_found("cause", "Uploads need a lock", "shop", "dana", 0)])
    before = insights(loop).get("cause")
    reviewer = Caller(loop.name, Role.REVIEWER, "a-key", "lee")

    insights(loop).approve("cause")
    assert loop.govern.learnings.unapprove("cause") == loop.govern.learnings.unapprove("cause") == before
    with acting(reviewer):
        insights(loop).approve("cause")
    with pytest.raises(Conflict, match="approved by others"):
        loop.govern.learnings.unapprove("cause")
    with acting(reviewer):
        assert loop.govern.learnings.unapprove("cause") == before
