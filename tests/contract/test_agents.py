"""What coding agents get: a section for AGENTS.md, and notes with a prompt; on every database."""

from __future__ import annotations

import heedful
from heedful.learnings.events import COUNTED
from heedful.records.event import Entity, noted
from heedful.text.fence import BEGIN, END
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder
from tests.contract.mining import RULES, active, taught
from tests.typed import insights

OUTPUT, MESSAGE = "parse() returns an error when the input is empty.", "Actually it should return nil, not an error"


def _correction(loop: heedful.Loop, number: int, *, about: str | None = None) -> str:
    return loop.capture.correction(
        f"deploy step {number}: make ship", f"deploy step {number}: make release", why="renamed", about=about
    ).id


def _pattern(loop: heedful.Loop) -> str:
    draft = noted(
        COUNTED,
        loop.store.clock(),
        entity=Entity("rule", "shop"),
        before={"text": "was done"},
        after={"text": "did"},
        meta={"category": "wanted", "counts": {"accepted": 9, "rejected": 1}},
    )
    with loop.store.recording() as record:
        return record.append([draft])[0].id


def test_agents_md_has_every_kind_that_was_approved_and_nothing_else(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    taught(loop, "c-1", RULES[0])
    ids = [active(loop)[0].id, _correction(loop, 1), _pattern(loop)]
    assert loop.apply.agents_md().learnings == ()
    assert "Nothing is approved yet." in loop.apply.agents_md().text

    for id in ids:
        loop.govern.learnings.approve(id)
    _correction(loop, 2)
    section = loop.apply.agents_md()

    assert section.learnings == tuple(ids)
    lines = section.text.split("\n")
    assert (lines[0], lines[-1]) == (BEGIN, END)
    headings = [line for line in lines if line.startswith("### ")]
    assert headings[1:] == ["### Corrections", "### Suggestions that people accept"]
    first = lines.index("### Corrections") + 2
    assert lines[first : first + 3] == [
        "- deploy step 1: make release",
        "  Not: deploy step 1: make ship",
        "  Why: renamed",
    ]
    assert '- "was done" to "did", accepted 9 of 10 times' in lines


def test_agents_md_of_a_project_has_its_own_and_what_holds_everywhere(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    ids = {about: _correction(loop, number, about=about) for number, about in enumerate(("shop", "till", None))}
    for id in ids.values():
        loop.govern.learnings.approve(id)

    section = loop.apply.agents_md(about="shop")
    assert (section.learnings, section.elsewhere) == ((ids["shop"], ids[None]), ("till",))
    assert set(loop.apply.agents_md().learnings) == set(ids.values())


def test_a_prompt_is_heard_and_answered_with_what_matters(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    question = "what does parse() return on empty input?"
    heard = loop.agents.prompt(MESSAGE, last_output=OUTPUT, query=question, session="s-1", about="shop", id="m-1")
    assert heard.correction is not None
    assert (heard.correction.id, heard.correction.right, heard.correction.about) == ("m-1", "nil", "shop")
    assert (heard.context, heard.learnings) == ("", ())  # they have just said it themselves
    again = loop.agents.prompt(MESSAGE, last_output=OUTPUT, query=question, session="s-1", about="shop", id="m-1")
    assert again.correction == heard.correction

    told = loop.agents.prompt(question, about="shop")
    assert (told.learnings, told.correction) == (("m-1",), None)
    assert '(not "an error")' in told.context
    assert loop.agents.prompt(question, about="till").context == ""
    assert len(list(loop.events())) == 1


def test_learnings_reach_an_agent_that_did_not_ask_only_once_they_are_approved(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    taught(loop, "c-1", RULES[0])
    (learned,) = active(loop)
    assert loop.agents.prompt(learned.title).context == ""

    insights(loop).approve(learned.id)
    assert loop.agents.prompt(learned.title).learnings == (learned.id,)


def test_a_notice_of_a_program_is_no_prompt(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    _correction(loop, 1)
    for notice in ("<task-notification>make ship</task-notification>", f"<system-reminder>{MESSAGE}", " "):
        result = loop.agents.prompt(notice, last_output=OUTPUT)
        assert (result.context, result.correction) == ("", None)
    assert len(list(loop.events())) == 1
