"""Whatever was recorded, and by whatever operation, what agents are told of it is only text; on every database."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mcp.client.client import Client
from mcp.types import TextContent
from pydantic import ValidationError

import heedful
from heedful.apply.agents_md import TITLE
from heedful.edges import mcp
from heedful.errors import BadAnswer, HeedfulError, InvalidId
from heedful.learnings.kinds import KINDS
from heedful.records.event import Event
from heedful.records.insight import Insight
from heedful.records.language import F, ModelAnswer, ModelMessage
from heedful.text.agents_file import updated
from heedful.text.fence import BEGIN, CLOSE, END, OPEN, data, fenced, line, markdown
from heedful.wire import Wire, wires
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder
from tests.contract.mining import LINT, RULES, PlainReader, active, hand_in, taught
from tests.hostile import HOSTILE, TEXT, check_inside, check_text, lines_of
from tests.typed import corrections, insights

SEED = "giraffe port 8080"

PLAIN = {"text", "softbreak", "hardbreak", "code_inline", "em_open", "em_close", "strong_open", "strong_close",
         "s_open", "s_close"}  # fmt: skip
BLOCKS = {"bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "paragraph_open",
          "paragraph_close", "inline", "heading_open", "heading_close", "html_block"}  # fmt: skip


def rendered(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def check_markdown(file: str) -> None:
    tokens = rendered(file)
    assert {token.type for token in tokens} <= BLOCKS, file
    assert {child.type for token in tokens for child in token.children or ()} <= PLAIN, file
    assert {token.level for token in tokens if token.type == "bullet_list_open"} <= {0}, file
    assert [token.content.strip() for token in tokens if token.type == "html_block"] == [BEGIN, END]
    titles = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    assert set(titles) <= {TITLE, *(heading for kind in KINDS.values() for heading in kind.headings.values())}


class Overheard:
    """A language model that remembers what it was asked, and answers nothing."""

    name = "silent-1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def answer(
        self, instructions: str, messages: Sequence[ModelMessage], form: type[F], *, most_tokens: int = 1_000
    ) -> ModelAnswer[F]:
        assert instructions
        assert form
        assert most_tokens
        self.asked += [message.text for message in messages]
        raise BadAnswer("It says nothing.")


def texts_in(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the texts of arguments are."""
    if isinstance(value, str):
        yield at
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from texts_in(part, (*at, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from texts_in(part, (*at, number))


def replaced(value: Any, at: tuple[Any, ...], text: str) -> Any:
    if not at:
        return text
    first, *rest = at
    made = dict(value) if isinstance(value, Mapping) else list(value)
    made[first] = replaced(made[first], tuple(rest), text)
    return made


def arguments(wire: Wire, ids: Mapping[str, str]) -> dict[str, Any]:
    """Those of the example, and a text for everything else that takes one; about what there is."""
    schema = wire.model(wire.operation.parameters).model_json_schema()["properties"]
    texts = {name: "x" for name, part in schema.items() if '"string"' in json.dumps(part) and "enum" not in part}
    lists = {name: ["x"] for name in wire.lists}
    about = next((id for noun, id in ids.items() if f"/{noun}/" in wire.operation.path), None)
    return {**texts, **lists, **wire.operation.example} | ({"id": about} if about else {})


def stored(wire: Wire, loop: heedful.Loop, told: Mapping[str, Any]) -> bool:
    model = wire.model(wire.operation.parameters)
    with suppress(HeedfulError, ValidationError):
        checked = model.model_validate(told)
        wire.call(loop, {name: getattr(checked, name) for name in checked.model_fields_set})
        return True
    return False


KEPT_AWAY = {"govern.update_privacy", "govern.apply_retention", "govern.clear", "govern.confirm_clear"}
STORING = [
    wire
    for wire in wires()
    if wire.operation.verb in ("POST", "PATCH") and not wire.operation.streams and "privacy" not in wire.operation.path
]


def put_everywhere(loop: heedful.Loop, ids: Mapping[str, str]) -> int:
    """Hostile texts in every text of every operation, one at a time: what is refused is not stored."""
    evil, done = cycle(HOSTILE), 0
    for wire in STORING:
        base = arguments(wire, ids)
        optional = {name: value for name, value in base.items() if name not in wire.operation.example}
        plain = {name: value for name, value in base.items() if name not in optional}
        for at in texts_in(base):
            told = plain | ({at[0]: optional[at[0]]} if at[0] in optional else {})
            if at[0] != "id" or wire.operation.creates:
                fresh = {} if at[0] == "id" or "id" not in told or not wire.operation.creates else {"id": f"own-{done}"}
                done += stored(wire, loop, {**replaced(told, at, f"{SEED} {next(evil)}"), **fresh})
    return done


def seed(loop: heedful.Loop) -> dict[str, str]:
    """What can be told: each of the hostile texts in what people said, decided and asked for, as far as it is taken."""
    for number, evil in enumerate(HOSTILE):
        with suppress(InvalidId):
            loop.capture.correction(
                f"{SEED} {evil}", f"giraffe {evil} 9090 {number}", why=evil, id=f"fz {number} {evil}"
            )
        with suppress(InvalidId):
            loop.capture.correction(f"{SEED} no {number}", f"giraffe 9090 {number}", about=f"topic {evil}")
    rules = [f"giraffe {evil}" for evil in HOSTILE]
    for evil, rule in zip(HOSTILE, rules, strict=True):
        with suppress(InvalidId):
            told = {"rule": rule, "rule_name": rule, "decision": "rejected", "original": f"{SEED} {evil}"}
            loop.capture.fixes([{**told, "suggested": f"x {evil}", "comment": evil}] * 10)
    for number, rule in enumerate(RULES):
        taught(loop, f"c{number}", rule)
    hand_in(loop, "hostile", f"{LINT} {HOSTILE[0]} {HOSTILE[22]}", title=HOSTILE[0])
    correction = next(corrections(loop).all(about=None))
    return {"learnings": active(loop)[0].id, "corrections": correction.id, "conversations": "hostile"}


def reworded(loop: heedful.Loop) -> list[Insight]:
    """Approved learnings that say hostile things."""
    evil = iter(HOSTILE)
    for one in active(loop):
        title, *said = (next(evil, "x") for _ in range(6))
        with suppress(HeedfulError):
            content = {"what": f"{SEED} {said[0]}", "fix": f"{said[1]}\n{said[2]}", "why": f"{said[3]} {said[4]}"}
            insights(loop).edit(one.id, title=f"giraffe {title}", content=content)
        insights(loop).approve(one.id)
    return [one for one in active(loop) if one.approved]


async def _told_by_mcp(loop: heedful.Loop, rules: Sequence[str]) -> tuple[list[str], list[str], str]:
    """Texts with one block in them, texts with none, and a prompt."""
    async with Client(mcp.server(mcp.local(loop))) as client:

        async def called(tool: str, **told: Any) -> str:
            (content,) = (await client.call_tool(tool, told)).content
            assert isinstance(content, TextContent)
            return content.text

        blocks = [await called("get_context", query=SEED, budget=4_000)]
        blocks += [await called("rule_context", rule=rule) for rule in rules]
        texts = [await called("search_learnings", query=SEED), await called("search_learnings", query="giraffe lint")]
        texts += [await called("rate_learning", id=HOSTILE[0], up=True)]  # there is none: an error quotes it
        (message,) = (await client.get_prompt("recent_corrections", {})).messages
        assert isinstance(message.content, TextContent)
        return blocks, texts, message.content.text


def test_what_agents_are_told_is_text_and_no_more(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder(), reader=PlainReader())
    ids = seed(loop)
    assert put_everywhere(loop, ids) > len(STORING)
    approved = reworded(loop)

    topics = {None, *(one.about for one in corrections(loop).all())}
    contexts = [loop.apply.context(SEED, about=about, budget=8_000).text for about in topics]
    notes = [loop.agents.prompt(SEED, about=about).context for about in topics]
    rules = sorted({event.entity.id for event in _decisions(loop) if event.entity is not None})
    prompts = [text for rule in rules if (text := loop.apply.rule_context(rule).prompt)]
    blocks, texts, recent = asyncio.run(_told_by_mcp(loop, rules[:5]))

    assert min(len(contexts), len(notes), len(prompts), len(approved)) > 3
    for text in (*filter(None, contexts), *filter(None, notes), *prompts, recent):
        check_inside(text)
    assert "</heedful>" in blocks[0]
    for text in blocks:
        opened = text.replace(OPEN, "", 1).replace(CLOSE, "", 1)
        check_text(opened)
        assert text.find(OPEN) <= text.find(CLOSE)
    for text in texts:
        check_text(text)
    for one in corrections(loop).all(status="active"):
        corrections(loop).approve(one.id)
    section = loop.apply.agents_md()
    assert len(section.learnings) > len(approved)
    file = updated("", section.text)
    check_markdown(file)
    check_text(file.replace(BEGIN, "").replace(END, ""))
    assert updated(file, section.text) == file


def _decisions(loop: heedful.Loop) -> Iterator[Event]:
    for kind in ("FIX_REJECTED", "FIX_MODIFIED"):
        yield from loop.events(kind=kind)


def test_what_language_models_are_asked_is_data(open_loop: OpenLoop) -> None:
    language = Overheard()
    with open_loop(embedder=WordEmbedder(), reader=PlainReader(), language=language) as loop:
        for number, evil in enumerate(HOSTILE):
            loop.capture.message(f"No, not {evil}, but nil", last_output=f"It returns {evil}. " * 3)
            loop.capture.correction(f"{SEED} {evil}", f"9090 {number}")
            loop.apply.improve(f"{SEED} {evil}", query=SEED)
        hand_in(loop, "c", *(f"{rule} {evil}" for rule, evil in zip(RULES, HOSTILE[::5], strict=False)))
        with suppress(BadAnswer):
            loop.learn.mine("c")
    assert len(language.asked) > 2 * len(HOSTILE)
    for text in language.asked:
        for one in text.split("\n"):
            assert len(lines_of(one)) == 1
            check_text(one)


@given(st.lists(TEXT, max_size=4))
def test_no_text_leaves_its_fence(texts: list[str]) -> None:
    told = fenced("Head", *texts)
    check_inside(told)
    assert len(lines_of(told)) == len(texts) + 3
    assert fenced(*(line(text) for text in texts)) == fenced(*texts)  # what is harmless stays as it is
    for text in texts:
        assert len(lines_of(data([text]))) == 1
        check_text(data([text]))


@given(TEXT, TEXT)
def test_no_text_is_more_than_text_in_a_file(title: str, said: str) -> None:
    check_markdown(
        "\n".join((BEGIN, "## Learned from earlier work", "", f"- {markdown(title)}", f"  {markdown(said)}", END))
    )
    check_text(markdown(title))


@pytest.mark.parametrize(
    "code", ["if a < b and c > d:", "List<int> and Map<String, List<User>>", "x </div> y", "a <b> c", "std::cout << x"]
)
def test_code_reads_as_it_was_written(code: str) -> None:
    assert line(code) == code
    (_, _, _, inline, *_) = rendered(f"- {markdown(code)}")
    assert "".join(child.content for child in inline.children or ()) == code


def test_only_one_module_knows_the_fence() -> None:
    source = Path(heedful.__file__).parent
    knowing = [
        file
        for file in source.rglob("*.py")
        if re.search(r"</?heedful>|<heedful\\b|<!--.{0,3}heedful:", file.read_text())
    ]
    assert [file.relative_to(source).as_posix() for file in knowing] == ["text/fence.py"]


@pytest.mark.parametrize("hidden", ["\u2028", "\u2029", "\x85", "\u202e", "\u2066", "\u200b", "\u200d", "\ufeff",
                                    "\u00ad", "\U000e0041", "\ufe0f", "\u3164", "\n", "\x00"])  # fmt: skip
def test_a_name_can_be_seen_whole(loop: heedful.Loop, hidden: str) -> None:
    with pytest.raises(InvalidId, match=f"U\\+{ord(hidden):04X}"):
        loop.capture.correction("a", "b", id=f"x{hidden}y")
    assert loop.capture.correction("a", "b", id="Zoë 東京 42").id == "Zoë 東京 42"
