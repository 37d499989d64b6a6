"""What an agent is warned of before it runs a command or writes a file; on every database."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pytest

import heedful
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder
from tests.contract.mining import RULES, taught


@dataclass(frozen=True)
class Draft:
    text: str
    file: str = ""

    def warning(self, loop: heedful.Loop, *, told: tuple[str, ...] = (), asked: str = "") -> str:
        files = [self.file] if self.file else []
        prose = self.file.endswith(".md")
        found = loop.agents.warning(self.text, about="shop", files=files, prose=prose, told=told, asked=asked)
        return found.context


ANY = "don't use any. If you don't know the type, use unknown"


@pytest.mark.parametrize(
    ("statement", "draft"),
    [
        ("never use print", Draft('print("x")', "src/a.py")),
        ("never use print statements, we log with structlog", Draft('    print(f"total {x}")', "a.py")),
        ("no console.log", Draft("  console.log(user)", "src/app.ts")),
        (ANY, Draft("const x: any = 1", "a.ts")),
        ("don't touch vendor/", Draft("x = 1", "/home/dana/shop/vendor/lib.js")),
        ("don't touch vendor/", Draft("sed -i s/a/b/ vendor/lib.js")),
        ("never run git push --force", Draft("git push origin main --force")),
        ("avoid lodash", Draft("import { debounce } from 'lodash'", "a.ts")),
        ("avoid lodash", Draft("npm install lodash@4")),
        ("stop using eval", Draft("const x = eval(code)", "a.js")),
        ("We do not use goto.", Draft("    goto fail;", "a.c")),
        ("`rm -rf` must never be used", Draft("cd build && sudo rm -rf .")),
        ("never edit files under `gen/`, the build overwrites them", Draft("x", "/w/shop/gen/api.py")),
        ("Use `pathlib` instead of `os.path`.", Draft("p = os.path.join(a, b)", "a.py")),
        ("no `# type: ignore` please", Draft("x = f()  # type: ignore", "a.py")),
        ("don't use npm or yarn", Draft("yarn add left-pad")),
        ("nie npm, immer pnpm", Draft("cd web && npm install")),
        ("npm darf hier nicht verwendet werden", Draft("RUN npm install", "Dockerfile")),
        ("fass migrations/ nicht an", Draft("drop table x", "/w/shop/migrations/1.sql")),
        ("N'utilise jamais moment", Draft("import moment from 'moment'", "a.ts")),
        ("Evita lodash", Draft("import _ from 'lodash'", "a.js")),
        ("Não use `pip install`, use uv", Draft("pip install rich")),
    ],
)
def test_what_is_forbidden_by_name_is_warned_of(loop: heedful.Loop, statement: str, draft: Draft) -> None:
    loop.capture.correction("", statement, always=True, about="shop")
    assert statement in draft.warning(loop).replace('\\"', '"')


@pytest.mark.parametrize(
    ("statement", "draft"),
    [
        ("never use print", Draft('log("we print it")  # print is slow here', "a.py")),
        ("never use print", Draft('grep -rn "print(" src')),
        ("never use print", Draft("blueprint(x); x.print()", "a.js")),
        ("no console.log", Draft("// console.log is not allowed here", "a.ts")),
        (ANY, Draft("const s = anyOf(a, b)", "a.ts")),
        (ANY, Draft("// if any of them fails, stop", "a.ts")),
        (ANY, Draft('it("use unknown, not any", () => {', "a.test.ts")),
        (ANY, Draft("use unknown, not any", "a.test.ts")),
        ("don't use any library for that", Draft("const x: any = 1", "a.ts")),
        ("don't touch vendor/", Draft("x = 1", "/home/dana/shop/src/vendors.js")),
        ("don't touch vendor/", Draft("ls vendor/")),
        ("never run git push --force", Draft("git push --force-with-lease")),
        ("never run git push --force", Draft('git commit -m "never git push --force"')),
        ("avoid lodash", Draft("npm uninstall lodash")),
        ("do not import pandas", Draft('"""Read it as pandas would."""', "a.py")),
        ("never use print unless I ask for it", Draft("print(x)", "a.py")),
        ("In tests, never use sleep", Draft("sleep(3)", "a.py")),
        ("why don't you use print?", Draft("print(x)", "a.py")),
        ("Never run the tests without `--coverage`", Draft("pytest --coverage")),
        ("The parser must not use regex", Draft("import regex", "a.py")),
        ("We use tabs, not spaces", Draft("spaces = 2", "a.py")),
        ("Don't use abbreviations in names", Draft("abbreviations(x)", "a.py")),
        ("never use var", Draft("a { color: var(--ink) }", "a.css")),
    ],
)
def test_what_only_looks_like_it_is_not(loop: heedful.Loop, statement: str, draft: Draft) -> None:
    loop.capture.correction("", statement, always=True, about="shop")
    assert draft.warning(loop) == ""


@pytest.mark.parametrize(
    ("text", "warns"),
    [
        ("We moved from npm years ago.", False),
        ("`npm` is what others use.", False),
        ("Do not use `npm install`.", False),
        ("Run `npm install` first.", True),
        ("Setup\n\n```sh\nnpm install\n```\n", True),
        ("Setup\n\n```sh\n# npm would do, too\npnpm install\n```\n", False),
    ],
)
def test_a_text_for_people_is_warned_of_if_it_tells_them_to_use_it(
    loop: heedful.Loop, text: str, *, warns: bool
) -> None:
    loop.capture.correction("npm", "pnpm", always=True, about="shop")
    assert bool(Draft(text, "README.md").warning(loop)) is warns
    loop.govern.learnings.retire(next(iter(loop.govern.learnings.all())).id)
    loop.capture.correction("", "never use npm", always=True, about="shop")
    assert bool(Draft(text, "README.md").warning(loop)) is warns


@pytest.mark.parametrize(
    ("wrong", "right", "in_prose"),
    [("any", "unknown", False), ("print", "structlog", False), ("npm", "pnpm", False), ("clients", "guests", True)],
)
def test_only_words_to_be_said_are_a_mistake_in_a_sentence(
    open_loop: OpenLoop, wrong: str, right: str, *, in_prose: bool
) -> None:
    loop = open_loop(embedder=WordEmbedder())
    loop.capture.correction(wrong, right, why=f"we say {right}, never {wrong}", always=True, about="shop")
    text = f"Write here with {wrong} of them."

    assert Draft(text).warning(loop)
    assert bool(Draft(text, "README.md").warning(loop)) is in_prose


def test_a_wrong_value_is_a_mistake_wherever_it_is_stated(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    loop.capture.correction("30 days", "14 days", always=True, about="shop")
    loop.capture.correction("us-east-1", "eu-central-1", always=True, about="shop")

    assert Draft("Invoices are due in 30 days.", "README.md").warning(loop)
    assert Draft('due = "to be paid in 30 days"', "a.py").warning(loop)
    assert Draft("The bucket is in us-east-1.", "README.md").warning(loop)


def test_a_warning_reads_as_the_person_said_it(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    for said, output in (
        ("never use print", "I added print statements."),
        ("Never use eval! Use ast.literal_eval", "I called eval(text)."),
    ):
        assert loop.agents.prompt(said, last_output=output, session="s-1", about="shop").correction
    loop.capture.correction("npm install", "pnpm install", why="one lock file", always=True, about="shop")

    assert '] "print": the person said: "never use print"\n' in Draft("print(x)", "a.py").warning(loop)
    assert '] "eval": the person said: "Never use eval! Use ast.literal_eval"\n' in Draft(
        "x = eval(text)", "a.py"
    ).warning(loop)
    assert '] "npm install" should be "pnpm install": one lock file\n' in Draft("npm install").warning(loop)


def test_a_remark_about_one_task_warns_in_no_other(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    loop.agents.prompt(
        "no, don't use print here now", last_output="I added print.", query="fix the date parser", about="shop"
    )
    draft = Draft("print(x)", "a.py")
    assert draft.warning(loop) == ""
    assert draft.warning(loop, asked="write the invoice mail") == ""


def test_rules_and_insights_forbid_and_each_is_said_once(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    made = loop.govern.proposals.propose("Never use aiohttp.", by="ana", agents=["codex"])
    for person in ("ben", "eve"):
        loop.govern.proposals.approve(made.id, by=person)
    learned = taught(loop, "c-1", RULES[2], project="shop", actor="dana")
    generated = partial(loop.agents.warning, "x = 1", files=["/w/shop/gen/api.py"], about="shop")
    code = partial(loop.agents.warning, "import aiohttp", files=["a.py"], about="shop")

    assert 'a rule says: "Never use aiohttp."' in code(agent="codex").context
    assert code(agent="cursor").context == ""
    assert 'the person said: "' in generated(actor="dana").context
    assert generated(actor="lee").context == ""  # whose wish it is not
    loop.govern.learnings.approve(learned.id)
    warned = generated(actor="lee")
    assert (warned.learnings, '"gen/": it was learned: "' in warned.context) == ((learned.id,), True)
    assert generated(told=warned.learnings).context == ""


def test_what_several_forbid_is_one_warning(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    for statement in ("never use lodash", "We have our own helpers: avoid lodash, it is too big for the till"):
        loop.capture.correction("", statement, always=True, about="shop")
    warned = loop.agents.warning("import _ from 'lodash'", about="shop", files=["a.js"])
    assert (len(warned.learnings), warned.context.count("\n- ")) == (2, 1)
