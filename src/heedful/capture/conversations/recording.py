"""Records conversations with an AI as events, message by message, without secrets and personal data.

Texts are redacted before anything is written, and cut to what mining uses. System prompts, notices and text that
heedful itself injected are not stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from heedful.capture.conversations.transcripts.blocks import MessageContent, parse_content, summarise_input
from heedful.errors import Conflict, Forbidden, InvalidInput
from heedful.records import mining
from heedful.records.clock import aware, moment
from heedful.records.event import Draft, Entity, Event, EventFilter
from heedful.records.json import encode
from heedful.records.mining import Received
from heedful.records.names import ID_LIMIT, identifier
from heedful.records.transcript import Message, Source, Speaker, ToolCall
from heedful.store import Store
from heedful.store.recording import Recording
from heedful.text.checks import checked_text
from heedful.text.fence import without_own
from heedful.text.redaction import Sanitiser, secret_types

MESSAGES_LIMIT = 5_000
"""Messages per call."""

TEXT_LIMIT = 200_000
"""Characters of a message that are read."""

_KEPT_CHARACTERS = {Speaker.USER: (3_500, 1_500), Speaker.ASSISTANT: (3_500, 1_500), Speaker.TOOL: (400, 800)}
"""Characters stored from the start and the end of a message; tools print errors last."""
_UNNAMED = "\x1f"  # prefix of an id made from the text; it is hashed with the secret before it is stored
_PREFIXES = frozenset({"message", "start", "complete", "mined"})  # of ids that heedful makes
_CUT = "\n[…]\n"
_WINDOW = 10_000  # characters at either end of a long text that are looked at
_INPUT = 300  # characters of what a tool was asked for
_TOOLS = 8  # calls that are kept with a message
_NAME = 60
_TITLE = 120


class ConversationBatch(NamedTuple):
    """Messages of one conversation, ready to be recorded."""

    source: Source
    drafts: list[Draft]
    complete: bool
    """No more is to come for now: it can be mined."""


class ConversationRecorder:
    """Redacts and records messages of conversations for one organisation."""

    def __init__(self, store: Store, *, actor: str | None = None) -> None:
        privacy = store.privacy()
        if not privacy.store_original_text:
            raise Forbidden(
                "This organisation keeps no texts, and a conversation is nothing without its words.",
                hint="An admin can allow it: heedful privacy --text",
            )
        store.secret.load()
        self._store = store
        self._actor = store.secret.person(actor) if actor is not None and privacy.anonymize_users else actor
        self._cleaners: dict[str, Sanitiser] = {}

    def batch(self, source: Source, messages: Iterable[Message], *, complete: bool) -> ConversationBatch:
        """Redacts messages. Nothing is written yet."""
        conversation = identifier(source.conversation, "conversation")
        clean = self._cleaner(conversation).clean
        named = source.__class__(
            conversation,
            _short_name(clean(source.tool), _NAME) or "unknown",
            _short_name(clean(source.project), _NAME) if source.project else None,
            _short_name(clean(source.title), _TITLE) if source.title else None,
        )
        return ConversationBatch(named, list(self._drafts(conversation, messages, clean)), complete)

    def record(self, batch: ConversationBatch) -> Received:
        """Writes the messages that are new."""
        return self.record_all([batch])[0]

    def record_all(
        self, parts: Sequence[ConversationBatch], also: Callable[[Recording], object] = lambda _: None
    ) -> list[Received]:
        """Writes the new messages of several batches, and `also` something else, in one transaction."""
        with self._store.recording() as record:
            received = [self._record(record, batch) for batch in parts]
            also(record)
        return received

    def _record(self, record: Recording, batch: ConversationBatch) -> Received:
        known = self._store.log.known([draft.id for draft in batch.drafts])
        self._require_messages(known.values())
        new_drafts: dict[str, Draft] = {}
        for draft in batch.drafts:
            if draft.id not in known:
                new_drafts.setdefault(draft.id, draft)  # some programs write a message twice
        new = list(new_drafts.values())
        if new and not known:
            new = [*self._start(batch.source, new[0]), *new]
        record.append_new(new)
        queued = batch.complete and self._complete(record, batch.source.conversation)
        said = sum(1 for draft in new if draft.kind == mining.SAID)
        return Received(batch.source.conversation, said, len(batch.drafts) - said, queued)

    def complete(self, conversation: str) -> bool:
        """Queues it for mining, unless nothing is new since the last time."""
        with self._store.recording() as record:
            return self._complete(record, conversation)

    def _start(self, source: Source, first: Draft) -> list[Draft]:
        """Once per conversation."""
        id = f"start/{_digest(source.conversation)}"
        if self._store.log.known([id]):
            return []
        batch = {"tool": source.tool, "project": source.project, "title": source.title}
        meta = encode({name: value for name, value in batch.items() if value})
        entity = Entity(mining.ENTITY, source.conversation)
        return [Draft(id, mining.STARTED, first.at, self._actor, entity, None, "{}", "{}", meta, True, True)]

    def _require_messages(self, known: Iterable[Event]) -> None:
        for event in known:
            if event.kind != mining.SAID:
                raise Conflict(
                    f"The id {event.id!r} belongs to an event that is no message.", hint="Give the message another id."
                )

    def _complete(self, record: Recording, conversation: str) -> bool:
        entity = Entity(mining.ENTITY, conversation)
        last = self._store.log.page(EventFilter(kind=mining.SAID, entity=entity, newest_first=True), None, 1)
        if not last:
            return False
        id = f"complete/{_digest(conversation, last[0].id)}"
        if self._store.log.known([id]):
            return False
        draft = Draft(id, mining.COMPLETED, last[0].at, self._actor, entity, None, "{}", "{}", "{}", True, True)
        record.append_new([draft])
        return True

    def _cleaner(self, conversation: str) -> Sanitiser:
        """A value has the same placeholder throughout a conversation, and another one in the next."""
        if conversation not in self._cleaners:
            self._cleaners.clear()
            digest = self._store.secret.digest
            self._cleaners[conversation] = Sanitiser(lambda value: digest("placeholder", conversation, value))
        return self._cleaners[conversation]

    def _drafts(self, conversation: str, messages: Iterable[Message], clean: Callable[[str], str]) -> Iterator[Draft]:
        entity, at = Entity(mining.ENTITY, conversation), aware(self._store.clock())
        for message in messages:
            if message.role is Speaker.SYSTEM:
                continue
            at = message.at or at
            text = _clean_text(message.text, clean, *_KEPT_CHARACTERS[message.role])
            meta: dict[str, Any] = {"role": message.role.value}
            if message.tools:
                meta["tools"] = [
                    [_short_name(clean(_storable(call.name)), _NAME), _clean_text(call.input, clean, _INPUT, 0)]
                    for call in message.tools[:_TOOLS]
                ]
            if message.failed:
                meta["failed"] = True
            if not text.strip() and len(meta) == 1:
                continue
            yield Draft(
                self._event_id(conversation, message.id),
                mining.SAID,
                at,
                self._actor if message.role is Speaker.USER else None,
                entity,
                None,
                "{}",
                encode({"text": text}),
                encode(meta),
                own_id=True,
                own_time=True,
            )

    def _event_id(self, conversation: str, message: str) -> str:
        """A readable id if it is unambiguous, otherwise a digest."""
        id = f"{conversation}/{message}"
        plain = len(id) <= ID_LIMIT and id.isprintable() and "/" not in conversation and conversation not in _PREFIXES
        return (
            id
            if plain and not secret_types(message)
            else f"message/{self._store.secret.digest('message', conversation, message)}"
        )


def parse_messages(messages: Sequence[Mapping[str, Any]]) -> list[Message]:
    """Parses messages from code or HTTP."""
    if len(messages) > MESSAGES_LIMIT:
        raise InvalidInput(
            f"{len(messages):,} messages are too many for one call; {MESSAGES_LIMIT:,} are allowed.",
            hint="Hand them in in parts, each message with an id, and only the last part complete.",
        )
    seen: Counter[str] = Counter()
    return [message for number, one in enumerate(messages) for message in _parse_message(one, number, seen)]


_FIELDS = frozenset({"role", "text", "content", "at", "id", "tools", "tool_calls", "failed"})
_IGNORED_FIELDS = frozenset({"type", "model", "name", "stop_reason", "stop_sequence", "usage", "tool_call_id"})
"""Fields of APIs that are accepted and not stored."""


def _parse_message(one: Mapping[str, Any], number: int, seen: Counter[str]) -> Iterator[Message]:
    """One message; results of its tools come before it, as messages of their own."""
    where = f"message {number}"
    if not isinstance(one, Mapping):
        raise InvalidInput(f"{where} is no object.", hint='Pass {"role": "user", "text": "…"}.')
    if odd := sorted(
        name for name in set(map(str, one)) - _FIELDS - _IGNORED_FIELDS if one.get(name) not in (None, [])
    ):
        raise InvalidInput(f"{where} has an unknown field {odd[0]!r}.", hint=f"Known: {', '.join(sorted(_FIELDS))}.")
    if one.get("role") not in tuple(Speaker):
        raise InvalidInput(f"The role of {where} is not known.", hint=f"There are: {', '.join(Speaker)}.")
    content_parts = _parse_content(one, where)
    text = checked_text(content_parts.text, f"the text of {where}", TEXT_LIMIT, hint="Cut it.")
    id = _content_id(one, text, seen) if one.get("id") is None else identifier(one["id"], f"the id of {where}")
    failed = one.get("failed", False)
    if not isinstance(failed, bool):
        raise InvalidInput(f"failed of {where} is neither true nor false.", hint="Leave it out, or pass true.")
    at = _parse_time(one.get("at"), where)
    for part, answer in enumerate(content_parts.results, 1):
        text_of_tool = checked_text(answer.text, f"a tool's answer of {where}", TEXT_LIMIT, hint="Cut it.")
        yield Message(f"{id}.{part}", Speaker.TOOL, text_of_tool, at, failed=answer.failed)
    calls = [
        _parse_call(call, where) for name in ("tools", "tool_calls") for call in _parse_list(one.get(name), name, where)
    ]
    if text or calls or content_parts.tools or not content_parts.results:
        yield Message(id, Speaker(one["role"]), text, at, (*content_parts.tools, *calls), failed=failed)


def _parse_content(one: Mapping[str, Any], where: str) -> MessageContent:
    """A text, or parts in the format of language model APIs."""
    value = one.get("text", one.get("content", ""))
    if isinstance(value, str) or (value is None and one.get("tool_calls")):
        return MessageContent(value or "")
    if not isinstance(value, list) or not all(isinstance(part, str | Mapping) for part in value):
        hint = 'Pass a string, or parts such as {"type": "text", "text": "…"}.'
        raise InvalidInput(f"The text of {where} is neither a text nor a list of parts.", hint=hint)
    encode([dict(part) if isinstance(part, Mapping) else part for part in value], f"the content of {where}")
    return parse_content(value) or MessageContent("")


def _content_id(one: Mapping[str, Any], text: str, seen: Counter[str]) -> str:
    """A digest of the message and a counter of its repetitions."""
    name = _digest(str(one["role"]), text, str(one.get("at")))
    seen[name] += 1
    return f"{_UNNAMED}{name}-{seen[name]}"


def _parse_time(value: object, where: str) -> datetime | None:
    if value is None:
        return None
    try:
        return moment(value)
    except InvalidInput:  # which quotes what stands there
        hint = "Write 2026-01-05T09:00:00Z, or leave it out."
        raise InvalidInput(f"The time of {where} cannot be read.", hint=hint) from None


def _parse_list(value: object, name: str, where: str) -> Sequence[Any]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise InvalidInput(f"{name} of {where} is no list.", hint='Pass [{"name": "Bash", "input": "ls"}].')
    return value


def _parse_call(call: object, where: str) -> ToolCall:
    """A name and an input, which is a text or an object; or the format of an API."""
    batch = call.get("function", call) if isinstance(call, Mapping) else None
    if not isinstance(batch, Mapping) or not batch.get("name"):
        raise InvalidInput(f"A tool call of {where} cannot be read.", hint='Pass {"name": "Bash", "input": "ls"}.')
    given = next((batch[key] for key in ("input", "arguments") if batch.get(key) is not None), "")
    if isinstance(given, Mapping):
        encode(dict(given), f"a tool's input of {where}")
        given = summarise_input(given)
    return ToolCall(
        checked_text(batch["name"], f"a tool's name of {where}", ID_LIMIT),
        checked_text(given, f"a tool's input of {where}", TEXT_LIMIT),
    )


def _storable(text: str) -> str:
    """Replaces lone surrogates and NULs, which cannot be stored."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "")


def _clean_text(text: str, clean: Callable[[str], str], head: int, tail: int) -> str:
    """The redacted text, cut to length. Of a long text only its ends are read; they are redacted before they are cut,
    because a secret cut in two may not be recognised.
    """
    text = without_own(_storable(text))
    if not text or text.isspace():
        return ""
    if len(text) > 2 * _WINDOW:
        return clean(text[:_WINDOW])[:head] + _CUT + (clean(text[-_WINDOW:])[-tail:] if tail else "")
    text = clean(text)
    if len(text) <= head + tail:
        return text
    return text[:head] + _CUT + (text[-tail:] if tail else "")


def _short_name(text: str, most: int) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text[: 2 * most]).strip()[:most]


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()
