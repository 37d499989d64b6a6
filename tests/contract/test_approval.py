"""Whatever is given out as approved was approved, word for word, by somebody who may; on every database."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp.client.client import Client
from mcp.types import TextContent

import heedful
from heedful.edges import mcp
from heedful.edges.cli import main
from heedful.errors import Conflict, Forbidden, InvalidInput, NotFound
from heedful.learn.conversations import merging
from heedful.learnings.content import content_text
from heedful.learnings.events import APPROVED, EDITED
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.table import LearningTable
from heedful.operations import policy
from heedful.operations.caller import Caller, acting
from heedful.records.insight import Insight, InsightCategory
from heedful.records.role import Role
from heedful.testing import FrozenClock
from heedful.text.fence import line as fenced_line
from heedful.text.fence import markdown
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder
from tests.contract.mining import LINT, LINT_TOO, NO_LINT, RULES, PlainReader, active, hand_in, taught, teach, whole
from tests.typed import insights

SAID = (LINT, LINT_TOO, NO_LINT, RULES[1])
TITLES = ("Run the linter", "Skip the linter", "Never lint")
Words = tuple[str, str, tuple[str, ...], str]

NUMBER = st.integers(0, 9)
"""Which of the insights, conversations or proposals there are, counted round."""
WHO = st.sampled_from([None, *Role])
"""The owner of the process, or somebody with a key."""
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("teach"), WHO, st.tuples(st.sampled_from(SAID), st.sampled_from(["shop", None]))),
        st.tuples(st.just("edit"), WHO, st.tuples(NUMBER, st.sampled_from(TITLES))),
        st.tuples(st.just("recategorise"), WHO, NUMBER),
        st.tuples(st.sampled_from(["approve", "approve", "approve what was read", "put back"]), WHO, NUMBER),
        st.tuples(st.sampled_from(["retire", "restore", "delete", "forget", "decide", "forge"]), WHO, NUMBER),
        st.tuples(st.sampled_from(["curate", "import", "erase edits", "rebuild"]), WHO, NUMBER),
    ),
    min_size=4,
    max_size=14,
)


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder(), reader=PlainReader())


def words(one: Insight) -> Words:
    return one.title, content_text(one.content), one.tags, one.category.value


def _exported(one: dict[str, Any]) -> Words:
    return one["title"], content_text(one["content"]), tuple(one["tags"]), one["category"]


def speaking(loop: heedful.Loop, role: Role | None) -> AbstractContextManager[None]:
    return nullcontext() if role is None else acting(Caller(loop.name, role, f"{role.value}-key", role.value))


class Life:
    """One organisation's life, and a book of what somebody who may has approved."""

    def __init__(self, loop: heedful.Loop, clock: FrozenClock) -> None:
        self.loop = loop
        self.clock = clock
        self.learnings = insights(loop)
        self.approved: set[Words] = set()
        self.read: dict[str, Insight] = {}
        """As somebody saw each of them first."""
        self.handed_in = 0

    def step(self, step: str, role: Role | None, told: Any) -> None:
        refused = suppress(Conflict, Forbidden, InvalidInput, NotFound)
        with speaking(self.loop, role), refused:
            self._do(step, role, told)
        for one in self._all():
            self.read.setdefault(one.id, one)

    def _do(self, step: str, role: Role | None, told: Any) -> None:
        if step == "teach":
            rule, project = told
            self.handed_in += 1
            at = self.clock.now - timedelta(days=self.handed_in)
            hand_in(self.loop, f"c{self.handed_in}", rule, project=project, at=at)
            self.loop.learn.mine(f"c{self.handed_in}")
        elif step == "curate":
            self.loop.learn.curate()
        elif step == "rebuild":
            self.loop.learn.rebuild()
        elif step == "import":
            self.loop.govern.import_(self.loop.govern.export().document())
        elif step == "forget":
            self.loop.govern.conversations.delete(f"c{told % (self.handed_in + 1)}")
        elif step == "decide":
            waiting = self.loop.govern.proposals.page().items
            if waiting:
                chosen = waiting[told % len(waiting)]
                self.loop.govern.proposals.approve(chosen.id)
                self._by(role, [self.learnings.get(id) for id in chosen.learnings if chosen.act.value == "rewrite"])
        else:
            self._about_one(step, role, told)

    def _about_one(self, step: str, role: Role | None, told: Any) -> None:
        number, title = told if isinstance(told, tuple) else (told, "")
        there = list(self._all())
        if not there:
            return
        one = there[number % len(there)]
        if step == "approve":
            self._by(role, [self.learnings.approve(one.id)])
        elif step == "approve what was read":
            done = self.learnings.approve(one.id, digest=self.read[one.id].digest)
            assert words(done) == words(self.read[one.id])
            self._by(role, [done])
        elif step == "edit":
            self._by(role, [self.learnings.edit(one.id, title=title)])
        elif step == "put back":
            first = self.read[one.id]
            back: dict[str, Any] = {
                "title": first.title,
                "content": first.content,
                "tags": first.tags,
                "category": first.category,
            }
            self._by(role, [self.learnings.edit(one.id, **back)])
        elif step == "recategorise":
            self._by(role, [self.learnings.edit(one.id, category=InsightCategory.ANTI_PATTERN)])
        elif step == "forge":
            self._forge(one, role)
        elif step == "erase edits":
            self._erase(one)
        else:
            getattr(self.learnings, step)(one.id)

    def _by(self, role: Role | None, done: list[Insight]) -> None:
        """Whoever may approve approves what they write themselves."""
        if role is None or role in policy.LearningPolicy.approve.roles:
            self.approved |= {words(one) for one in done}

    def _forge(self, one: Insight, role: Role | None) -> None:
        if role is not None:
            for meta in ({}, {"words": one.digest}):
                with pytest.raises(Forbidden):
                    self.loop.capture.event(APPROVED, entity=("learning", one.id), meta=meta)

    def _erase(self, one: Insight) -> None:
        """As if whoever edited it had had what they did erased."""
        with self.loop.store.recording() as record:
            edits = [event for event in LearningTable(self.loop.store).history(one.id) if event.kind == EDITED]
            record.erase(edits)

    def _all(self) -> Iterator[Insight]:
        return self.learnings.all(status=None)

    def check(self) -> None:
        """What the library, and with it HTTP, gives out."""
        marked = [one for one in self._all() if one.approved]
        found = [match.learning for match in self.loop.apply.search("lint commit auditors")]
        marked += [one for one in found if isinstance(one, Insight) and one.approved]
        assert {words(one) for one in marked} <= self.approved
        shared = self.loop.govern.export().learnings
        said = {
            (one.fields["title"], content_text(one.fields["content"]), tuple(one.fields["tags"]), one.category)
            for one in shared
        }
        assert said <= self.approved

    def check_edges(self, database: str, file: Path) -> None:
        """What agents are given."""
        placed = ["--database", database, "--org", self.loop.name]
        done = CliRunner().invoke(main, ["learnings", "write", *placed, "--to", str(file), "--about", "shop"])
        assert done.exit_code == 0, done.output
        written = file.read_text().splitlines() if file.exists() else []
        known = {one.id: one for one in (*self.read.values(), *self._all()) if words(one) in self.approved}
        stated = {f"- {markdown(INSIGHT.bullet(one)[0])}" for one in known.values()}
        assert {line for line in written if line.startswith("- ")} <= stated
        told = self.loop.agents.prompt(LINT, about="shop", actor="somebody else")  # whoever said it is told unapproved
        assert set(told.learnings) <= known.keys()
        assert all(fenced_line(INSIGHT.render(known[id]).text, 80).rstrip("…") in told.context for id in told.learnings)
        found = asyncio.run(_searched(self.loop))
        marked = [one["learning"] for one in found if one["learning"]["approved"]]
        assert {
            (one["title"], content_text(one["content"]), tuple(one["tags"]), one["category"]) for one in marked
        } <= self.approved


async def _searched(loop: heedful.Loop) -> list[dict[str, Any]]:
    async with Client(mcp.server(mcp.local(loop))) as client:
        answer = await client.call_tool("search_learnings", {"query": "lint commit auditors"})
        (content,) = answer.content
        assert isinstance(content, TextContent)
        found: list[dict[str, Any]] = json.loads(content.text)["items"]
        return found


@settings(max_examples=10)
@given(steps=STEPS)
@example(  # an edit by one who may not approve
    steps=[("teach", None, (LINT, None)), ("approve", Role.REVIEWER, 0), ("edit", Role.OPERATOR, (0, TITLES[1]))]
)
@example(  # better words of another conversation are approved, and taken back
    steps=[
        ("teach", None, (LINT_TOO, None)),
        ("teach", None, (LINT, None)),
        ("approve", Role.REVIEWER, 1),
        ("restore", Role.OPERATOR, 0),
    ]
)
@example(  # what was merged into it comes in its place
    steps=[
        ("teach", None, (LINT_TOO, None)),
        ("teach", None, (LINT, None)),
        ("approve", Role.REVIEWER, 1),
        ("forget", Role.REVIEWER, 1),
    ]
)
@example(  # the approved words were somebody's, who takes them away
    steps=[
        ("teach", None, (LINT, None)),
        ("edit", Role.OPERATOR, (0, TITLES[1])),
        ("approve", Role.REVIEWER, 0),
        ("erase edits", None, 0),
    ]
)
def test_what_is_given_out_as_approved_was_approved_word_for_word(
    open_loop: OpenLoop,
    database: str,
    tmp_path: Path,
    clock: FrozenClock,
    monkeypatch: pytest.MonkeyPatch,
    steps: list[tuple[str, Any, Any]],
) -> None:
    monkeypatch.setattr(merging, "_BETTER", -1.0)  # whatever is merged brings its words
    with open_loop(
        str(uuid.uuid4()), embedder=WordEmbedder(), reader=PlainReader()
    ) as loop:  # each example has its own organisation
        loop.capture.event("FIELD_SET")
        life = Life(loop, clock)
        for step in steps:
            clock.advance(hours=1)
            life.step(*step)
            life.check()
        loop.learn.rebuild()
        life.check()
        life.check_edges(database, tmp_path / f"{loop.name}.md")
        whole(loop)


def test_whoever_may_not_approve_takes_the_approval_from_what_they_reword(loop: heedful.Loop) -> None:
    one = taught(loop, "a", LINT)
    with speaking(loop, Role.REVIEWER):
        assert insights(loop).approve(one.id).approved
    with speaking(loop, Role.OPERATOR):
        assert not insights(loop).edit(one.id, title="Skip the linter").approved
    assert loop.govern.export().learnings == ()

    with speaking(loop, Role.OPERATOR):
        assert insights(loop).edit(one.id, title=one.title).approved
    loop.learn.rebuild()
    assert [one.title for one in active(loop) if one.approved] == [one.title]


def test_whoever_may_approve_approves_their_own_words(loop: heedful.Loop) -> None:
    one = taught(loop, "a", LINT)
    with speaking(loop, Role.REVIEWER):
        assert not insights(loop).edit(one.id, title="Lint").approved  # nobody has said so yet
        insights(loop).approve(one.id)
        assert insights(loop).edit(one.id, title="Lint first").approved
    approvals = [event for event in insights(loop).why(one.id).history if event.kind == APPROVED]
    assert [event.actor for event in approvals] == ["key:reviewer-key"] * 2
    assert approvals[-1].meta == {"words": insights(loop).get(one.id).digest, "version": 3}


def test_only_what_was_read_is_approved(loop: heedful.Loop) -> None:
    read = taught(loop, "a", LINT)
    insights(loop).edit(read.id, title="Skip the linter")
    with pytest.raises(Conflict, match="was changed after"):
        insights(loop).approve(read.id, digest=read.digest)
    assert not insights(loop).get(read.id).approved
    insights(loop).approve(read.id, digest=insights(loop).get(read.id).digest)
    assert insights(loop).get(read.id).approved


def test_an_heir_in_other_words_is_not_approved(loop: heedful.Loop, clock: FrozenClock) -> None:
    first = taught(loop, "a", LINT_TOO)
    clock.advance(hours=1)
    teach(loop, "b", LINT)
    insights(loop).approve(first.id)
    loop.govern.conversations.delete("a")

    (heir,) = active(loop)
    assert heir.title != first.title or heir.content != first.content
    assert (heir.conversation, heir.approved) == ("b", False)
