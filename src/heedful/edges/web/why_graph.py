"""The graph of why: what led to what, from the left to the right, as shapes for a template."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import NamedTuple
from urllib.parse import quote

from heedful.records.why import WhyEdge, WhyNode

_WIDTH, _LINE, _PAD = 236, 17, 11  # of a box, of a line of text, and around the text
_ACROSS, _DOWN, _MARGIN = 84, 16, 4  # between boxes, and around all
_LETTERS, _MOST_LINES = 29, 6
_ALIKE = 3  # acts of the same sort, before the others are one box
_SHORT_ID = 6
_MOST = 60  # boxes: more are a list to read, not a picture
_ADDRESSES = {"learning": "/learnings/", "review": "/reviews/", "context": "/contexts/"}

Person = Callable[[str | None], str]


class NodeBox(NamedTuple):
    kind: str
    x: int
    y: int
    height: int
    lines: tuple[str, ...]
    text: str
    """All of it, for whoever points at it."""
    link: str


class Arrow(NamedTuple):
    path: str
    label: str
    x: int
    y: int
    """The middle of its label."""


class Graph(NamedTuple):
    width: int
    height: int
    boxes: tuple[NodeBox, ...]
    arrows: tuple[Arrow, ...]
    box_width: int = _WIDTH


def told(node: WhyNode, person: Person) -> str:
    """The text of a node: with the person as pages name them, and without the day, which stands beside it."""
    text = node.text if node.at is None else node.text.removeprefix(f"{node.at:%Y-%m-%d} ")
    if node.kind == "context" and node.ref is not None:
        text = text.replace(node.ref, f"…{node.ref[-_SHORT_ID:]}")
    if node.actor is not None and text.startswith(f"{node.actor} "):
        text = person(node.actor) + text.removeprefix(node.actor)
    return f"{text[:1].upper()}{text[1:]}"


def address(node: WhyNode) -> str:
    """The page of what it stands for; empty if there is none."""
    before = _ADDRESSES.get(node.kind)
    return "" if before is None or node.ref is None else f"{before}{quote(node.ref, safe='')}"


def drawn(nodes: Sequence[WhyNode], edges: Sequence[WhyEdge], person: Person) -> Graph | None:
    """None if there is nothing to see, or too much."""
    nodes, drawable = _summed_up(*_with_outcomes(nodes, edges))
    if not drawable or len(nodes) > _MOST:
        return None
    texts = {node.id: told(node, person) for node in nodes}
    columns = _columns(nodes, drawable)
    heights = [sum(_height(texts[node.id]) + _DOWN for node in column) - _DOWN for column in columns]
    boxes: dict[str, NodeBox] = {}
    for number, (column, height) in enumerate(zip(columns, heights, strict=True)):
        y = _MARGIN + (max(heights) - height) // 2
        for node in column:
            boxes[node.id] = _box(node, texts[node.id], _MARGIN + number * (_WIDTH + _ACROSS), y)
            y += boxes[node.id].height + _DOWN
    width = 2 * _MARGIN + len(columns) * (_WIDTH + _ACROSS) - _ACROSS
    arrows = tuple(_arrow(boxes[edge.source], boxes[edge.target], edge.label) for edge in drawable)
    return Graph(width, max(heights) + 2 * _MARGIN, tuple(boxes.values()), arrows)


def _with_outcomes(nodes: Sequence[WhyNode], edges: Sequence[WhyEdge]) -> tuple[list[WhyNode], list[WhyEdge]]:
    """The outcome of a context stands in its box."""
    outcomes = {node.id: node.text for node in nodes if node.kind == "outcome"}
    told = {edge.source: outcomes[edge.target] for edge in edges if edge.target in outcomes}
    kept = [node for node in nodes if node.id not in outcomes]
    return [replace(node, text=f"{node.text}, {told[node.id]}") if node.id in told else node for node in kept], [
        edge for edge in edges if edge.target not in outcomes
    ]


def _summed_up(nodes: Sequence[WhyNode], edges: Sequence[WhyEdge]) -> tuple[list[WhyNode], list[WhyEdge]]:
    """Of many who did the same, some, and how many more."""
    led_to = {edge.target for edge in edges}
    alike: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for edge in edges:
        if edge.source not in led_to:
            alike[edge.target, edge.label].append(edge.source)
    left = {key: ids[_ALIKE:] for key, ids in alike.items() if len(ids) > _ALIKE + 1}
    gone = {id for ids in left.values() for id in ids}
    all_nodes = [node for node in nodes if node.id not in gone]
    all_edges = [edge for edge in edges if edge.source not in gone]
    for number, ((target, label), ids) in enumerate(left.items()):
        all_nodes.append(WhyNode(f"more{number}", "more", f"{len(ids)} more: {label}", None, None, None))
        all_edges.append(WhyEdge(f"more{number}", target, label))
    return all_nodes, all_edges


def _columns(nodes: Sequence[WhyNode], edges: Sequence[WhyEdge]) -> list[list[WhyNode]]:
    """What leads to something stands further left; within a column, what happened first stands on top."""
    place = _places([node.id for node in nodes], edges)
    found: defaultdict[int, list[WhyNode]] = defaultdict(list)
    for node in nodes:
        found[place[node.id]].append(node)
    return [found[number] for number in sorted(found)]


def _places(ids: Sequence[str], edges: Sequence[WhyEdge]) -> dict[str, int]:
    """As far right as what they lead to allows, so that arrows are short."""
    after: Mapping[str, list[str]] = defaultdict(list)
    for edge in edges:
        after[edge.source].append(edge.target)
    place: dict[str, int] = dict.fromkeys(ids, 0)
    for _ in ids:  # each round moves what is still in the way; a circle ends with the rounds
        moved = {id: min(place[next] for next in after[id]) - 1 for id in ids if after.get(id)}
        if all(place[id] == at for id, at in moved.items()):
            break
        place |= moved
    return place


def _height(text: str) -> int:
    return len(_wrapped(text)) * _LINE + 2 * _PAD


def _wrapped(text: str) -> list[str]:
    return wrap(text, _LETTERS, max_lines=_MOST_LINES, placeholder=" …") or ["…"]


def _box(node: WhyNode, text: str, x: int, y: int) -> NodeBox:
    return NodeBox(node.kind, x, y, _height(text), tuple(_wrapped(text)), text, address(node))


def _arrow(source: NodeBox, target: NodeBox, label: str) -> Arrow:
    x, y = source.x + _WIDTH, source.y + source.height // 2
    end, there = target.x, target.y + target.height // 2
    middle = (x + end) // 2
    return Arrow(f"M{x} {y}C{middle} {y} {middle} {there} {end - 2} {there}", label, middle, (y + there) // 2)
