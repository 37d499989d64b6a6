"""Whatever was learned, in every template it stays inside the fence: one line, no turn of a chat, no markup."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from heedful.apply.templates import LAYOUTS, messages
from heedful.learnings.composing import Candidate, candidate, compose
from heedful.records.context import Context, Template
from heedful.text.fence import CLOSE, OPEN, without_own
from heedful.text.tokens import count_tokens
from tests.examples import examples
from tests.hostile import HOSTILE, TEXT, check_text, lines_of
from tests.unit.apply.test_composing import taught

_INLINE = {"text", "softbreak", "code_inline", "em_open", "em_close", "strong_open", "strong_close"}


def candidates(texts: list[str]) -> list[Candidate]:
    """In the title, the text, the id and the reason."""
    made = [candidate(taught(text, f"{text} {number}").learning, 0.9) for number, text in enumerate(texts)]
    odd = [Candidate(f"{number} {text}", "decision", text, 0.5, 1, text) for number, text in enumerate(texts)]
    return [one._replace(id=f"a{number}", learning=None) for number, one in enumerate(made)] + odd


def written(texts: list[str], template: Template, tokens: int = 8_000) -> Context:
    return compose(candidates(texts), tokens, LAYOUTS[template])


def check(template: Template, made: Context) -> None:
    lines = lines_of(made.text)
    layout = LAYOUTS[template]
    assert (lines[0], lines[-1]) == (OPEN, CLOSE)
    assert len(lines) == len(layout.head) + len(made.pieces) + len(layout.tail)
    check_text("\n".join(lines[1:-1]).replace("&lt;", "<").replace("&gt;", ">"))
    assert without_own(made.text) == ""
    if template is Template.XML:
        check_xml(made)
    if template is Template.MARKDOWN:
        check_markdown(made)


def check_xml(made: Context) -> None:
    block = ElementTree.fromstring(made.text)
    learnings = block.findall("learning")
    assert [one.tag for one in block] == ["about", *["learning"] * len(made.pieces)]
    assert [len(one) for one in learnings] == [0] * len(made.pieces)
    assert [one.get("evidence") for one in learnings] == [str(piece.evidence) for piece in made.pieces]


def check_markdown(made: Context) -> None:
    tokens = MarkdownIt("commonmark").parse(made.text)
    assert [token.content.strip() for token in tokens if token.type == "html_block"] == [OPEN, CLOSE]
    assert sum(token.type == "heading_open" for token in tokens) == 1
    assert sum(token.type == "list_item_open" for token in tokens) == len(made.pieces)
    assert {child.type for token in tokens for child in token.children or ()} <= _INLINE


@pytest.mark.parametrize("template", list(Template))
def test_known_attacks_stay_inside_of_every_template(template: Template) -> None:
    made = written(list(HOSTILE), template)
    assert len(made.pieces) == 2 * len(HOSTILE)
    check(template, made)


@examples(400)
@given(st.lists(TEXT, min_size=1, max_size=4), st.sampled_from(list(Template)))
def test_no_text_leaves_any_template(texts: list[str], template: Template) -> None:
    check(template, written(texts, template))


@given(st.lists(TEXT, max_size=6), st.sampled_from(list(Template)), st.integers(0, 600))
def test_the_budget_holds_in_every_template(texts: list[str], template: Template, tokens: int) -> None:
    made = written(texts, template, tokens)
    assert made.tokens == count_tokens(made.text) <= tokens


def test_messages_are_the_text_of_the_system() -> None:
    made = written(["say bears"], Template.MESSAGES)
    (message,) = messages(Template.MESSAGES, made.text)
    assert (message.role, message.content) == ("system", made.text)
    assert messages(Template.MESSAGES, "") == messages(Template.TEXT, made.text) == ()


def test_each_template_is_deterministic_whatever_the_order_of_candidates() -> None:
    given_order = [one._replace(relevance=0.5) for one in candidates(["one", "two", "three"])]
    for layout in LAYOUTS.values():
        assert compose(given_order, 800, layout) == compose(reversed(given_order), 800, layout)


def test_a_learning_that_is_given_twice_is_one_piece() -> None:
    one = taught("Use biome", "for formatting").learning
    twice = [candidate(one, 0.2, "near"), candidate(replace(one), 0.1, "always holds", constraint=True)]
    (piece,) = compose(twice, 800).pieces
    assert (piece.constraint, piece.why) == (True, "always holds")
