"""How learnings are printed: lists, search results, one in full, and its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from math import floor
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from heedful.edges.cli.ids import short
from heedful.edges.cli.layout_view import change, grid
from heedful.edges.cli.terminal import Part, Terminal, assembled, counted, visible
from heedful.edges.cli.times import age, local_time
from heedful.learnings.content import essence, label, lines, says_more, shortened
from heedful.learnings.kinds import KINDS
from heedful.learnings.relevance import recency
from heedful.learnings.repetition import in_words
from heedful.records.correction import Correction
from heedful.records.insight import CONTENT_PARTS, TITLE_LIMIT, Insight, InsightContent
from heedful.records.learning import Audience, Status
from heedful.records.review import Remark
from heedful.records.rule import INSERTION_POINT, Rule
from heedful.records.transcript import Speaker

if TYPE_CHECKING:
    from heedful.records.insight import Quote
    from heedful.records.learnings import AnyLearning, Match, Repetition

_BAR = 10
_DOT: Part = (" · ", "dim")
_SNIPPET = 160
_ROLES = {Speaker.USER: "cyan", Speaker.ASSISTANT: "magenta", Speaker.TOOL: "yellow", Speaker.SYSTEM: "dim"}
_FACTORS = {
    "actionability": "actionable",
    "generalizability": "general",
    "clarity": "clear",
    "evidence_strength": "proven",
}


def title(one: AnyLearning) -> str:
    return shortened(_heading(one), TITLE_LIMIT)


def _heading(one: AnyLearning) -> str:
    if isinstance(one, Insight):
        return one.title
    if isinstance(one, Correction):
        return _corrected(one)
    return one.text if isinstance(one, Rule) else KINDS[one.kind].render(one).text


def _corrected(one: Correction) -> str:
    """What is to be known from now on, or as the person said it; what they were asked or shown is told elsewhere."""
    pair = " → ".join(text for text in (one.wrong, one.right) if text)
    return " ".join((one.understood or one.said or pair).split())


def kind(one: AnyLearning) -> str:
    category = one.category.value.replace("_", " ").lower()
    if not isinstance(one, Insight):
        return f"{one.kind}, {category}"
    return f"rule, {category}" if one.rule else category


def bar(share: float) -> Part:
    full = round(_BAR * min(1.0, max(0.0, share)))
    return (f"{'█' * full}{'░' * (_BAR - full)}", "green" if share >= 0.5 else "yellow")


def show_list(
    terminal: Terminal,
    learnings: Sequence[AnyLearning],
    now: datetime,
    said: Mapping[str, Repetition] = MappingProxyType({}),
    same: Mapping[str, Sequence[AnyLearning]] = MappingProxyType({}),
) -> None:
    """`said` tells how often they were said, by whom and in which projects; `same`, which others say the same."""
    terminal.rows(
        ((short(one.id), "cyan"), [[(title(one), "bold")], *_below(one, now, said.get(one.id), same.get(one.id, ()))])
        for one in learnings
    )


def _below(
    one: AnyLearning, now: datetime, said: Repetition | None, same: Sequence[AnyLearning]
) -> Iterable[list[Part]]:
    """The situation, what is known of it, and which others have the same cause or say the same."""
    if situation := _situation(one):
        yield [(shortened(situation, _SNIPPET), "dim")]
    yield _in_a_line(one, now, said)
    if said is not None and said.others:
        yield [(f"the same cause, found by itself: {', '.join(map(short, said.others))}", "dim")]
    if same:
        others = ", ".join(f"{short(other.id)} ({other.kind})" for other in same)
        yield [(f"says the same: {others}", "dim")]


def _situation(one: AnyLearning) -> str:
    """What was asked, or what the output said, when a correction was heard."""
    if not isinstance(one, Correction):
        return ""
    asked = f"asked “{one.query}”" if one.query else ""
    about = f"about “{one.sentence}”" if one.sentence else ""
    return ", ".join(filter(None, (asked, about)))


def _in_a_line(one: AnyLearning, now: datetime, said: Repetition | None) -> list[Part]:
    often = _reviews(one) if isinstance(one, Rule) else _often(one, said)
    return _joined([*_in_short(one), often, age(one.renewed_at, now)])


def in_short(one: AnyLearning) -> list[Part]:
    """Its kind, confidence and scope, on one line."""
    return _joined(_in_short(one))


def _in_short(one: AnyLearning) -> list[Part]:
    return [kind(one), f"sure {sure(one.confidence)}", _state(one), _place(one)]


def sure(confidence: float) -> str:
    """Rounded down: what is just below the bar does not look as if it reached it."""
    return f"{floor(100 * confidence + 1e-9) / 100:.2f}"


def described(said: Repetition) -> dict[str, Any]:
    """A learning as JSON, with how often it was said."""
    often = {"times": said.times, "since": said.since, "people": said.people, "projects": said.projects}
    others = {"others": said.others} if said.others else {}
    return {**asdict(said.learning), **often, **others}


def show_said(terminal: Terminal, said: Repetition, quote: Quote | None, at: datetime) -> None:
    """An insight to decide about: what it says, who said it when and at which work, and how often."""
    one = said.learning
    assert isinstance(one, Insight)
    terminal.say((one.title, "bold"))
    heard = "" if quote is None else " ".join(quote.text.split())
    parts = [
        (label(name), ["\n".join(lines(text))])
        for name in CONTENT_PARTS
        if name != "context" and (text := one.content.get(name)) and says_more(text, f"{one.title} {heard}")
    ]
    if parts:
        terminal.console.print(grid("dim", parts))
    if quote is not None:
        terminal.say()
        whose = f"{one.actor or 'somebody'}, " if quote.role is Speaker.USER else "the agent, "
        terminal.say((f"“{heard}”", _ROLES[quote.role]), (f"  {whose}{local_time(at)}", "dim"))
    if doing := one.content.get("context"):
        terminal.say((f"at work on: {shortened(doing, _SNIPPET)}", "dim"))
    if often := _often(one, said):
        terminal.say((often, "yellow"))


def show_heard(terminal: Terminal, said: Repetition) -> None:
    """A correction to decide about: what was said about what, and how it was read."""
    one = said.learning
    assert isinstance(one, Correction)
    terminal.say(
        (f"“{' '.join(one.said.split())}”", "bold"), (f"  {one.actor or 'somebody'}, {local_time(one.at)}", "dim")
    )
    pair = " → ".join(text for text in (one.wrong, one.right) if text)
    facts = (
        ("read as", one.understood or pair),
        ("about", one.sentence),
        ("asked", one.query),
        ("holds", "always: it is given with every session" if one.always else "here: it is given where it fits"),
    )
    parts = [(name, [shortened(text, _SNIPPET)]) for name, text in facts if text]
    terminal.console.print(grid("dim", parts))
    if often := _often(one, said):
        terminal.say((often, "yellow"))


def _state(one: AnyLearning) -> Part:
    if one.status is not Status.ACTIVE:
        return (one.status.value, "yellow")
    return ("approved", "green") if one.approved else ""


def _joined(facts: Iterable[Part]) -> list[Part]:
    parts = [fact if isinstance(fact, tuple) else (fact, "dim") for fact in facts if fact]
    return [part for fact in parts for part in (_DOT, fact)][1:]


def show_matches(terminal: Terminal, matches: Sequence[Match]) -> None:
    """Each with the factors of its relevance."""
    terminal.rows(((short(one.learning.id), "cyan"), _match(one)) for one in matches)


def _match(match: Match) -> list[list[Part]]:
    one = match.learning
    said: list[list[Part]] = [[shortened(text, _SNIPPET)] for text in _gist(one)]
    factors = (
        f"relevance {match.relevance:.2f} = similar {match.similarity:.2f} × sure {sure(one.confidence)} "
        f"× fresh {match.recency:.2f} × standing {match.standing:.2f}"
    )
    return [
        [(title(one), "bold")],
        *said,
        [bar(match.score), f" fits {match.score:.2f}", _DOT, *_joined([kind(one), _state(one), _place(one)])],
        [(factors, "dim")],
        [""],
    ]


def _gist(one: AnyLearning) -> list[str]:
    """A line that says more than the title."""
    if not isinstance(one, Insight):
        return []
    what = one.content.get("what", "")
    return essence(one) or ([what] if says_more(what, one.title) else [])


def _place(one: AnyLearning) -> str:
    if isinstance(one, Rule):
        return ", ".join(one.agents) or "all agents"
    return one.about or "everywhere"


def show(terminal: Terminal, one: AnyLearning, now: datetime, said: Repetition | None = None) -> None:
    """One learning in full: content, confidence and scope."""
    terminal.console.print(panel(one, now, said))


def panel(one: AnyLearning, now: datetime, said: Repetition | None = None) -> Panel:
    facts = grid("dim", ((name, parts) for name, *parts in _facts(one, now, said)))
    return Panel(Group(*_words_of(one), "", facts), title=Text(visible(one.id)), title_align="left")


def words_panel(title: str, content: InsightContent) -> Panel:
    """The title and content of a proposed rewrite."""
    return Panel(Group(*_words(title, content)))


def _words_of(one: AnyLearning) -> Iterable[Text | Table | str]:
    if isinstance(one, Insight):
        return _words(one.title, one.content)
    if isinstance(one, Rule):
        example = list(change(one.before, one.after))
        return [Text(visible(one.text), "bold"), *([Text(), *example] if example else [])]
    if isinstance(one, Remark):
        return [Text(visible(one.comment or one.summary), "bold")]
    return _words(*KINDS[one.kind].render(one))


def _words(title: str, content: InsightContent | str) -> tuple[Text | Table | str, ...]:
    heading = Text(visible(shortened(title, TITLE_LIMIT)), "bold")
    if isinstance(content, str):
        return heading, "", assembled([content])
    shown = [(label(name), ["\n".join(lines(content[name]))]) for name in CONTENT_PARTS if content.get(name)]
    return heading, "", grid("bold", shown)


def _facts(one: AnyLearning, now: datetime, said: Repetition | None) -> tuple[tuple[str, *tuple[Part, ...]], ...]:
    joined = {Status.SUPERSEDED: "by", Status.MERGED: "into"}.get(one.status)
    other = f" {joined} {one.superseded_by}" if joined and one.superseded_by else ""
    contrary = f", contradicted by {', '.join(one.contradicted_by)}" if one.contradicted_by else ""
    contrary += f", questioned by {', '.join(one.questioned_by)}" if one.questioned_by else ""
    return (
        ("kind", kind(one)),
        *_own_facts(one),
        ("tags", ", ".join(one.tags) if isinstance(one, Insight | Remark) else ""),
        ("scope", _place(one)),
        ("audience", one.audience.value if one.audience is Audience.ME else ""),
        ("confidence", bar(one.confidence), f" {sure(one.confidence)}", (_left(one, now), "dim")),
        ("", _factors(one)),
        ("status", f"{one.status.value}{other}{', approved' if one.approved else ''}{contrary}"),
        ("version", f"{one.version}"),
        ("learned", _learned(one)),
        ("again", _often(one, said)),
        ("thumbs", f"{one.rated_up} up, {one.rated_down} down" if one.rated_up or one.rated_down else ""),
        ("used", f"{one.applied:,}×" if one.applied else ""),
        ("found by", _finder(one)),
    )


def _own_facts(one: AnyLearning) -> tuple[tuple[str, *tuple[Part, ...]], ...]:
    if isinstance(one, Remark):
        changed = one.summary if one.comment else ""
        decided = one.decision.value.replace("_", " ").lower()
        return ("decision", decided), ("changed", changed), ("task", one.task or "")
    if isinstance(one, Rule):
        return (
            ("where", "" if one.insertion_point == INSERTION_POINT else f"at {one.insertion_point} of the prompt"),
            ("matters", f"corrected in {one.benefit:.0%} of the reviewed outputs" if one.benefit else ""),
            ("agreed", ", ".join(one.approved_by)),
            ("proposal", one.proposal or ""),
        )
    return ()


def _learned(one: AnyLearning) -> str:
    reviews = f", {_reviews(one)}" if isinstance(one, Rule) else ""
    return f"{local_time(one.at)}{reviews}{f', from {one.actor}' if one.actor else ''}"


def _reviews(one: Rule) -> str:
    return f"from {counted(len(one.evidence), 'review')}" if one.evidence else "written by hand"


def _often(one: AnyLearning, said: Repetition | None) -> str:
    if said is None:
        return in_words(one, one.confirmed + 1, one.at)
    return in_words(one, said.times, said.since, len(said.people), len(said.projects))


def _finder(one: AnyLearning) -> str:
    if not isinstance(one, Insight):
        return ""
    return "local extraction" if one.extracted_by == "local" else one.extracted_by


def _left(one: AnyLearning, now: datetime) -> str:
    fresh = recency(one, now)
    if fresh > 0.995:
        return ""
    return f", decayed to {one.confidence * fresh:.2f}: last confirmed {age(one.renewed_at, now)}"


def _factors(one: AnyLearning) -> Part:
    if not isinstance(one, Insight) or one.factors is None:
        return ""
    factors = asdict(one.factors)
    return (" · ".join(f"{word} {factors[name]:.2f}" for name, word in _FACTORS.items()), "dim")
