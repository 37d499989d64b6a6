"""Flowcharts: whatever a label says, the syntax stays what it is."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import example, given
from hypothesis import strategies as st

from heedful.text.checks import clipped, visible
from heedful.text.mermaid import FlowEdge, FlowNode, flowchart

_LABEL = r'"(?:[^"#\n]|#[0-9]+;)*"'
_NODE = re.compile(rf"  n[0-9]+(?:\[{_LABEL}\]|\({_LABEL}\))")
_EDGE = re.compile(rf"  n[0-9]+ -->(?:\|{_LABEL}\|)? n[0-9]+")
_TEXTS = st.text() | st.lists(
    st.sampled_from(['"', "#", ";", "`", "%%{init: {}}%%", "end", "]", "-->", "<b>", "\n", "style a:b#", "$$", "\\n"])
).map("".join)


@given(st.lists(_TEXTS, min_size=1, max_size=5), _TEXTS)
@example(['style x:y#"', "%%{init: {'theme': 'x'}}%%", "`- *list*`", "ﬂ°°34¶ß", "fa:fa-car $$x$$ \\n"], "a|b")
def test_every_text_is_a_label_and_nothing_else(texts: list[str], on_edges: str) -> None:
    nodes = [
        FlowNode(f"n{number}", text, ("(", ")") if number % 2 else ("[", "]")) for number, text in enumerate(texts)
    ]
    head, *lines = flowchart(nodes, [FlowEdge(node.id, "n0", on_edges) for node in nodes]).splitlines()

    assert head == "flowchart LR"
    assert len(lines) == 2 * len(nodes)
    assert all(_NODE.fullmatch(line) for line in lines[: len(nodes)])
    assert all(_EDGE.fullmatch(line) for line in lines[len(nodes) :])
    for node, line in zip(nodes, lines, strict=False):
        label = line[line.index('"') + 1 : -2]
        assert not set(label) & set(":`<>&%$\\*_|[]{}°¶"), "nothing that means something to Mermaid"
        assert unescape(label.replace("#", "&#")) == (clipped(visible(node.label), 100) or "…")
