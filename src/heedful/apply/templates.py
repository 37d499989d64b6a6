"""How a context is written: plain text, Markdown, XML tags, or messages of a chat. Each is fenced: what was learned
stays one line inside the block, whatever it says (`text/fence.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from heedful.learnings.composing import ABOUT, PLAIN, Layout
from heedful.records.context import ChatMessage, Piece, Template
from heedful.text.fence import CLOSE, OPEN, line, markdown, reference

_ROLE = "system"


def messages(template: Template, text: str) -> tuple[ChatMessage, ...]:
    return (ChatMessage(_ROLE, text),) if template is Template.MESSAGES and text else ()


def _bullet(piece: Piece) -> str:
    return f"- {markdown(piece.text)} `{reference(piece.id)}`"


def _element(piece: Piece) -> str:
    named = {"id": reference(piece.id), "kind": piece.kind, "evidence": str(piece.evidence)}
    attributes = " ".join(f'{name}="{escape(line(value))}"' for name, value in named.items())
    return f"<learning {attributes}>{escape(line(piece.text), quote=False)}</learning>"


_MARKDOWN = Layout((OPEN, "", "### Learned from earlier work", "", markdown(ABOUT), ""), _bullet, ("", CLOSE))
_XML = Layout((OPEN, f"<about>{escape(ABOUT, quote=False)}</about>"), _element, (CLOSE,))

LAYOUTS: Mapping[Template, Layout] = {
    Template.TEXT: PLAIN,
    Template.MARKDOWN: _MARKDOWN,
    Template.XML: _XML,
    Template.MESSAGES: PLAIN,
}
