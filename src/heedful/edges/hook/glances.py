"""Answers by a glance: by words alone, while no model is loaded. What needs one is written down for later.

The models take longer to load than a person should wait. So the event is left in the folder of the daemon, which
records what it says once it has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from heedful.edges.hook import calls, place
from heedful.edges.hook.answers import Answer, Options, answered, asked, started, used
from heedful.edges.hook.events import HookEvent, Moment, is_notice
from heedful.edges.hook.sessions import Session, Sessions
from heedful.records.context import PromptResult

if TYPE_CHECKING:
    from heedful.agents import Agents

_NOTHING = PromptResult("", (), None)
_LATER = (Moment.MESSAGE, Moment.OUTPUT, Moment.END)
"""What the daemon is to do itself once it is up."""


def glanced(event: HookEvent, agents: Agents, options: Options, sessions: Sessions) -> Answer:
    match event.moment:
        case Moment.START:
            return started(event, agents, options, sessions)
        case Moment.TOOL:
            return used(event, agents, options, sessions)
        case Moment.MESSAGE:
            return _prompt(event, agents, options, sessions)
    return Answer()


def _prompt(event: HookEvent, agents: Agents, options: Options, sessions: Sessions) -> Answer:
    session, result = sessions.get(event.session), _NOTHING
    if not is_notice(event.prompt):
        result = agents.glance(
            event.prompt,
            about=event.about,
            actor=options.actor,
            agent=event.tool,
            session=event.session,
            told=session.told,
        )
    return answered(event, result, asked(event, session), sessions)


def unseen(event: HookEvent, sessions: Sessions) -> Answer:
    """For an agent that went on without an answer: only its prompt is kept, which the next one may be about."""
    if event.moment is Moment.MESSAGE:
        sessions.put(event.session, asked(event, sessions.get(event.session)))
    return Answer()


def leave(folder: Path, words: Sequence[str], content: bytes, event: HookEvent, last: Session) -> None:
    """Writes an event down, unless a glance was all there is to it. `last` is the session before it."""
    if event.moment in _LATER:
        place.write_down(str(folder), calls.framed(words, _with_answer(content, event, last)))


def _with_answer(content: bytes, event: HookEvent, last: Session) -> bytes:
    """With the answer that a prompt may correct: the session has the next one when the daemon is up."""
    if event.moment is not Moment.MESSAGE or event.output or not last.answered:
        return content
    return orjson.dumps({**orjson.loads(content), "last_assistant_message": last.answered, "query": last.asked})
