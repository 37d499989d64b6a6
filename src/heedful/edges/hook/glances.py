"""Answers by a glance: by words alone, while no model is loaded. What needs one is written down for later.

The models take longer to load than a person should wait. So the event is left in the folder of the daemon, which
records what it says once it has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from heedful.edges.hook import calls, place
from heedful.edges.hook.answers import Options, transcript_file
from heedful.edges.hook.events import HookEvent, Moment, takes_context
from heedful.edges.hook.sessions import Session, Sessions
from heedful.records.context import PromptResult

if TYPE_CHECKING:
    from heedful.agents import Agents

_NOTHING = PromptResult("", (), None)
_LATER = (Moment.MESSAGE, Moment.OUTPUT, Moment.END)
"""What the daemon is to do itself once it is up."""


def glanced(event: HookEvent, agents: Callable[[], Agents], options: Options, sessions: Sessions) -> PromptResult:
    """What a start or a glance tells; about a tool, nothing, and nobody is asked."""
    if not takes_context(event) or event.moment is Moment.TOOL:
        return _NOTHING
    session = Session() if event.forgotten else sessions.get(event.session)
    own = None if event.forgotten else event.session
    whose = {"about": event.about, "actor": options.actor, "agent": event.tool.value, "session": own}
    if event.moment is Moment.START:
        result = agents().start(**whose, told=session.told)
    elif not event.prompt.strip() or event.prompt.lstrip().startswith("<"):  # a notice, which nobody typed
        return _NOTHING
    else:
        result = agents().glance(event.prompt, **whose, told=session.told)
    after = _asked(event, session.after_telling(result.learnings))
    if after != session or event.forgotten:
        sessions.put(event.session, after)
    return result


def unseen(event: HookEvent, sessions: Sessions) -> PromptResult:
    """For an agent that went on without an answer: only its prompt is kept, which the next one may be about."""
    if event.moment is Moment.MESSAGE:
        sessions.put(event.session, _asked(event, sessions.get(event.session)))
    return _NOTHING


def _asked(event: HookEvent, session: Session) -> Session:
    without_file = event.moment is Moment.MESSAGE and transcript_file(event) is None
    return session.after_prompt(event.prompt) if without_file else session


def leave(folder: Path, words: Sequence[str], content: bytes, event: HookEvent, last: Session) -> None:
    """Writes an event down, unless a glance was all there is to it. `last` is the session before it."""
    if event.moment in _LATER:
        place.write_down(str(folder), calls.framed(words, _with_answer(content, event, last)))


def _with_answer(content: bytes, event: HookEvent, last: Session) -> bytes:
    """With the answer that a prompt may correct: the session has the next one when the daemon is up."""
    if event.moment is not Moment.MESSAGE or event.output or not last.answered or transcript_file(event) is not None:
        return content
    return orjson.dumps({**orjson.loads(content), "last_assistant_message": last.answered, "query": last.asked})
