"""A team keeps its decisions and rules in a Git repository: real repositories, and everything that happens to them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner, Result
from markdown_it import MarkdownIt

import heedful
from heedful.edges.cli import main
from heedful.edges.git import documents
from heedful.learnings import events
from heedful.records.event import Entity, noted
from heedful.records.proposal import Proposal
from heedful.records.review import REVIEWED
from heedful.records.rule import Rule
from heedful.testing import FrozenClock

Run = Callable[..., Result]

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
GIT = shutil.which("git") or "git"
RULES = ("Validate input.", "Name all units.", "Log no secrets.")


@pytest.fixture(autouse=True)
def _no_git_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "gitconfig").write_text("[init]\ndefaultBranch = trunk\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def run(database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("HEEDFUL_DATABASE", database)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LOGNAME", "dana")
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def team(run: Run, database: str, clock: FrozenClock) -> Iterator[Team]:
    """People who review, approve and mirror."""
    with heedful.open(database, clock=clock) as loop:
        yield Team(loop, clock, run)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


class Team:
    def __init__(self, loop: heedful.Loop, clock: FrozenClock, run: Run) -> None:
        self.loop, self.clock, self.run = loop, clock, run

    def review(self, id: str, comment: str = "Check it.", *, by: str = "lee", at: datetime = AT, **more: Any) -> str:
        """Recorded as it is, because nothing here depends on what the models make of it."""
        meta = {"decision": "APPROVED_WITH_CHANGES", "comment": comment, "task": "T-1", **more}
        before, after = {"output": "db.insert(form)\n"}, {"approved": "db.insert(valid(form))\n"}
        draft = noted(REVIEWED, at, actor=by, entity=Entity("agent", "coder"), before=before, after=after, meta=meta)
        return self.loop.store.record([draft._replace(id=id, own_id=True, own_time=True)])[0].id

    def evaluate(self, review: str, classification: str, why: str = "It is about one file.") -> None:
        meta = {"category": classification, "confidence": 0.7, "reason": why}
        self.loop.store.record([noted(events.EVALUATED, AT, entity=Entity(events.ENTITY, review), meta=meta)])

    def rule(self, text: str, *, by: str = "ana", **more: Any) -> Rule:
        return self.adopt(self.loop.govern.proposals.propose(text, by=by, agents=["coder"], **more))

    def adopt(self, made: Proposal) -> Rule:
        self.approve(made)
        found = self.loop.govern.learnings.get(f"rule-{made.id.removeprefix('proposal-')}")
        assert isinstance(found, Rule)
        return found

    def approve(self, made: Proposal) -> None:
        for name in ("lee@acme.example", "kim"):
            self.clock.advance(minutes=1)
            self.loop.govern.proposals.approve(made.id, by=name)

    def oppose(self, rule: Rule) -> None:
        """Two people say the contrary, and the next look at the rules suspends it."""
        entity = Entity(events.ENTITY, rule.id)
        drafts = [noted(events.OPPOSED, AT, entity=entity, meta={"voice": name, "review": name}) for name in ("a", "b")]
        self.loop.store.record(drafts)
        self.loop.measure.rules.tend()

    def pending(self) -> list[Proposal]:
        return list(self.loop.govern.proposals.all())

    def mirror(self, repo: Repo, *words: str) -> str:
        result = self.run("mirror", repo.path, *words)
        assert result.exit_code == 0, result.output
        return result.output


class Repo:
    """A repository, looked at with the real git."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *words: str, code: int = 0) -> str:
        who = ["-c", "user.name=Sam Berg", "-c", "user.email=sam@acme.example"]
        done = subprocess.run([GIT, *who, *words], cwd=self.path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout.strip("\n")

    def made(self) -> Repo:
        self.path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        return self

    def log(self, format: str = "%s", *words: str) -> list[str]:
        return self.git("log", "--reverse", f"--format={format}", *words).split("\n")

    def files(self) -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", "HEAD").split("\n")

    def tree(self) -> str:
        return self.git("rev-parse", "HEAD^{tree}")

    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def status(self) -> str:
        return self.git("status", "--porcelain")

    def read(self, path: str) -> str:
        return (self.path / path).read_text()

    def write(self, path: str, text: str) -> None:
        (self.path / path).parent.mkdir(parents=True, exist_ok=True)
        (self.path / path).write_text(text)

    def edit(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        assert old in text
        self.write(path, text.replace(old, new))

    def commit(self, message: str = "Ours") -> None:
        self.git("add", "--all")
        self.git("commit", "-q", "-m", message)

    def front(self, path: str) -> dict[str, Any]:
        front: dict[str, Any] = yaml.safe_load(self.read(path).split("---\n")[1])
        return front


def path_of(rule: Rule) -> str:
    return f"rules/{rule.id}.md"


# What is written


def test_decisions_edge_cases_and_approved_rules_become_files_with_a_commit_for_each_approval(
    team: Team, repo: Repo
) -> None:
    team.review("d1", "Validate input at the boundary.")
    team.review("d2", "Only for this customer.")
    team.evaluate("d2", "edge_case")
    rule = team.rule("Validate input at the boundary.", before="insert(form)", after="insert(valid(form))")
    team.review("d3", at=datetime(2025, 12, 31, 23, 59, tzinfo=UTC))

    assert "3 commits on main: 3 decisions, 1 rule, 1 edge case" in team.mirror(repo)

    assert repo.files() == [
        "decisions/2025/d3.md", "decisions/2026/d1.md", "decisions/2026/d2.md", "edge_cases/d2.md", path_of(rule),
    ]  # fmt: skip
    assert repo.log() == [
        "Record 2 decisions and 1 edge case", "Adopt a rule: Validate input at the boundary.", "Record 1 decision",
    ]  # fmt: skip
    assert repo.status() == ""
    repo.git("fsck", "--strict")
    adopted = repo.git("log", "-1", "--format=%an <%ae>%n%ai%n%ci%n%(trailers)", "HEAD~1").split("\n")
    when = f"{rule.at:%Y-%m-%d %H:%M:%S} +0000"
    assert adopted[:7] == [
        "kim <>", when, when, "Reviewed-by: lee <lee@acme.example>", "Reviewed-by: kim", "Heedful-Org: default",
        f"Heedful-Event: {rule.id}",
    ]  # fmt: skip

    front = repo.front(path_of(rule))
    assert (front["status"], front["type"], front["agents"]) == ("active", "GUIDELINE", ["coder"])
    assert front["approved_by"] == ["lee@acme.example", "kim"]
    assert "```text\ninsert(valid(form))\n```" in repo.read(path_of(rule))
    decision = repo.front("decisions/2026/d2.md")
    assert (decision["decision"], decision["classification"]) == ("APPROVED_WITH_CHANGES", "edge_case")
    assert "```text\nOnly for this customer.\n```" in repo.read("edge_cases/d2.md")
    assert "(../decisions/2026/d2.md)" in repo.read("edge_cases/d2.md")


def test_reviewers_are_pseudonyms_and_texts_that_were_not_stored_are_not_written(team: Team, repo: Repo) -> None:
    team.loop.govern.set_privacy(store_original_text=False)
    team.loop.capture.review(
        "coder", "APPROVED_WITH_CHANGES", output="SECRET1", approved="SECRET2", reviewer="lee", id="d1"
    )

    team.mirror(repo)

    text = repo.read("decisions/2026/d1.md")
    assert "person-" in repo.front("decisions/2026/d1.md")["reviewer"]
    assert not re.search("SECRET|lee", text)


def test_running_again_commits_nothing_and_then_what_is_new(team: Team, repo: Repo) -> None:
    team.review("d1")
    team.mirror(repo)
    before = repo.head()

    assert "main is up to date" in team.mirror(repo)
    assert repo.head() == before

    team.evaluate("d1", "edge_case")
    assert "1 commit on main: 1 decision, 1 edge case" in team.mirror(repo)
    team.evaluate("d1", "generalizable_low")
    team.mirror(repo)
    assert repo.files() == ["decisions/2026/d1.md"]
    assert not (repo.path / "edge_cases").exists()
    assert repo.status() == ""


def test_before_anything_was_reviewed_there_is_nothing_to_commit(team: Team, repo: Repo) -> None:
    assert "main is up to date" in team.mirror(repo, "--push")
    assert repo.git("rev-list", "--all", "--count") == "0"


def test_what_happens_to_a_rule_is_a_commit_and_its_file_stays(team: Team, repo: Repo) -> None:
    first, second, third = team.rule("Use tabs."), team.rule("Name all units."), team.rule("Log no secrets.")
    team.mirror(repo)
    team.loop.govern.learnings.retire(first.id, why="the formatter does it")
    team.oppose(second)
    newer = team.rule("Never log a secret.", replaces=[third.id])
    team.mirror(repo)

    assert [repo.front(path_of(one))["status"] for one in (first, second, third, newer)] == [
        "retired", "suspended", "superseded", "active",
    ]  # fmt: skip
    assert repo.front(path_of(first))["why"] == "the formatter does it"
    assert repo.front(path_of(third))["replaced_by"] == newer.id
    assert repo.log("%an: %s")[3:] == [
        "local: Retire a rule: Use tabs.",
        "heedful: Suspend a rule: Name all units.",
        "kim: Adopt a rule: Never log a secret.",
        "kim: Replace a rule: Log no secrets.",
    ]
    assert "Why: the formatter does it" in repo.git("log", "-1", "--format=%b", "HEAD~3")

    team.approve(next(one for one in team.pending() if one.act == "resume"))
    team.mirror(repo)
    assert repo.front(path_of(second))["status"] == "active"
    resumed = repo.git("log", "-1", "--format=%an: %s %(trailers:key=Reviewed-by,valueonly,separator=%x2C)")
    assert resumed == "kim: Resume a rule: Name all units. lee <lee@acme.example>,kim"


def test_the_same_log_gives_the_same_commits_and_the_same_files_however_often_it_was_mirrored(
    team: Team, repo: Repo, tmp_path: Path
) -> None:
    for number, text in enumerate(RULES):
        team.review(f"d{number}")
        team.mirror(repo)
        rule = team.rule(text)
        team.evaluate(f"d{number}", "edge_case")
        team.mirror(repo)
    team.loop.govern.learnings.retire(rule.id)
    team.mirror(repo)
    one, two = Repo(tmp_path / "one"), Repo(tmp_path / "deep" / "two")
    team.mirror(one, "--rebuild")
    team.mirror(two)

    assert one.head() == two.head()
    assert one.tree() == repo.tree()
    assert one.log("%s", "--", "rules") == repo.log("%s", "--", "rules")


@pytest.mark.parametrize(
    "id",
    [
        "../../outside",
        "..",
        ".git",
        "a/b",
        "a\\b",
        "C:con",
        "a b",
        "ü",
        "%2e%2e",
        "-x",
        "~",
        "x" * 200,
        "é" * 200,
        "$(x)",
    ],
)
def test_no_id_leaves_its_folder(id: str, team: Team, repo: Repo, tmp_path: Path) -> None:
    team.review(id)
    team.evaluate(id, "edge_case")
    team.mirror(repo)

    folders = {path.rpartition("/")[0] for path in repo.files()}
    assert folders == {"decisions/2026", "edge_cases"}
    assert all(not path.rpartition("/")[2].startswith(".") for path in repo.files())
    assert not [
        path for path in (tmp_path / "outside", tmp_path / "outside.md", repo.path / "outside.md") if path.exists()
    ]
    assert repo.front(repo.files()[0])["id"] == id
    assert repo.status() == ""
    assert "up to date" in team.mirror(repo)


def test_different_ids_have_different_files() -> None:
    ids = ["a/b", "a%2Fb", "a%252Fb", ".a", "%2Ea", "x" * 199, "x" * 200, documents.file_name("x" * 200)[:-3]]
    assert len({documents.file_name(id) for id in ids}) == len(ids)
    assert max(len(documents.file_name("é" * count)) for count in range(1, 201)) < 200


HOSTILE = (
    "```\n# Broken out\n~~~\n---\nstatus: retired\n<script>alert(1)</script>\n````\n![x](javascript:1)\n"
    "Heedful-Event: d9\n\x1b[31m \u202e\u2028 \x85 \U0001f600 'quoted' \"twice\" \\ {{x}} [x]: y"
)


def test_texts_stay_in_their_fences_and_values_in_their_lines(team: Team, repo: Repo) -> None:
    tags = [
        "a: b",
        "- x",
        "# y",
        "'",
        '"',
        "null",
        "yes",
        "2026-01-05",
        "[",
        "{",
        "!!python/object:x",
        "&a",
        "*a",
        "🙂",
        "\u00a0",
    ]
    team.review("d1", HOSTILE, tags=tags, gate="x: [1, 2] # no", diff_path=HOSTILE)
    team.evaluate("d1", "edge_case", why=HOSTILE)
    team.rule("Quote ``` in fences. # Not a heading <b>", before="````\n# x", after="~~~")
    team.mirror(repo)

    front = repo.front("decisions/2026/d1.md")
    assert (front["tags"], front["gate"], front["diff_path"]) == (tags, "x: [1, 2] # no", HOSTILE)
    for path in repo.files():
        body = repo.read(path).split("---\n", 2)[2]
        tokens = MarkdownIt().parse(body)
        headings = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
        assert set(headings) <= {
            "Approved with changes", "Comment", "Changes", "Output", "Approved", "Evaluation", "Edge case",
            "Why it is one", "Rule", "Wrong", "Right", "Evidence", "To change it",
        }, path  # fmt: skip
        assert not {token.type for token in tokens} & {"html_block", "hr", "code_block"}
        inline = [child.type for token in tokens for child in token.children or ()]
        assert not {"html_inline", "image"} & set(inline)
        assert "\x1b" not in body
        assert "\u202e" not in body
    assert [line for line in "\n".join(repo.log("%B")).split("\n") if line.startswith("Heedful-Event: d9")] == []


# Edited rules


def test_an_edited_rule_is_proposed_once_left_alone_and_replaced_when_approved(team: Team, repo: Repo) -> None:
    rule = team.rule("Validate input.", before="insert(form)")
    team.mirror(repo)
    repo.edit(path_of(rule), "Validate input.", "Validate input where it enters.")

    assert "was edited; proposed: Validate input where it enters." in team.mirror(repo)
    assert "waits for approval" in team.mirror(repo)

    [made] = team.pending()
    assert (made.rule and made.rule.text, made.learnings, made.made_by) == (
        "Validate input where it enters.", (rule.id,), "dana",
    )  # fmt: skip
    assert made.rule is not None
    assert (made.rule.agents, made.rule.before) == (("coder",), "insert(form)")
    assert "where it enters" in repo.read(path_of(rule))
    assert repo.status() == f" M {path_of(rule)}"

    newer = team.adopt(made)
    assert "was approved. The file is as recorded again." in team.mirror(repo)
    assert repo.front(path_of(rule))["status"] == "superseded"
    assert "```text\nValidate input.\n```" in repo.read(path_of(rule))
    assert "```text\nValidate input where it enters.\n```" in repo.read(path_of(newer))
    assert repo.status() == ""
    assert "up to date" in team.mirror(repo)


def test_a_committed_edit_is_proposed_by_its_author_and_put_back_when_rejected(team: Team, repo: Repo) -> None:
    rule = team.rule("Validate input.")
    team.mirror(repo)
    repo.edit(path_of(rule), "Validate input.", "Validate no input.")
    repo.commit("I know better")
    edited = repo.head()

    report = json.loads(team.mirror(repo, "--json"))
    [made] = team.pending()
    assert (made.made_by, report["edits"][0]["proposal"], report["edits"][0]["new"]) == (
        "sam@acme.example",
        made.id,
        True,
    )
    team.loop.govern.learnings.retire(rule.id, why="while the edit waits")
    assert "left as it is" not in team.mirror(repo)
    assert repo.head() == edited
    team.review("d1")
    team.mirror(repo)

    team.loop.govern.proposals.reject(made.id, by="kim", why="it is wrong")
    assert "was rejected: it is wrong" in team.mirror(repo)
    assert repo.front(path_of(rule))["status"] == "retired"
    assert "Validate input." in repo.read(path_of(rule))
    assert repo.git("log", "-1", "--format=%an: %s") == "kim: Write a rule again: Validate input."
    assert repo.status() == ""

    repo.edit(path_of(rule), "Validate input.", "Validate no input.")
    assert "was rejected: it is wrong" in team.mirror(repo)
    assert "Validate input." in repo.read(path_of(rule))
    assert team.pending() == []


def test_type_agents_and_example_can_be_edited_as_people_write_yaml(team: Team, repo: Repo) -> None:
    rule = team.rule("Validate input.", before="insert(form)", after="insert(valid)")
    team.mirror(repo)
    repo.edit(path_of(rule), 'type: "GUIDELINE"', "type: CONSTRAINT")
    repo.edit(path_of(rule), 'agents: ["coder"]', "agents: [tester, 'coder']")
    repo.edit(path_of(rule), "```text\nValidate input.\n```", "Validate input.")
    repo.edit(path_of(rule), "insert(valid)\n", "insert(\n  valid\n)\n")
    repo.write(path_of(rule), repo.read(path_of(rule)).replace("\n", "\r\n"))
    team.mirror(repo)

    [made] = team.pending()
    assert made.rule is not None
    assert (made.rule.type, made.rule.agents, made.rule.text) == ("CONSTRAINT", ("coder", "tester"), "Validate input.")
    assert (made.rule.before, made.rule.after) == ("insert(form)", "insert(\n  valid\n)")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("# Rule", "# Rule\n\nA note.", "was edited, but says the same"),
        ("Validate input.\n", "", "cannot be read as a rule"),
        ('type: "GUIDELINE"', "type: LAW", "cannot be read as a rule"),
        ("Validate input.\n", "\n<<<<<<< HEAD\nA\n=======\nB\n>>>>>>> x\n", "has a merge conflict"),
        ("Validate input.", "long " * 200, "cannot be proposed"),
        ("Validate input.", "Validate\u202e input.", "cannot be proposed"),
    ],
)
def test_an_edit_that_cannot_be_proposed_is_told_and_left(
    old: str, new: str, says: str, team: Team, repo: Repo
) -> None:
    rule = team.rule("Validate input.")
    team.mirror(repo)
    repo.edit(path_of(rule), old, new)
    edited = repo.read(path_of(rule))

    for _ in range(2):
        assert says in team.mirror(repo)
    assert team.pending() == []
    assert repo.read(path_of(rule)) == edited


def test_rebuild_writes_what_people_edited_without_a_new_rule_in_it(team: Team, repo: Repo) -> None:
    rule, other = team.rule("Validate input."), team.rule("Name all units.")
    team.review("d1")
    team.mirror(repo)
    clean = repo.tree()
    repo.edit("decisions/2026/d1.md", "Check it.", "I never said that.")
    repo.edit(path_of(rule), "# Rule", "# The rule\n\n# Rule")
    repo.edit(path_of(other), "Name all units.", "Name no units.")
    repo.git("rm", "-q", "--cached", path_of(rule))
    repo.commit()
    team.evaluate("d1", "edge_case")

    assert "decisions/2026/d1.md was edited. It was left as it is; --rebuild writes it again." in team.mirror(repo)
    assert "I never said that." in repo.read("decisions/2026/d1.md")

    said = team.mirror(repo, "--rebuild")
    assert "decisions/2026/d1.md was edited. It was written again." in said
    assert "Name no units." in repo.read(path_of(other))
    team.loop.govern.proposals.reject(team.pending()[0].id, by="kim", why="no")
    team.evaluate("d1", "generalizable_low")
    team.mirror(repo)
    repo.git("diff", "--exit-code", clean, "HEAD", "--", "rules")
    assert repo.status() == ""


# What else is in the repository


def test_other_files_staged_changes_and_edits_of_others_stay_as_they_are(team: Team, repo: Repo) -> None:
    repo.made()
    repo.write("README.md", "Ours.\n")
    repo.write("decisions/README.md", "How we decide.\n")
    repo.commit("Begin")
    repo.write("README.md", "Ours, edited.\n")
    repo.write("staged.txt", "not yet\n")
    repo.git("add", "staged.txt")
    repo.write("rules/note.md", "mine\n")
    team.review("d1")
    rule = team.rule("Validate input.")

    team.mirror(repo)

    assert repo.status().split("\n") == [" M README.md", "A  staged.txt", "?? rules/note.md"]
    assert repo.files() == ["README.md", "decisions/2026/d1.md", "decisions/README.md", path_of(rule)]
    assert repo.log()[0] == "Begin"

    repo.commit("Meanwhile")
    repo.edit("decisions/2026/d1.md", "Check it.", "Check it!")
    team.evaluate("d1", "edge_case")
    assert "Edited files were left as they are: decisions/2026/d1.md" in team.mirror(repo)
    assert "Check it!" in repo.read("decisions/2026/d1.md")
    assert "edge_case" in repo.git("show", "HEAD:decisions/2026/d1.md")
    assert "up to date" in team.mirror(repo)
    assert repo.log()[-2:] == ["Meanwhile", "Record 1 decision and 1 edge case"]


def test_files_that_were_staged_before_the_first_commit_stay_staged(team: Team, repo: Repo) -> None:
    repo.made()
    repo.write("a.txt", "a\n")
    repo.git("add", "a.txt")
    team.review("d1")
    team.mirror(repo)
    assert (repo.files(), repo.status()) == (["decisions/2026/d1.md"], "A  a.txt")


def test_in_the_middle_of_a_merge_nothing_of_it_is_lost(team: Team, repo: Repo) -> None:
    rule = team.rule("Validate input.")
    team.mirror(repo)
    repo.git("branch", "topic")
    for branch, text in (("topic", "Validate all input."), ("main", "Validate some input.")):
        repo.git("switch", "-q", branch)
        repo.edit(path_of(rule), "Validate input.", text)
        repo.commit(text)
    repo.git("merge", "-q", "topic", code=1)
    team.review("d1")
    before = repo.read(path_of(rule))

    assert "has a merge conflict" in team.mirror(repo)
    assert repo.read(path_of(rule)) == before
    assert repo.status() == f"UU {path_of(rule)}"
    assert team.pending() == []

    repo.git("checkout", "-q", "--theirs", path_of(rule))
    repo.commit("Merge")
    team.mirror(repo)
    assert [made.rule and made.rule.text for made in team.pending()] == ["Validate all input."]
    assert "decisions/2026/d1.md" in repo.files()


def test_a_file_that_somebody_brings_back_is_not_taken_away(team: Team, repo: Repo) -> None:
    team.review("d1")
    team.review("d2")
    team.mirror(repo)
    repo.git("rm", "-q", "decisions/2026/d1.md")
    repo.commit("Away")
    assert "up to date" in team.mirror(repo)
    repo.git("checkout", "-q", "HEAD~1", "--", "decisions/2026/d1.md")
    team.mirror(repo)
    assert repo.status() == "A  decisions/2026/d1.md"


def test_a_staged_edit_is_not_taken_back(team: Team, repo: Repo) -> None:
    team.review("d1")
    team.mirror(repo)
    repo.edit("decisions/2026/d1.md", "Check it.", "Check it!")
    repo.git("add", "decisions")
    team.evaluate("d1", "edge_case")
    assert "Edited files were left as they are: decisions/2026/d1.md" in team.mirror(repo)
    assert "Check it!" in repo.git("show", ":decisions/2026/d1.md")
    assert "Check it!" in repo.read("decisions/2026/d1.md")


def test_it_commits_to_the_branch_that_is_checked_out(team: Team, repo: Repo) -> None:
    team.review("d1")
    team.mirror(repo)
    repo.git("switch", "-q", "-c", "topic")
    team.review("d2")
    assert "1 commit on topic" in team.mirror(repo)
    assert repo.git("rev-parse", "main") == repo.git("rev-parse", "HEAD~1")

    repo.git("switch", "-q", "--detach", "main")
    assert "1 commit on no branch" in team.mirror(repo)
    assert repo.git("rev-parse", "HEAD^{tree}") == repo.git("rev-parse", "topic^{tree}")
    assert json.loads(team.mirror(repo, "--json"))["branch"] is None

    repo.git("switch", "-q", "main")
    repo.write("other.txt", "x\n")
    repo.commit("Other")
    repo.git("merge", "-q", "-m", "Merge", "topic")
    assert "main is up to date" in team.mirror(repo)


def test_commits_that_were_squashed_are_not_made_again(team: Team, repo: Repo) -> None:
    repo.made()
    repo.write("a.txt", "a\n")
    repo.commit("Begin")
    team.review("d1")
    team.loop.govern.learnings.retire(team.rule("Validate input.").id)
    team.mirror(repo)
    said = repo.git("log", "--reverse", "--format=%B", "HEAD~3..")
    repo.git("reset", "-q", "--soft", "HEAD~3")
    repo.commit(f"All of it\n\n{said}\n\nThat was it.")

    assert "up to date" in team.mirror(repo)
    team.review("d2")
    team.mirror(repo)
    assert repo.log()[2:] == ["Record 1 decision"]


def test_a_linked_work_tree_and_a_clone_without_history_go_on(team: Team, repo: Repo, tmp_path: Path) -> None:
    team.review("d1")
    rule = team.rule("Validate input.")
    team.mirror(repo)
    repo.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    linked, shallow = Repo(tmp_path / "linked"), Repo(tmp_path / "shallow")
    team.review("d2")
    assert "1 commit on linked" in team.mirror(linked)
    assert linked.status() == ""

    team.loop.govern.learnings.retire(rule.id)
    team.mirror(repo)
    repo.write("other.txt", "x\n")
    repo.commit("Other")
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(shallow.path))
    assert "up to date" in team.mirror(shallow)
    team.review("d3")
    team.mirror(shallow)
    assert shallow.log() == ["Other", "Compare all decisions with the log"]
    assert "decisions/2026/d3.md" in shallow.files()
    assert "up to date" in team.mirror(shallow)


def test_hooks_signatures_and_settings_of_the_user_do_not_break_it(
    team: Team, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "commit-msg", "reference-transaction", "post-index-change", "pre-push"):
        (hooks / name).write_text("#!/bin/sh\nexit 1\n")
        (hooks / name).chmod(0o755)
    settings = {
        "commit.gpgsign": "true", "gpg.program": "false", "core.hooksPath": str(hooks), "core.autocrlf": "true",
        "core.quotePath": "true", "log.showSignature": "true", "status.short": "true", "diff.noprefix": "true",
        "diff.external": "false", "core.pager": "false", "color.ui": "always", "log.decorate": "full",
        "core.safecrlf": "true", "user.useConfigOnly": "true", "format.pretty": "oneline",
    }  # fmt: skip
    for name, value in settings.items():
        subprocess.run([GIT, "config", "--global", name, value], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "elsewhere"))
    for number, text in enumerate(RULES):
        team.review(f"d{number}")
        team.rule(text)
        team.mirror(repo)
    assert "up to date" in team.mirror(repo)
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    (tmp_path / "gitconfig").write_text("")
    assert len(repo.log()) == 2 * len(RULES)
    assert repo.status() == ""


def test_a_clone_with_the_line_ends_of_windows_is_up_to_date(team: Team, repo: Repo, tmp_path: Path) -> None:
    team.review("d1")
    rule = team.rule("Validate input.")
    team.mirror(repo)
    clone = Repo(tmp_path / "clone")
    repo.git("clone", "-q", "-c", "core.autocrlf=true", str(repo.path), str(clone.path))
    assert b"\r\n" in (clone.path / path_of(rule)).read_bytes()

    report = json.loads(team.mirror(clone, "--json"))
    assert (report["commits"], report["edits"], report["notices"]) == (0, [], [])
    team.loop.govern.learnings.retire(rule.id)
    assert json.loads(team.mirror(clone, "--json"))["notices"] == []
    assert clone.status() == ""


def test_a_link_out_of_the_repository_is_not_followed(team: Team, repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "target.md").write_text("theirs\n")
    repo.made()
    (repo.path / "decisions").symlink_to(outside)
    rule = team.rule("Validate input.")
    (repo.path / "rules").mkdir()
    (repo.path / path_of(rule)).symlink_to(tmp_path / "target.md")
    team.review("d1")

    assert "left as they are" in team.mirror(repo)
    assert list(outside.iterdir()) == []
    assert (tmp_path / "target.md").read_text() == "theirs\n"
    assert repo.files() == ["decisions/2026/d1.md", path_of(rule)]


# What goes wrong


@pytest.mark.parametrize("written", [0, 1, 40, 200])
def test_a_file_that_was_written_only_in_part_is_completed_and_not_proposed(
    written: int, team: Team, repo: Repo
) -> None:
    rule = team.rule("Validate input.")
    team.review("d1")
    team.mirror(repo)
    for path in (path_of(rule), "decisions/2026/d1.md"):
        repo.write(path, repo.read(path)[:written])

    assert "missing, old or incomplete" in team.mirror(repo)
    assert team.pending() == []
    assert repo.status() == ""


def test_missing_files_come_back(team: Team, repo: Repo) -> None:
    rule = team.rule("Validate input.")
    team.review("d1")
    team.mirror(repo)
    clean = repo.tree()
    shutil.rmtree(repo.path / "rules")
    repo.git("rm", "-q", "decisions/2026/d1.md")
    team.mirror(repo)
    assert repo.status() == ""

    shutil.rmtree(repo.path / "rules")
    repo.commit("Away with it")
    assert "1 commit on main: 1 rule" in team.mirror(repo)
    assert repo.git("log", "-1", "--format=%s") == "Write a rule again: Validate input."
    assert repo.tree() == clean
    assert rule.id in repo.read(path_of(rule))


def test_a_lock_that_was_left_behind_delays_only_the_index(team: Team, repo: Repo) -> None:
    team.review("d1")
    team.mirror(repo)
    lock = repo.path / ".git" / "index.lock"
    lock.touch()
    team.review("d2")

    said = team.mirror(repo)
    assert "1 commit on main" in said
    assert str(lock) in said
    assert "d2" in repo.read("decisions/2026/d2.md")
    assert lock.exists()

    lock.unlink()
    team.mirror(repo)
    assert repo.status() == ""


def _git_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A git that does something else first."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "git").write_text(f'#!/bin/sh\n{script}\nexec "{GIT}" "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_run_that_is_killed_anywhere_is_made_up_for(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at the first call of git, at the second, and so on, each time in a repository with a mirror in it."""
    clean, begun = Repo(tmp_path / "clean"), Repo(tmp_path / "begun")
    team.review("d1")
    team.evaluate("d1", "edge_case")
    gone = team.rule("Validate input.")
    team.mirror(begun)
    team.evaluate("d1", "generalizable_low")
    team.review("d2")
    team.loop.govern.learnings.retire(gone.id)
    team.rule("Name all units.")
    team.mirror(clean)
    count, path = tmp_path / "count", os.environ["PATH"]
    die = f'left=$(cat "{count}"); echo $((left - 1)) > "{count}"; [ "$left" -le 0 ] && kill -9 $PPID && exit 1'

    for number in range(100):
        repo = Repo(tmp_path / f"repo{number}")
        shutil.copytree(begun.path, repo.path)
        monkeypatch.setenv("PATH", path)
        _git_that(tmp_path, monkeypatch, die)
        count.write_text(str(number))
        killed = subprocess.run(
            [sys.executable, "-m", "heedful", "mirror", str(repo.path)], check=False, capture_output=True
        )
        monkeypatch.setenv("PATH", path)
        team.mirror(repo)
        assert repo.tree() == clean.tree(), number
        assert repo.status() == "", number
        assert len(repo.log()) == 5, number
        assert "up to date" in team.mirror(repo)
        if killed.returncode == 0:
            break
    assert 10 < number < 99
    assert team.pending() == []


def test_others_may_commit_at_the_same_time(
    team: Team, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.made()
    repo.write("a.txt", "a\n")
    repo.commit("Begin")
    team.review("d1")
    once = tmp_path / "once"
    other = f'"{GIT}" -c user.name=x -c user.email=x commit -q --allow-empty -m "Between"'
    _git_that(
        tmp_path, monkeypatch, f'case "$*" in *update-ref*) [ -e "{once}" ] || {{ touch "{once}"; {other}; }};; esac'
    )
    team.mirror(repo)
    assert repo.log() == ["Begin", "Between", "Record 1 decision"]
    assert repo.git("for-each-ref", "refs/heedful") == ""

    always = f'case "$*" in *update-ref*) {other};; esac'
    _git_that(tmp_path, monkeypatch, always)
    team.review("d2")
    result = team.run("mirror", repo.path)
    assert (result.exit_code, "again and again" in result.output) == (1, True)


def test_what_git_says_is_told(team: Team, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    team.review("d1")
    _git_that(tmp_path, monkeypatch, 'case "$*" in *fast-import*) echo "fatal: no space left" >&2; exit 128;; esac')
    result = team.run("mirror", repo.path)
    assert result.exit_code == 1
    assert "git fast-import failed: fatal: no space left" in result.output


def test_without_git_one_is_told_to_install_it(team: Team, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = team.run("mirror", repo.path)
    assert (result.exit_code, "Install git" in result.output) == (2, True)
    assert not repo.path.exists()


def test_places_that_cannot_be_mirrored_to(team: Team, repo: Repo, tmp_path: Path) -> None:
    repo.made()
    team.review("d1")
    (tmp_path / "file").touch()
    Repo(tmp_path).git("init", "-q", "--bare", "bare.git")
    blocked, broken = Repo(tmp_path / "blocked").made(), Repo(tmp_path / "broken")
    blocked.write("rules", "a file\n")
    blocked.commit()
    year = Repo(tmp_path / "year").made()
    year.write("decisions/2026", "a file\n")
    year.commit()
    assert "its folder is a file" in team.mirror(year)
    assert year.files() == ["decisions/2026"]
    broken.write(".git", "gitdir: /nowhere\n")
    for path, says in {
        tmp_path / "file": "is not a folder",
        tmp_path / "file" / "x": "cannot be created",
        repo.path / "sub" / "folder": "is inside the repository",
        repo.path / ".git": "has no work tree",
        tmp_path / "bare.git": "has no work tree",
        blocked.path: "rules in the repository is no folder",
        broken.path: "git rev-parse failed",
    }.items():
        result = team.run("mirror", path)
        assert result.exit_code in (1, 2), path
        assert says in result.output, path
    assert not (repo.path / "sub").exists()
    assert blocked.read("rules") == "a file\n"


def test_another_log_is_not_mixed_in(team: Team, repo: Repo, tmp_path: Path) -> None:
    team.review("d1")
    team.mirror(repo)
    result = team.run("mirror", repo.path, "--org", "other")
    assert (result.exit_code, "mirrors the organisation default" in result.output) == (2, True)

    database = str(tmp_path / "second.db")
    with heedful.open(database) as second:
        draft = noted(REVIEWED, AT, entity=Entity("agent", "writer"), meta={"decision": "APPROVED"})
        second.store.record([draft._replace(id="e1", own_id=True, own_time=True)])
    elsewhere = ("--database", database, "mirror", repo.path)
    result = team.run(*elsewhere)
    assert (result.exit_code, "mirrors another log" in result.output) == (2, True)
    assert repo.files() == ["decisions/2026/d1.md"]
    assert team.run(*elsewhere, "--rebuild").exit_code == 0
    assert repo.files() == ["decisions/2026/e1.md"]
    assert "up to date" in team.run(*elsewhere).output


def test_what_was_erased_is_removed_and_one_is_told_about_the_history(team: Team, repo: Repo) -> None:
    team.review("d1")
    kept = team.review("d2")
    team.evaluate("d1", "edge_case")
    rule, other, gone = map(team.rule, RULES)
    team.mirror(repo)
    with team.loop.store.recording() as record:
        record.erase([event for event in [team.loop.store.log.get("d1")] if event is not None])
    team.loop.govern.learnings.delete(rule.id)
    team.loop.govern.learnings.delete(gone.id)

    repo.edit(path_of(gone), "Log no secrets.", "Log all secrets.")
    repo.commit()

    said = team.mirror(repo)
    assert "The history of the repository still has them" in said
    assert f"{path_of(gone)} was edited, and the log no longer has it" in said
    repo.git("rm", "-q", path_of(gone))
    repo.commit()
    assert repo.files() == [f"decisions/2026/{kept}.md", path_of(other)]
    assert repo.status() == ""
    assert "up to date" in team.mirror(repo)


def test_history_of_long_ago_and_of_the_far_future_is_mirrored(team: Team, repo: Repo) -> None:
    team.review("old", at=datetime(1931, 4, 1, tzinfo=UTC))
    team.mirror(repo)
    team.review("far", at=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))
    team.mirror(repo)
    assert repo.files() == ["decisions/1931/old.md", "decisions/9999/far.md"]
    assert repo.log("%at")[0] == "0"


# Sharing it


def test_the_branch_is_pushed(team: Team, repo: Repo, tmp_path: Path) -> None:
    team.review("d1")
    without = team.run("mirror", repo.path, "--push")
    assert (without.exit_code, "git remote add origin URL" in without.output) == (2, True)
    remote = Repo(tmp_path / "remote.git")
    Repo(tmp_path).git("init", "-q", "--bare", "-b", "main", str(remote.path))
    repo.git("remote", "add", "team", str(remote.path))

    assert "pushed main to team" in team.mirror(repo, "--push")
    assert remote.head() == repo.head()

    clone = Repo(tmp_path / "clone")
    repo.git("clone", "-q", str(remote.path), str(clone.path))
    clone.write("x.txt", "x\n")
    clone.commit()
    clone.git("push", "-q")
    team.review("d2")
    behind = team.run("mirror", repo.path, "--push")
    assert (behind.exit_code, "git pull --rebase" in behind.output) == (1, True)
    repo.git("pull", "-q", "--rebase", "team", "main")
    assert json.loads(team.mirror(repo, "--push", "--json"))["pushed"] == "team"
    assert remote.head() == repo.head()
    repo.git("switch", "-q", "--detach")
    assert "No branch is checked out" in team.run("mirror", repo.path, "--push").output


def test_two_people_who_mirror_the_same_log_make_one_proposal_of_the_same_edit(
    team: Team, repo: Repo, tmp_path: Path
) -> None:
    rule = team.rule("Validate input.")
    second = Repo(tmp_path / "second")
    for one in (repo, second):
        team.mirror(one)
        one.edit(path_of(rule), "Validate input.", "Validate all input.")
    team.mirror(repo, "--by", "zoe")
    team.mirror(second, "--by", "ines")
    assert [made.made_by for made in team.pending()] == ["zoe"]
