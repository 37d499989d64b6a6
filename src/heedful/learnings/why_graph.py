"""What is behind a learning or a context, drawn: as nodes and edges, as lines of text, and as a flowchart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from heedful.learnings.content import shortened
from heedful.learnings.deeds import DECISION, EXAMPLE, Deed
from heedful.learnings.kinds.pattern import PATTERN
from heedful.learnings.row import LearningRow
from heedful.records.event import Event
from heedful.records.insight import Proof
from heedful.records.lift import Lift
from heedful.records.why import Uses, WhyEdge, WhyKind, WhyNode
from heedful.text.mermaid import FlowEdge, FlowNode, flowchart

_MOST = 40  # nodes
_LEAST = 2  # acts of each learning of a context
_LONG = 160  # characters of what a learning says
_SHAPES: Mapping[WhyKind, tuple[str, str]] = {
    "learning": ("[[", "]]"),
    "context": ("[/", "/]"),
    "outcome": ("([", "])"),
    "erased": (">", "]"),
    "more": (">", "]"),
}
_ACT = ("(", ")")
_SINGLE = {DECISION: "single decision", EXAMPLE: "example"}
"""What was given without being a learning."""


class Story(NamedTuple):
    """What is known of one learning; or of a decision or a pattern that was given without being one yet."""

    id: str
    kind: str
    facts: tuple[str, ...]
    """What is told of it besides: its version first, its status."""
    text: str
    at: datetime | None
    deeds: tuple[Deed, ...] = ()
    """In the order of time."""
    row: LearningRow | None = None
    """None if it is no learning yet."""
    history: tuple[Event, ...] = ()
    proofs: tuple[Proof, ...] = ()
    erased: int = 0
    """How many of the events that it names as evidence are gone."""

    @classmethod
    def of(
        cls,
        row: LearningRow,
        text: str,
        deeds: Sequence[Deed],
        *,
        history: Sequence[Event],
        proofs: tuple[Proof, ...],
        erased: int,
    ) -> Story:
        state = row.state
        facts = (f"version {state.version}", state.status, *(["approved"] if state.approved else []))
        return cls(state.id, state.kind, facts, text, row.first.at, tuple(deeds), row, tuple(history), proofs, erased)

    @property
    def headline(self) -> str:
        long = 4 * _LONG if self.row is None else _LONG  # a decision says all in its headline
        return f"[{self.id}] {shortened(self.text, long)} ({', '.join((self.kind, *self.facts))})"

    @property
    def people(self) -> list[str]:
        """Who acted, as they are named in the log. A pattern only counts people."""
        if self.kind in (PATTERN.name, DECISION):
            return []
        return [deed.event.actor for deed in self.deeds if deed.by_person and deed.event.actor is not None]


class Explained(NamedTuple):
    nodes: tuple[WhyNode, ...]
    edges: tuple[WhyEdge, ...]
    text: str
    mermaid: str
    people: tuple[str, ...]
    proofs: tuple[Proof, ...]


def learning_graph(story: Story, uses: Uses, lift: Lift | None, at: datetime | None) -> Explained:
    graph = _Graph()
    learning = graph.learning(story)
    outcomes = [use.outcome for use in uses.latest if use.outcome is not None]
    others = 3 + len(uses.latest) + len(outcomes)  # with itself, what is left out, and what was erased
    lines = list(graph.acts(story, learning, _MOST - others))
    for use in uses.latest:
        where = f"context {use.context}" if use.context else "an output"
        used = graph.node("context", f"{_day(use.at)} used in {where}", use.at, None, use.context)
        graph.edge(learning, used, "used in")
        if use.outcome is not None:
            graph.edge(used, graph.outcome(use.outcome), "outcome")
    if uses.times:
        means = f"; outcomes of the latest: {', '.join(f'{value:g}' for value in outcomes)}" if outcomes else ""
        lines.append(f"Used {_times(uses.times)}, last on {_day(uses.latest[0].at)}{means}")
    if lift is not None and lift.lift is not None:
        lines.append(_measured(lift))
    head = f"As of {minute(at)}: {story.headline}" if at is not None else story.headline
    return graph.explained([head, *lines], [story])


def context_graph(event: Event, stories: Sequence[Story], erased: int, outcome: float | None) -> Explained:
    """All learnings of a context, each with its most important acts."""
    graph = _Graph()
    agent = f" for {agent}" if (agent := event.meta.get("agent")) else ""
    head = f"{_day(event.at)} context {event.id}{agent}"
    context = graph.node("context", head, event.at, event.actor, event.id)
    shown = stories[: (_MOST - 4) // (_LEAST + 1)]
    room = max(_LEAST, (_MOST - 4) // max(1, len(shown)) - 2)
    kinds = Counter(_SINGLE.get(story.kind, "learning") for story in stories)
    also = [_counted(kinds[name], name) for name in _SINGLE.values() if kinds[name]]
    lines = [f"{head}: {' and '.join([_counted(kinds['learning'], 'learning'), *also])}"]
    for story in shown:
        learning = graph.learning(story)
        graph.edge(learning, context, "in")
        lines.append(story.headline)
        lines += [f"  {line}" for line in graph.acts(story, learning, room)]
    if left := stories[len(shown) :]:
        graph.edge(graph.node("more", f"{len(left):,} more"), context, "in")
        lines += [story.headline for story in left]
    if erased:
        said = f"{_counted(erased, 'learning')} of it {'was' if erased == 1 else 'were'} erased since"
        graph.edge(graph.node("erased", said), context, "in")
        lines.append(said)
    if withheld := event.meta.get("withheld"):
        lines.append(f"{_counted(len(withheld), 'learning')} withheld, to measure whether they help")
    if outcome is not None:
        graph.edge(context, graph.outcome(outcome), "outcome")
        lines.append(f"Outcome: {outcome:g}")
    return graph.explained(lines, stories)


class _Graph:
    def __init__(self) -> None:
        self._nodes: list[WhyNode] = []
        self._edges: list[WhyEdge] = []
        self._known: dict[str, str] = {}
        """Nodes of events, which several learnings may share."""

    def node(
        self, kind: WhyKind, text: str, at: datetime | None = None, actor: str | None = None, ref: str | None = None
    ) -> str:
        made = WhyNode(f"n{len(self._nodes) + 1}", kind, text, at, actor, ref)
        self._nodes.append(made)
        return made.id

    def edge(self, source: str, target: str, label: str) -> None:
        made = WhyEdge(source, target, label)
        if made not in self._edges:
            self._edges.append(made)

    def learning(self, story: Story) -> str:
        says = f"{', '.join((story.kind, *story.facts[:1]))}: {shortened(story.text, _LONG)}"
        if story.row is None:
            return self.node("decision", says, story.at, None, story.id)
        return self.node("learning", says, story.at, story.row.state.contributor, story.id)

    def outcome(self, value: float) -> str:
        return self.node("outcome", f"outcome {value:g}")

    def acts(self, story: Story, learning: str, room: int) -> Iterator[str]:
        """Draws the acts that there is room for, and returns a line for each; the others are one node and one line."""
        ranked = sorted(story.deeds, key=lambda deed: (deed.weight, -deed.event.seq))
        shown = set(ranked[:room])
        drawn = {deed.event.id: self._act(deed) for deed in story.deeds if deed in shown}
        for deed in story.deeds:
            if deed in shown:
                target = drawn.get(deed.toward or "", learning)
                self.edge(drawn[deed.event.id], target, deed.label)
                yield f"{_day(deed.event.at)} {deed.sentence}"
        if left := ranked[room:]:
            said = _summed(left)
            self.edge(self.node("more", said), learning, "")
            yield said
        if story.erased:
            said = f"{_counted(story.erased, 'piece')} of its evidence {'was' if story.erased == 1 else 'were'} erased"
            self.edge(self.node("erased", said), learning, "")
            yield said

    def _act(self, deed: Deed) -> str:
        event = deed.event
        if event.id not in self._known:
            actor = event.actor if deed.kind != "decision" else None
            text = f"{_day(event.at)} {deed.sentence}"
            self._known[event.id] = self.node(deed.kind, text, event.at, actor, event.id)
        return self._known[event.id]

    def explained(self, lines: Sequence[str], stories: Sequence[Story]) -> Explained:
        people = dict.fromkeys(name for story in stories for name in story.people)
        return Explained(
            tuple(self._nodes),
            tuple(self._edges),
            "\n".join(" ".join(line.split()) if line[:1] != " " else f"  {' '.join(line.split())}" for line in lines),
            flowchart(
                (FlowNode(one.id, one.text, _SHAPES.get(one.kind, _ACT)) for one in self._nodes),
                (FlowEdge(one.source, one.target, one.label) for one in self._edges),
            ),
            tuple(people),
            tuple(proof for story in stories for proof in story.proofs),
        )


def _measured(lift: Lift) -> str:
    """Such as "Helps: outcomes are 12 points better with it (3 to 21), 210 with it and 24 without"."""
    points, low, high = (round(100 * (value or 0.0)) for value in (lift.lift, lift.low, lift.high))
    better = f"{abs(points)} points {'worse' if points < 0 else 'better'} with it ({low} to {high})"
    sides = f"{lift.shown.units:,} with it and {lift.withheld.units:,} without"
    return f"{lift.verdict.capitalize()}: outcomes are {better}, {sides}"


def _summed(left: Sequence[Deed]) -> str:
    """Such as "and 173 more: 160 said again, 13 rated"."""
    counts = Counter(deed.label for deed in left)
    return f"and {len(left):,} more: {', '.join(f'{count:,} {label}' for label, count in counts.most_common())}"


def minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
