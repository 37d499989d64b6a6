"""ChatGPT's export: conversations.json, an array of conversations, each a tree of messages.

Only the branch that the conversation ended on is read, without edited prompts and regenerated answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_keys
from heedful.capture.conversations.transcripts.elements import Conversation, JsonElement, read_elements
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage, parse_each
from heedful.records.transcript import Message, Source

_HIDDEN = ("thoughts", "reasoning_recap", "model_editable_context", "user_editable_context")
_TEXTS = ("parts", "text", "result")


class ChatGpt:
    name = "chatgpt"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        _, keys = head_keys(head)
        return "mapping" in keys

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        def conversations(element: JsonElement) -> Iterator[Conversation]:
            fields = element.fields
            tree = fields.get("mapping")
            if isinstance(tree, dict):
                own = metadata.clean_id(fields.get("conversation_id")) or metadata.clean_id(fields.get("id"))
                id = own or metadata.file_id(path, element.number)
                source = Source(id, self.name, title=metadata.clean_title(fields.get("title")))
                messages = [(node, tree[node].get("message")) for node in _branch(tree, fields.get("current_node"))]
                yield source, parse_each([pair for pair in messages if pair[1] is not None], _parse)

        return read_elements(path, conversations)


def _branch(tree: dict[str, Any], leaf: object) -> list[str]:
    """Node ids from the root to the leaf; without a known leaf, to the last node that has no children."""
    if not isinstance(leaf, str) or leaf not in tree:
        leaf = next((id for id in reversed(tree) if isinstance(tree[id], dict) and not tree[id].get("children")), None)
    path: dict[str, None] = {}
    while isinstance(leaf, str) and leaf not in path and isinstance(tree.get(leaf), dict):
        path[leaf] = None
        leaf = tree[leaf].get("parent")
    return list(reversed(path))


def _parse(pair: tuple[str, object], _index: int) -> list[Message | None]:
    node, message = pair
    if not isinstance(message, Mapping):
        raise BadRecord("not an object")
    author, content = message.get("author"), message.get("content")
    if not isinstance(content, Mapping):
        raise BadRecord("no content")
    role = author.get("role") if isinstance(author, Mapping) else None
    kind = content.get("content_type")
    if kind in _HIDDEN:
        return []
    id = metadata.clean_id(message.get("id")) or metadata.clean_id(node) or "root"
    at = metadata.parse_time(message.get("create_time"))
    text = next((found for key in _TEXTS if (found := blocks.flatten_text(content.get(key)))), "")
    about = message.get("metadata")
    if isinstance(about, Mapping) and about.get("is_visually_hidden_from_conversation") is True:
        role = "system"
    match role:
        case "user":
            return [typed_text.user_message(id, text, at)]
        case "assistant":
            recipient = message.get("recipient") or "all"
            if kind != "code" and recipient == "all":
                return [typed_text.assistant_message(id, text, at)]
            tool = typed_text.tool_call(recipient, blocks.summarise_input(text))
            return [typed_text.assistant_message(id, "", at, (tool,))]
        case "tool":
            return [typed_text.tool_message(id, text, at, failed=kind == "system_error")]
        case "system":
            return [typed_text.system_message(id, text, at)]
        case _:
            raise BadRecord("no role")
