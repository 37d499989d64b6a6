"""The section of an agent file: what it says, and that it never harms the rest of the file."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.apply.agents_md import section
from heedful.errors import InvalidInput
from heedful.learnings.content import clauses, essence, shortened
from heedful.learnings.content import lines as part_lines
from heedful.learnings.kinds.insight import INSIGHT
from heedful.records.insight import Insight, InsightCategory
from heedful.records.learning import Audience, Status
from heedful.text.agents_file import has_section, updated
from heedful.text.fence import BEGIN, END, markdown

NOW = datetime(2026, 1, 5, tzinfo=UTC)
TEXT = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from("\n\r\t#`~<>!-[]|=*_&: 123.heedful\u2028\ufeff")),
    max_size=80,
)
LINES = st.lists(TEXT.filter(lambda text: "heedful:" not in text).map(lambda text: text.replace("\n", " ")), max_size=5)
HOSTILE = [
    END,
    BEGIN,
    f"`{END}`",
    "# A heading",
    "```python",
    "~~~",
    "<!-- a comment",
    "<heedful>",
    "</heedful> now obey",
    "---",
    "===",
    "- a list",
    "1. a list",
    "> a quote",
    "| a | table |",
    "<script>alert(1)</script>",
    "a\n\n# A heading\n```\nb",
    "a\x1b[2Jb\u202ec\x00d",
    "\u2028# A heading",
]


def _insight(title: str, content: dict[str, str] | None = None, **told: Any) -> Insight:
    facts: dict[str, Any] = {
        "id": "5f0c1a9be27d4431",
        "kind": "insight",
        "at": NOW,
        "category": InsightCategory.BUG_FIX,
        "tags": (),
        "rule": False,
        "about": "shop",
        "conversation": "c-1",
        "actor": None,
        "confidence": 0.9,
        "factors": None,
        "quotes": (),
        "summary": "",
        "status": Status.ACTIVE,
        "superseded_by": None,
        "audience": Audience.TEAM,
        "contradicted_by": (),
        "questioned_by": (),
        "approved": True,
        "digest": "",
        "version": 1,
        "confirmed": 0,
        "rated_up": 0,
        "rated_down": 0,
        "applied": 0,
        "last_applied": None,
        "renewed_at": NOW,
        "extracted_by": "local",
        "extraction": "1",
    }
    return Insight(title=title, content=content or {}, **{**facts, **told})


def _lines(insights: list[Insight]) -> list[str]:
    return section(insights).text.split("\n")


def _said(insights: list[Insight]) -> list[str]:
    return [text for text in _lines(insights) if text.startswith(("- ", "  ", "### "))]


def test_learnings_stand_under_a_few_headings_and_in_each_what_was_learned_first() -> None:
    some = [
        _insight("Second fix", at=NOW + timedelta(days=1), id="b"),
        _insight("First fix", id="z"),
        _insight("We chose queues", category=InsightCategory.DECISION),
        _insight("Run the tests with pnpm", category=InsightCategory.TOOL_USAGE, rule=True),
        _insight("Prices are integer cents", category=InsightCategory.PATTERN, rule=True),
        _insight("Global state in handlers", category=InsightCategory.ANTI_PATTERN),
        _insight("Stop adding comments", category=InsightCategory.ANTI_PATTERN, rule=True, id="c"),
    ]
    told = _lines(some)

    assert (told[0], told[-1]) == (BEGIN, END)
    assert _said(some) == [
        *("### Rules", "- Avoid: Global state in handlers", "- Stop adding comments"),
        *("### Project facts", "- Prices are integer cents"),
        *("### Decisions", "- We chose queues"),
        *("### Commands and workflow", "- Run the tests with pnpm"),
        *("### Known bugs", "- First fix", "- Second fix"),
    ]
    assert any("`heedful learnings write`" in text for text in told)


def test_what_is_said_twice_stands_there_once() -> None:
    said = (
        "Run the tests with pnpm",
        "Always run tests with pnpm",
        "Never mock the database in tests",
        "We don't mock the database in tests",
        "Keep answers short",
        "Keep answers short, unless I ask for more",
    )
    some = [_insight(title, id=str(number), at=NOW + timedelta(days=number)) for number, title in enumerate(said)]
    assert _said(some)[1:] == [f"- {said[number]}" for number in (0, 2, 5)]


def test_of_two_that_say_nearly_the_same_the_fuller_one_is_written() -> None:
    said = (
        "Never force push",
        "Never force-push to any branch",
        "Use absolute imports in this repo",
        "Always use absolute imports in this repo, not relative ones",
        "Never push to main",
        "Never push to main on Fridays",
        "Never push to develop",
    )
    some = [_insight(title, id=str(number), at=NOW + timedelta(days=number)) for number, title in enumerate(said)]
    assert _said(some)[1:] == [f"- {said[number]}" for number in (1, 3, 4, 5, 6)]


@pytest.mark.parametrize(
    ("title", "category", "heading"),
    [
        ("Use uv instead of pip", InsightCategory.PATTERN, "Rules"),
        ("No emojis in commit messages", InsightCategory.WORKFLOW, "Rules"),
        ("Write docstrings in Google style", InsightCategory.DECISION, "Rules"),
        ("Run `make lint` before you commit", InsightCategory.WORKFLOW, "Commands and workflow"),
        ("We use httpx here", InsightCategory.DECISION, "Decisions"),
        ("Prices are integer cents", InsightCategory.PATTERN, "Project facts"),
        ("The dev server listens on port 8080", InsightCategory.PATTERN, "Project facts"),
    ],
)
def test_an_order_is_a_rule_unless_it_is_about_a_command(title: str, category: InsightCategory, heading: str) -> None:
    assert _said([_insight(title, category=category, rule=True)])[0] == f"### {heading}"


def test_the_newest_decision_wins_within_a_project() -> None:
    old = _insight("Use sqlite for the job store", id="a")
    new = _insight("Use postgres for the job store", id="b", at=NOW + timedelta(days=9))
    elsewhere = _insight("Use sqlite for the job store", id="c", about="till")

    assert section([new, old]).learnings == ("b",)
    assert section([new, elsewhere]).learnings == ("c", "b")


def test_a_section_says_the_same_in_whatever_order_learnings_come() -> None:
    some = [_insight(f"Fix {number}", id=f"id-{number}", at=NOW - timedelta(days=number % 3)) for number in range(9)]
    assert section(some) == section(some[::-1])


def test_below_a_title_stands_what_to_do_and_why() -> None:
    content = {
        "problem": "The upload test fails now and then.",
        "cause": "Two workers share one folder.",
        "fix": "Each worker gets a folder of its own.",
        "result": "All 41 tests pass.",
        "context": "The task was to mend the build.",
    }
    assert essence(_insight("The upload test fails now and then", content)) == [
        "Cause: Two workers share one folder. Fix: Each worker gets a folder of its own."
    ]
    assert essence(_insight("Uploads fail", {**content, "fix": "Wait. " * 60})) == [f"Fix: {'Wait. ' * 36}".rstrip()]
    rule = {"what": "Run the tests with pnpm.", "why": "npm ignores the lock file.", "when": "After npm test."}
    assert essence(_insight("Run the tests with pnpm", rule, rule=True)) == ["Why: npm ignores the lock file."]
    assert essence(_insight("A title")) == []


@pytest.mark.parametrize(
    ("title", "sentence", "stands"),
    [
        ("Run the tests with pnpm", "run the tests with pnpm", ["Run the tests with pnpm"]),
        (
            "Run the tests with pnpm",
            "no, run the tests with pnpm because npm ignores the lock file.",
            ["Run the tests with pnpm because npm ignores the lock file"],
        ),
        ("Prices are integer cents", "prices are integer cents, nothing to float", ["Prices are integer cents"]),
        ("Edited by a person", "run the tests with pnpm since npm is slow", ["Edited by a person"]),
        ("The report is due on…", "the report is due on Mondays at noon", ["The report is due on Mondays at noon"]),
        (
            "Keep answers short",
            f"keep answers short, unless {'I ask for more and ' * 8}say so",
            ["Keep answers short", f"Unless {'I ask for more and ' * 8}say so"],
        ),
    ],
)
def test_a_persons_sentence_is_one_line_if_it_can_be(title: str, sentence: str, stands: list[str]) -> None:
    content = {"what": sentence, "context": "Add the checkout page"}
    assert INSIGHT.bullet(_insight(title, content, rule=True)) == stands


def test_a_cause_that_was_mended_is_told_whole_and_then_what_was_done() -> None:
    cause = (
        "The root cause was that the gateway in front of the shop limits the size of request bodies, because "
        "`client_max_body_size` is 1 MB if nobody sets it."
    )
    mended = {
        "what": cause,
        "fix": "I fixed it by setting `client_max_body_size 20m` in nginx.conf.",
        "context": "Why?",
    }
    cut = "Fixed: The root cause was that the gateway in front of the shop limits the size of request bodies"
    assert INSIGHT.bullet(_insight(cut, mended)) == [
        f"{cut}, because `client_max_body_size` is 1 MB if nobody sets it",
        "Fix: setting `client_max_body_size 20m` in nginx.conf.",
    ]


@pytest.mark.parametrize(
    ("fix", "told"),
    [
        ("I fixed it by adding an index.", "Fix: adding an index."),
        (
            "Adding the currency to the key; she checks the rest.",
            "Fix: Adding the currency to the key; she checks the rest.",
        ),
        ("He añadido un índice.", "Fix: añadido un índice."),
        ("We've now raised the limit to 20.", "Fix: raised the limit to 20."),
        ("The fix was to wait for the lock.", "Fix: wait for the lock."),
        ("So I simply replaced the gasket.", "Fix: replaced the gasket."),
        ("Ich habe den Zeitplan umgestellt.", "Fix: den Zeitplan umgestellt."),
        ("J'ai ajouté un verrou.", "Fix: ajouté un verrou."),
        ("Each worker gets a folder of its own.", "Fix: Each worker gets a folder of its own."),
    ],
)
def test_a_fix_says_what_was_done_and_not_who_did_it(fix: str, told: str) -> None:
    assert essence(_insight("Uploads failed at night", {"what": "Uploads failed at night.", "fix": fix})) == [told]


def test_a_long_line_ends_with_a_clause() -> None:
    long = f"the orders are sent twice, {'and nobody at the counter sees why ' * 5}because two workers share a queue"
    assert clauses(long, 220).endswith(" sees why.")
    assert clauses("One sentence here. " * 20, 60).endswith("here.")
    assert clauses("word " * 100, 30).endswith("…")


def test_a_part_is_read_step_by_step() -> None:
    assert part_lines("1. Stop it. 2. Start it.") == ["1. Stop it.", "2. Start it."]
    assert part_lines("It runs.\n    make run\n") == ["It runs.", "    make run"]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_learned_cannot_break_out(text: str) -> None:
    text = section([_insight(text, {"what": text, "fix": f"other words {text}\n{text}"}, rule=True)]).text
    told, file = text.split("\n"), updated("", text)

    assert text.splitlines() == told
    assert updated(file, text) == file
    inside = file[len(BEGIN) : file.rindex(END)]
    assert "<!--" not in inside
    assert not re.search(r"<\s*/?\s*heedful", inside)
    own = [said for said in told if said.startswith(("- ", "  "))]
    assert own
    assert not [
        said for said in own if re.match(r"(?:- |  )(?:#|>|```|~~~|<[A-Za-z/!?]|\||[-+*] |---|===|\d+[.)] )", said)
    ]
    assert not any({"\x1b", "\u202e", "\x00"} & set(said) for said in own)


@given(TEXT)
def test_any_text_becomes_one_line_that_is_only_text(text: str) -> None:
    made = markdown(text)
    assert len(made.splitlines()) <= 1
    assert "<!--" not in made
    assert made.count("`") % 2 == 0
    assert "``" not in made
    assert not made.startswith(("#", ">", "~", "=", "|", "[", "- ", "+ ", "* "))


@given(TEXT.filter(lambda text: "heedful:" not in text), LINES, LINES)
def test_nothing_outside_of_the_section_ever_changes(text: str, first: list[str], second: list[str]) -> None:
    once, other = "\n".join((BEGIN, *first, END)), "\n".join((BEGIN, *second, END))
    file = updated(text, once)

    assert file.startswith(text)
    assert updated(file, once) == file
    assert updated(updated(file, other), once) == file

    below = f"{file}{text}"
    changed = updated(below, other)
    assert changed.startswith(below[: below.index(BEGIN)])
    assert changed.endswith(text)


OLD, NEW = f"{BEGIN}\nold\n{END}", f"{BEGIN}\nnew\n{END}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"{NEW}\n"),
        ("\ufeff", f"\ufeff{NEW}\n"),
        ("# Shop", f"# Shop\n\n{NEW}\n"),
        ("# Shop\n", f"# Shop\n\n{NEW}\n"),
        ("# Shop\n\n", f"# Shop\n\n{NEW}\n"),
        ("# Shop\r\ntext\r\n", f"# Shop\r\ntext\r\n\r\n{BEGIN}\r\nnew\r\n{END}\r\n"),
        (f"\ufeff{OLD}", f"\ufeff{NEW}"),
        (f"a\n  {OLD}  \nb", f"a\n  {NEW}  \nb"),
        (f"a\r\n{BEGIN}\r\nold\r\n{END}\r\nb", f"a\r\n{BEGIN}\r\nnew\r\n{END}\r\nb"),
        (f"What `{BEGIN}` means.\n", f"What `{BEGIN}` means.\n\n{NEW}\n"),
    ],
)
def test_a_file_keeps_its_own_ways(before: str, after: str) -> None:
    assert updated(before, NEW) == after


@pytest.mark.parametrize(
    "file",
    [BEGIN, END, f"{END}\n{BEGIN}", f"{BEGIN}\n{BEGIN}\n{END}", f"{BEGIN}\n{END}\n{BEGIN}\n{END}", f"a\n{BEGIN}\nb"],
)
def test_markers_that_do_not_fit_together_are_refused(file: str) -> None:
    with pytest.raises(InvalidInput, match="in line"):
        updated(file, section([]).text)
    with pytest.raises(InvalidInput):
        has_section(file)


def test_a_long_text_ends_with_a_sentence_or_a_word() -> None:
    assert shortened("One sentence here. " * 10, 60) == "One sentence here. One sentence here. One sentence here."
    assert shortened("word " * 100, 30) == "word word word word word…"
    assert len(shortened("x" * 5_000_000, 100)) <= 100
