"""What is done about an event: a correction is recorded, what was learned is given, a transcript is handed in."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from heedful.edges.hook.events import LONG, HookEvent, Moment, rendered, takes_context
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
    def of(cls, given: dict[str, str]) -> Options:
        return cls(given.get("--actor"), given.get("--audience"), given.get("--event"), "--json" in given)


class Reply(NamedTuple):
    output: bytes = b""
    trouble: bytes = b""

    def framed(self) -> bytes:
        return b"%d %d\n%b%b" % (len(self.output), len(self.trouble), self.output, self.trouble)


HandIn = Callable[[Path, str | None, bool], object]
"""Takes a transcript, its person, and whether the session has ended."""


@dataclass(frozen=True, slots=True)
class Answers:
    agents: Agents
    sessions: Sessions
    hand_in: HandIn

    def reply(self, event: HookEvent, options: Options) -> Reply:
        return reply_to(event, self._result(event, options), options)

    def _result(self, event: HookEvent, options: Options) -> PromptResult:
        match event.moment:
            case Moment.START:
                return self._start(event, options)
            case Moment.MESSAGE:
                return self._message(event, options)
            case Moment.TOOL:
                return self._tool(event, options)
            case Moment.OUTPUT | Moment.END:
                self._ended(event, options)
        return _NOTHING

    def _start(self, event: HookEvent, options: Options) -> PromptResult:
        session = Session() if event.forgotten else self.sessions.get(event.session)
        result = self.agents.start(
            about=event.about,
            actor=options.actor,
            agent=event.tool,
            session=None if event.forgotten else event.session,
            told=session.told,
        )
        self.sessions.put(event.session, session.after_telling(result.learnings))
        return result

    def _message(self, event: HookEvent, options: Options) -> PromptResult:
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
        after = session.after_telling((*result.learnings, *said))
        if result.learnings and not takes_context(event):
            after = after.holding(result.context)
        if transcript_file(event) is None:
            after = after.after_prompt(event.prompt)
        if after != session:
            self.sessions.put(event.session, after)
        return result

    def _tool(self, event: HookEvent, options: Options) -> PromptResult:
        session = self.sessions.get(event.session)
        result = _NOTHING
        if event.written.strip():
            result = self.agents.warning(
                event.written, about=event.about, actor=options.actor, session=event.session, told=session.warned
            )
        if session.held or result.learnings:
            self.sessions.put(event.session, session.after_warning(result.learnings).released())
        context = "\n".join(part for part in (session.held, result.context) if part)
        return PromptResult(context, result.learnings, None)

    def _ended(self, event: HookEvent, options: Options) -> None:
        if (path := transcript_file(event)) is not None:
            self.hand_in(path, options.actor, event.moment is Moment.END)
        else:
            keep_answer(event, self.sessions)


def _last_turn(event: HookEvent, session: Session) -> LastTurn:
    """What a prompt may correct: handed in with it, in the transcript, or heard when the agent had answered."""
    from heedful.capture.conversations.transcripts.last_turn import LastTurn, last_turn  # noqa: PLC0415 - slow

    if event.output:
        return LastTurn(event.output, event.query)
    found = last_turn(event.transcript)
    return found if found.output else LastTurn(session.answered, session.asked, session.answered)


def reply_to(event: HookEvent, result: PromptResult, options: Options) -> Reply:
    if options.json:
        return Reply(orjson.dumps(result.to_dict(), default=str, option=orjson.OPT_UTC_Z) + b"\n")
    return Reply(rendered(event, result.context))


def is_nothing(event: HookEvent) -> bool:
    """Whether there is nothing to do about it, so that no database need be opened."""
    ended = event.moment in (Moment.OUTPUT, Moment.END)
    return event.moment is Moment.NOTHING or (ended and not event.output and transcript_file(event) is None)


def keep_answer(event: HookEvent, sessions: Sessions) -> bool:
    """Keeps what the agent answered for the next prompt, if no transcript has it. False if there is more to do."""
    if event.moment not in (Moment.OUTPUT, Moment.END) or transcript_file(event) is not None:
        return False
    sessions.put(event.session, sessions.get(event.session).after_answer(event.output))
    return True


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
