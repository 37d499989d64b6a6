"""hook: called by a coding agent for each prompt. Errors never block the agent."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson

from heedful.edges.cli import hook_settings
from heedful.edges.cli.terminal import DONE, Terminal, command
from heedful.errors import HeedfulError, InvalidInput
from heedful.records.context import PromptResult
from heedful.records.learning import Audience

if TYPE_CHECKING:
    from heedful.loop import Loop

_EVENTS = {"UserPromptSubmit": "message", "Stop": "output", "SubagentStop": "output"}
_AUDIENCES = click.Choice([audience.value for audience in Audience])
_DEADLINE = 4.0  # seconds
_INPUT = 8 * 1024 * 1024  # bytes
_LONG = 100_000  # characters of a prompt or an output that are read


@command(
    "heedful hook --install\n"
    "heedful hook --install --write .claude/settings.json\n"
    "heedful hook --install --actor dana --audience me\n"
    'echo \'{"prompt": "No, use tabs"}\' | heedful hook --event message'
)
@click.option("--event", type=click.Choice(["message", "output"]), help="The event. [hook_event_name in the JSON]")
@click.option("--actor", metavar="NAME", help="Who types: they also get what is for them only.")
@click.option("--audience", type=_AUDIENCES, help="For the whole team, or only for the actor. [team]")
@click.option("--install", is_flag=True, help="Print the settings for Claude Code.")
@click.option("--write", metavar="FILE", type=click.Path(dir_okay=False), help="With --install: merge them into FILE.")
def hook(
    terminal: Terminal, event: str | None, actor: str | None, audience: str | None, install: bool, write: str | None
) -> None:
    """Hook for coding agents: record corrections, add context.

    Reads the JSON of an agent hook from stdin.

    \b
    message   a prompt (UserPromptSubmit): if it corrects the last output,
              the correction is recorded; prints context for the agent
    output    the agent has answered (Stop): does nothing

    \b
    prompt                  the prompt
    transcript_path         a JSONL transcript, or instead of it:
    last_assistant_message  the output that the prompt may correct
    query                   the prompt that this output answered
    session_id, cwd, id     the conversation, the project folder, and
                            your id of the message

    \b
    Exit code: always 0 when called as a hook, so that no prompt is
    blocked
    """
    if write is not None and not install:
        raise InvalidInput("--write requires --install.", hint="heedful hook --install --write .claude/settings.json")
    if audience == Audience.ME and actor is None:
        raise InvalidInput("--audience me requires --actor.", hint="heedful hook --actor dana --audience me")
    person = hook_settings.Person(actor, audience)
    if install:
        _install(terminal, person, write)
        return
    if sys.stdin.isatty():
        raise InvalidInput("A hook reads JSON from stdin.", hint="To set it up: heedful hook --install")
    result = _attempt(lambda: _result(terminal, person, event, sys.stdin.buffer.read(_INPUT + 1)))
    if result is not None:
        _print(terminal, result, generic=event is not None)


def _install(terminal: Terminal, person: hook_settings.Person, write: str | None) -> None:
    own = hook_settings.command_line(terminal.database, terminal.org, person)
    if write is None:
        click.echo(orjson.dumps(hook_settings.merged({}, own), option=orjson.OPT_INDENT_2).decode())
        return
    changed = hook_settings.write(Path(write), own)
    said = f"installed the hook in {write}" if changed else f"{write} has the hook already; nothing changed"
    terminal.answer({"file": write, "changed": changed}, DONE, said)


def _attempt(work: Callable[[], PromptResult]) -> PromptResult | None:
    """The result, or None if the work fails. Exits the process at the deadline: nothing must block the agent."""
    watch = threading.Timer(_DEADLINE, _give_up)
    watch.daemon = True
    watch.start()
    try:
        return work()
    except HeedfulError as error:
        _complain(f"{error.message} {error.hint or ''}")
    except Exception as error:  # noqa: BLE001 - a bug must not block a prompt
        _complain(f"{type(error).__name__}: {error}")
    finally:
        watch.cancel()
    return None


def _give_up() -> None:
    _complain(f"no result within {_DEADLINE:g} s; continuing without")
    os._exit(0)  # uncommitted changes are rolled back


def _complain(trouble: str) -> None:
    sys.stderr.write(f"heedful hook: {' '.join(trouble.split())}\n")
    sys.stderr.flush()


def _result(terminal: Terminal, person: hook_settings.Person, event: str | None, content: bytes) -> PromptResult:
    event_input = _input(content)
    name = event_input.get("hook_event_name")
    happened = event or (_EVENTS.get(name) if isinstance(name, str) else None)
    if happened is None:
        raise InvalidInput(f"hook_event_name is {str(name)[:80]!r}.", hint="Pass --event.")
    if happened == "output":  # the output is in the transcript
        return PromptResult("", (), None)
    return _prompt(terminal, person, event_input)


def _input(content: bytes) -> Mapping[str, Any]:
    if len(content) > _INPUT:
        raise InvalidInput("stdin is too large.")
    try:
        event_input = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"stdin is not JSON: {error}.") from None
    if not isinstance(event_input, dict):
        raise InvalidInput("stdin is not a JSON object.")
    return event_input


def _open(terminal: Terminal) -> Loop:
    """Opens the loop without a language model, which would delay the prompt."""
    from heedful.loop import open  # noqa: PLC0415 - slow to import
    from heedful.settings import Settings  # noqa: PLC0415

    settings = replace(Settings.read(), llm=())
    place = terminal.database or settings.database
    return open(place, org=terminal.org, settings=settings, migrate="://" in place or Path(place).expanduser().exists())


def _prompt(terminal: Terminal, person: hook_settings.Person, event_input: Mapping[str, Any]) -> PromptResult:
    from heedful.capture.conversations.transcripts.last_turn import LastTurn, last_turn  # noqa: PLC0415
    from heedful.capture.conversations.transcripts.metadata import project_name  # noqa: PLC0415 - slow to import

    prompt, conversation = _text(event_input, "prompt")[:_LONG], _name(_text(event_input, "session_id"))
    given = LastTurn(_text(event_input, "last_assistant_message"), _text(event_input, "query"))
    with _open(terminal) as loop:
        last = given if given.output else last_turn(event_input.get("transcript_path"))
        return loop.agents.prompt(
            prompt,
            last_output=last.output[-_LONG:],
            query=last.query[:_LONG] or None,
            session=conversation,
            about=project_name(event_input.get("cwd")),
            actor=person.actor,
            audience=Audience.of(person.audience or Audience.TEAM),
            id=_name(_text(event_input, "id")) or last.reply_id(conversation, prompt),
        )


def _print(terminal: Terminal, result: PromptResult, *, generic: bool) -> None:
    if terminal.json:
        terminal.line(result.to_dict())
    elif result.context and generic:
        click.echo(result.context)
    elif result.context:
        terminal.line(
            {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": result.context}}
        )


def _text(event_input: Mapping[str, Any], name: str) -> str:
    value = event_input.get(name)
    return value if isinstance(value, str) else ""


def _name(text: str) -> str | None:
    from heedful.records.names import identifier  # noqa: PLC0415 - slow to import

    try:
        return identifier(text, "name")
    except InvalidInput:
        return None
