"""Flowcharts in the syntax of Mermaid. Whatever a label says, it stays a label."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from heedful.text.checks import clipped, visible

_LABEL = 100  # characters
_PLAIN = re.compile(r"[^A-Za-z0-9 .,()/'!?=+\-\u0080-\U0010ffff]|[°¶\u2028\u2029\x85]")
"""What is not plain in a label: quotes, markup, icons, formulas, comments, and Mermaid's own marks of an entity."""


class FlowNode(NamedTuple):
    id: str
    label: str
    shape: tuple[str, str] = ("[", "]")


class FlowEdge(NamedTuple):
    source: str
    target: str
    label: str = ""


def flowchart(nodes: Iterable[FlowNode], edges: Iterable[FlowEdge]) -> str:
    """From left to right. Ids are letters and digits; labels are any text."""
    lines = ["flowchart LR"]
    lines += [f'  {id}{opens}"{escaped(label)}"{closes}' for id, label, (opens, closes) in nodes]
    lines += [f"  {source} -->{_on_edge(label)} {target}" for source, target, label in edges]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A label on one line, with numeric entities. All colons are among them: Mermaid takes the end of an entity for the
    end of a statement in what looks like a style, such as `style a:b`."""
    said = clipped(visible(text), _LABEL) or "…"
    return _PLAIN.sub(lambda found: f"#{ord(found[0])};", said)


def _on_edge(label: str) -> str:
    return f'|"{escaped(label)}"|' if label else ""
