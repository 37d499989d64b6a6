"""ChatGPT's export: conversations.json, an array of conversations, each a tree of messages.

Only the branch that the conversation ended on is read; what was asked again or answered anew lies beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts.blocks import asked, flat
from heedful.capture.conversations.transcripts.decoding import head_keys
from heedful.capture.conversations.transcripts.elements import damaged, elements
from heedful.capture.conversations.transcripts.identity import identity, moment, of_file, title
from heedful.capture.conversations.transcripts.said import Damaged, Said
from heedful.capture.conversations.transcripts.speech import by_assistant, by_program, by_tool, by_user, call
from heedful.records.transcript import Message, Source

_HIDDEN = ("thoughts", "reasoning_recap", "model_editable_context", "user_editable_context")
_TEXTS = ("parts", "text", "result")


class ChatGpt:
    name = "chatgpt"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        _, keys = head_keys(head)
        return "mapping" in keys

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:  # noqa: ARG002 - it is read whole
        for element in elements(path):
            if isinstance(element, Damaged):
                yield element
                continue
            fields = element.fields
            tree = fields.get("mapping")
            if not isinstance(tree, dict):
                yield damaged(element.number, "no messages")
                continue
            own = identity(fields.get("conversation_id")) or identity(fields.get("id"))
            source = Source(own or of_file(path, element.number), self.name, title=title(fields.get("title")))
            for id in _branch(tree, fields.get("current_node")):
                said = _said(tree[id].get("message"), id)
                if isinstance(said, str):
                    yield damaged(element.number, said)
                elif said:
                    yield Said(source, said, element.position)


def _branch(tree: dict[str, Any], leaf: object) -> list[str]:
    """From the root to the leaf; to the node without children that comes last if the leaf is not told."""
    if not isinstance(leaf, str) or leaf not in tree:
        leaf = next((id for id in reversed(tree) if isinstance(tree[id], dict) and not tree[id].get("children")), None)
    path: dict[str, None] = {}
    while isinstance(leaf, str) and leaf not in path and isinstance(tree.get(leaf), dict):
        path[leaf] = None
        leaf = tree[leaf].get("parent")
    return list(reversed(path))


def _said(message: object, node: str) -> Message | str | None:
    if message is None:  # the root
        return None
    if not isinstance(message, Mapping):
        return "not an object"
    author, content = message.get("author"), message.get("content")
    if not isinstance(content, Mapping):
        return "no content"
    role = author.get("role") if isinstance(author, Mapping) else None
    kind = content.get("content_type")
    if kind in _HIDDEN:
        return None
    id = identity(message.get("id")) or identity(node) or "root"
    at = moment(message.get("create_time"))
    text = next((found for key in _TEXTS if (found := flat(content.get(key)))), "")
    about = message.get("metadata")
    if isinstance(about, Mapping) and about.get("is_visually_hidden_from_conversation") is True:
        role = "system"
    match role:
        case "user":
            said = by_user(id, text, at)
        case "assistant":
            recipient = message.get("recipient") or "all"
            asks = kind == "code" or recipient != "all"
            said = by_assistant(id, "", at, (call(recipient, asked(text)),)) if asks else by_assistant(id, text, at)
        case "tool":
            said = by_tool(id, text, at, failed=kind == "system_error")
        case "system":
            said = by_program(id, text, at)
        case _:
            return "no role"
    return said
