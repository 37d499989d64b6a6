"""Where a rule was laid down: what the agent had said or done before, and what it did upon it."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.learn.conversations.rules.lexicon import SHARED_BY_ALL
from heedful.learn.conversations.rules.sentences import Sentence, agent_sentences, user_sentences
from heedful.records.insight import QUOTE_LIMIT, Quote
from heedful.records.transcript import Message, Speaker

_BACK = 40  # messages looked through before the rule
_ON = 25  # and after it
_TEXTS = 3  # of the agent, on either side
_LEAST_SAID, _MOST_SAID = 25, 240  # characters of a sentence that is worth repeating
_SHOWN_CALL = 100
_CALLS = 3
_WORD = re.compile(r"[A-Za-z][\w./-]{2,}")
_JOINT = re.compile(r"[./_-]+")
_PATH = re.compile(
    r"(?<![\w@~./-])[\w@~.-]*+/[\w./@-]+\.\w{1,6}\b|\b[\w-]{1,80}\.(?:go|py|ts|tsx|js|rs|rb|java|md|toml|ya?ml|json|sql|css|html)\b"
)
_CHANGING = re.compile(r"edit|write|patch|replace|create", re.IGNORECASE)
_RUNNING = re.compile(r"bash|shell|exec|run|terminal|command", re.IGNORECASE)
_COMMAND_NOISE = re.compile(r"^\W*(?:bash|shell|command|`+)\W*", re.IGNORECASE)
_EMPTY_TALK = re.compile(
    r"^(?:you're (?:absolutely )?right|good (?:catch|point|call|question)|got it|understood|perfect|great|ok(?:ay)?"
    r"|sure|done|let me (?:check|look|see|read|think"
    r"|find|search|verify|take)|now (?:let me|i'll)|want me to|should i|would you|ready|let me know|i'll (?:look"
    r"|check|start by))\b",
    re.IGNORECASE,
)
_ACTING = re.compile(
    r"\W*+(?:i(?:'ll|’ll| will|'ve|’ve| have)? (?!look|check|gather|start|read|investigate|explore|see|need|was"
    r"|should|think|also need|understand|can|want)"
    r"|now (?!let)|moved|added|removed|replaced|updated|changed|renamed|switched|using|dropped|deleted|extracted"
    r"|split|merged|fixed|rewrote|kept|reverted"
    r"|instead of|\S+(?: \S+){0,8}? (?:now|will now|is now|are now)\b)",
    re.IGNORECASE,
)


class QuotedSentence(NamedTuple):
    """A sentence of a message, and the message."""

    message: Message
    sentence: Sentence

    def quote(self) -> Quote:
        return quoted(self.message, self.sentence)


class Surroundings(NamedTuple):
    before: QuotedSentence | None
    """What the agent had said that the rule answers."""
    done: tuple[str, ...]
    """What it had run or changed last, before the rule."""
    after: QuotedSentence | None
    """What it said it did upon the rule."""
    changed: tuple[str, ...]
    """What it changed then."""
    asked: QuotedSentence | None
    """What the person had asked for before."""


def quoted(message: Message, sentence: Sentence) -> Quote:
    """The sentence to the letter, cut between words if it is long."""
    text = message.text[sentence.start : sentence.end]
    if len(text) > QUOTE_LIMIT:
        space = text.rfind(" ", 0, QUOTE_LIMIT)
        text = text[: space if space > QUOTE_LIMIT // 2 else QUOTE_LIMIT].rstrip()
    return Quote(message.id, message.role, text)


def surroundings(messages: tuple[Message, ...], place: int, rule: str) -> Surroundings:
    turned = _words(rule)
    earlier, later = _turn_before(messages, place), _turn_after(messages, place)
    return Surroundings(
        _best([message for message in reversed(earlier) if message.text][:_TEXTS], turned),
        _calls(list(reversed(earlier)), turned),
        _best([message for message in later if message.text][:_TEXTS], turned, acting=True),
        _changes(later),
        _asked(messages, place),
    )


def _turn_before(messages: tuple[Message, ...], place: int) -> list[Message]:
    """The agent's messages since the person spoke before; an interruption does not count as speaking."""
    found: list[Message] = []
    for at in range(place - 1, max(-1, place - 1 - _BACK), -1):
        message = messages[at]
        if message.role is Speaker.USER and message.text.strip():
            if found:
                break
        elif message.role is Speaker.ASSISTANT:
            found.append(message)
    return found[::-1]


def _turn_after(messages: tuple[Message, ...], place: int) -> list[Message]:
    found: list[Message] = []
    for message in messages[place + 1 : place + 1 + _ON]:
        if message.role is Speaker.USER and message.text.strip() and found:
            break
        if message.role is Speaker.ASSISTANT:
            found.append(message)
    return found


def _best(messages: list[Message], turned: frozenset[str], *, acting: bool = False) -> QuotedSentence | None:
    """The sentence that has most in common with the rule; of one that tells what is done, if that is asked for."""
    best, most = None, 0.4
    for nth, message in enumerate(messages):
        for sentence in agent_sentences(message.text):
            if not _LEAST_SAID <= len(sentence.text) <= _MOST_SAID or _EMPTY_TALK.match(sentence.text):
                continue
            if acting and (not _ACTING.match(sentence.text) or sentence.text.endswith(":")):
                continue  # after a colon comes code, which is not told
            unfinished = sentence.text[-1] not in ".!?:"  # a heading, as a rule
            shared = len(turned & _words(sentence.text)) - nth * 0.2 - sentence.asks * 0.3 - unfinished * 0.5
            if shared > most:
                best, most = QuotedSentence(message, sentence), shared
    return best


def _calls(messages: list[Message], turned: frozenset[str]) -> tuple[str, ...]:
    """Commands and changed files among the last tool calls, those the rule speaks of first."""
    calls = [call for message in messages[:8] for call in reversed(message.tools)][:12]
    shown: dict[str, int] = {}
    for call in calls:
        first = _COMMAND_NOISE.sub("", call.input.strip().split("\n", 1)[0]).strip("` ")[:_SHOWN_CALL]
        path = _PATH.search(call.input[:400])
        if _CHANGING.search(call.name) and path:
            text = f"changed {_short(path[0])}"
        elif _RUNNING.search(call.name) and first:
            text = f"run `{first}`"
        else:
            continue
        shown.setdefault(text, len(turned & _words(text)))
    ranked = sorted(shown, key=lambda text: -shown[text])
    return tuple(text for text in ranked[:2] if shown[text]) or tuple(ranked[:1])


def _changes(messages: list[Message]) -> tuple[str, ...]:
    paths = [
        _short(path[0])
        for message in messages
        for call in message.tools
        if _CHANGING.search(call.name) and (path := _PATH.search(call.input[:400]))
    ]
    return tuple(dict.fromkeys(paths))[:_CALLS]


def _short(path: str) -> str:
    return "/".join(path.strip("@./~").split("/")[-2:])


def _asked(messages: tuple[Message, ...], place: int) -> QuotedSentence | None:
    """The last thing the person had asked for at some length, before the message of the rule."""
    for at in range(place - 1, max(-1, place - 400), -1):
        message = messages[at]
        if message.role is not Speaker.USER or len(message.text) < _LEAST_SAID:
            continue
        for sentence in user_sentences(message.text):
            if _LEAST_SAID <= len(sentence.text) <= _MOST_SAID:
                return QuotedSentence(message, sentence)
    return None


def _words(text: str) -> frozenset[str]:
    whole = [match.lower().strip("./-") for match in _WORD.findall(text)]
    parts = [part for word in whole for part in _JOINT.split(word) if len(part) > 2]
    return frozenset(word.removesuffix("s") for word in (*whole, *parts) if word not in SHARED_BY_ALL)
