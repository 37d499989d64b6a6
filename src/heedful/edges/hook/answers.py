"""What is done about an event: a correction is recorded, what was learned is given, a transcript is handed in."""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from heedful.edges.hook import calls
from heedful.edges.hook.events import LONG, HookEvent, Moment, is_notice, rendered, takes_context
from heedful.edges.hook.sessions import Session, Sessions
from heedful.errors import HeedfulError
from heedful.records.context import PromptResult
from heedful.records.learning import Audience

if TYPE_CHECKING:
    from heedful.agents import Agents
    from heedful.capture.conversations.transcripts.last_turn import LastTurn

_NOTHING = PromptResult("", (), None)


class Options(NamedTuple):
    """The options of the command."""

    actor: str | None = None
    audience: str | None = None
    event: str | None = None
    json: bool = False

    @classmethod
    def of(cls, words: Sequence[str]) -> Options:
        given, _ = calls.parsed(words) or ({}, [])
        return cls(given.get("--actor"), given.get("--audience"), given.get("--event"), "--json" in given)


def _nothing_more() -> None:
    return


class Reply(NamedTuple):
    output: bytes = b""
    trouble: bytes = b""
    taken: Callable[[], None] = _nothing_more
    """To be called when the agent has it: what it did not get does not count as told."""

    def framed(self) -> bytes:
        return b"%d %d\n%b%b" % (len(self.output), len(self.trouble), self.output, self.trouble)


class Answer(NamedTuple):
    result: PromptResult = _NOTHING
    then: Session | None = None
    """The session, if the agent gets this."""


HandIn = Callable[[Path, str | None, bool], object]
"""Takes a transcript, its person, and whether the session has ended."""


@dataclass(frozen=True, slots=True)
class Answers:
    agents: Agents
    sessions: Sessions
    hand_in: HandIn

    def reply(self, event: HookEvent, options: Options) -> Reply:
        return reply_to(event, self._answer(event, options), options, self.sessions)

    def _answer(self, event: HookEvent, options: Options) -> Answer:
        match event.moment:
            case Moment.START:
                return started(event, self.agents, options, self.sessions)
            case Moment.MESSAGE:
                return self._message(event, options)
            case Moment.TOOL:
                return used(event, self.agents, options, self.sessions)
            case Moment.OUTPUT | Moment.END:
                self._ended(event, options)
        return Answer()

    def _message(self, event: HookEvent, options: Options) -> Answer:
        session = self.sessions.get(event.session)
        last = _last_turn(event, session)
        result = self.agents.prompt(
            event.prompt,
            last_output=last.output[-LONG:],
            query=last.query[:LONG] or None,
            session=event.session,
            about=event.about,
            actor=options.actor,
            audience=Audience.of(options.audience or Audience.TEAM),
            id=event.id or last.reply_id(event.session, event.prompt),
            agent=event.tool,
            told=session.told,
        )
        said = () if result.correction is None else (result.correction.id,)
        return answered(event, result, asked(event, session).after_telling(said), self.sessions)

    def _ended(self, event: HookEvent, options: Options) -> None:
        keep_answer(event, self.sessions)
        if (path := transcript_file(event)) is not None:
            self.hand_in(path, options.actor, event.moment is Moment.END)


def started(event: HookEvent, agents: Agents, options: Options, sessions: Sessions) -> Answer:
    """What always holds. It needs no model."""
    session = sessions.get(event.session)
    if event.forgotten:
        session = session.forgetting()
        sessions.put(event.session, session)
    result = agents.start(
        about=event.about,
        actor=options.actor,
        agent=event.tool,
        session=None if event.forgotten else event.session,
        told=session.told,
    )
    return Answer(result, session.after_telling(result.learnings))


def asked(event: HookEvent, session: Session) -> Session:
    return session if is_notice(event.prompt) else session.after_prompt(event.prompt)


def answered(event: HookEvent, result: PromptResult, heard: Session, sessions: Sessions) -> Answer:
    """A prompt, after which the session is as it `heard` it. What its tool does not take with a prompt is held."""
    after = heard.after_telling_with_prompt(result.learnings)
    if takes_context(event):
        sessions.put(event.session, heard)
        return Answer(result, after)
    sessions.put(event.session, after.holding(result.context))
    return Answer(result)


def used(event: HookEvent, agents: Agents, options: Options, sessions: Sessions) -> Answer:
    """A tool: a warning, once in a session, and not of what was given with the same prompt. It needs no model."""
    session, result = sessions.get(event.session), _NOTHING
    if event.written.strip():
        result = agents.warning(
            event.written,
            asked=session.asked,
            about=event.about,
            actor=options.actor,
            agent=event.tool,
            told=(*session.warned, *session.latest),
            files=event.files,
            prose=event.prose,
        )
    context = "\n".join(part for part in (session.held, result.context) if part)
    then = session.after_warning(result.learnings).released() if context else None
    return Answer(PromptResult(context, result.learnings, None), then)


def _last_turn(event: HookEvent, session: Session) -> LastTurn:
    """What a prompt may correct: handed in with it, in the transcript, or heard when the agent had answered."""
    from heedful.capture.conversations.transcripts.last_turn import LastTurn, last_turn  # noqa: PLC0415 - slow

    if event.output:
        return LastTurn(event.output, event.query)
    found = last_turn(event.transcript)
    return found if found.output else LastTurn(session.answered, session.asked, session.answered)


def reply_to(event: HookEvent, answer: Answer, options: Options, sessions: Sessions) -> Reply:
    result, then = answer
    taken = _nothing_more if then is None else partial(sessions.put, event.session, then)
    if options.json:
        shown = orjson.dumps(result.to_dict(), default=str, option=orjson.OPT_UTC_Z) + b"\n"
    else:
        shown = rendered(event, result.context)
    return Reply(shown, b"", taken)


def is_nothing(event: HookEvent) -> bool:
    """Whether there is nothing to do about it, so that no database need be opened."""
    ended = event.moment in (Moment.OUTPUT, Moment.END)
    return event.moment is Moment.NOTHING or (ended and not event.output and transcript_file(event) is None)


def keep_answer(event: HookEvent, sessions: Sessions) -> bool:
    """Keeps what the agent answered for the next prompt. True if that is all there is to do about it."""
    if event.moment not in (Moment.OUTPUT, Moment.END):
        return False
    if event.output:
        sessions.put(event.session, sessions.get(event.session).after_answer(event.output))
    return transcript_file(event) is None


def transcript_file(event: HookEvent) -> Path | None:
    """None if there is no such file: a pipe, say, would never end."""
    if event.transcript is None or "\0" in event.transcript:
        return None
    try:
        path = Path(event.transcript).expanduser()
        return path if stat.S_ISREG(path.stat().st_mode) else None
    except (OSError, RuntimeError):  # RuntimeError: the home folder is unknown
        return None


def complaint(error: Exception) -> Reply:
    """One line for stderr; stdout stays empty, and the agent goes on."""
    said = (
        f"{error.message} {error.hint or ''}" if isinstance(error, HeedfulError) else f"{type(error).__name__}: {error}"
    )
    return Reply(b"", f"heedful hook: {' '.join(said.split())}\n".encode(errors="replace"))
