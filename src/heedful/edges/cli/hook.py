"""hook: called by coding agents. Errors never block an agent."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from heedful.edges.cli import hook_settings
from heedful.edges.cli.hook_settings import TOOLS, ToolSettings
from heedful.edges.cli.terminal import DONE, Terminal, command
from heedful.edges.hook import calls, place
from heedful.edges.hook.answers import Answers, Options, Reply, complaint, is_nothing, keep_answer
from heedful.edges.hook.events import Moment, parsed
from heedful.edges.hook.sessions import Sessions
from heedful.errors import InvalidInput
from heedful.records.learning import Audience

if TYPE_CHECKING:
    from heedful.loop import Loop

_AUDIENCES = click.Choice([audience.value for audience in Audience])
_MOMENTS = click.Choice([moment.value for moment in Moment if moment is not Moment.NOTHING])
_TOOLS = click.Choice(sorted(TOOLS))
_DEADLINE = calls.DEADLINE


@command(
    "heedful hook --install claude-code\n"
    "heedful hook --install codex --user --actor dana\n"
    "heedful hook --install cursor --print\n"
    "heedful hook --uninstall claude-code\n"
    'echo \'{"prompt": "No, use tabs"}\' | heedful hook --event message'
)
@click.argument("tool", required=False, type=_TOOLS)
@click.option("--event", type=_MOMENTS, help="The event. [hook_event_name in the JSON]")
@click.option("--actor", metavar="NAME", help="Who types: they also get what is for them only.")
@click.option("--audience", type=_AUDIENCES, help="For the whole team, or only for the actor. [team]")
@click.option("--install", is_flag=True, help="Install the hook in the settings of TOOL.")
@click.option("--uninstall", is_flag=True, help="Remove it from the settings of TOOL.")
@click.option("--project/--user", "project", default=True, help="The settings of this folder, or yours. [project]")
@click.option("--print", "print_only", is_flag=True, help="With --install: print the settings.")
@click.option("--write", metavar="FILE", type=click.Path(dir_okay=False), help="With --install: merge them into FILE.")
def hook(
    terminal: Terminal,
    tool: str | None,
    event: str | None,
    actor: str | None,
    audience: str | None,
    install: bool,
    uninstall: bool,
    project: bool,
    print_only: bool,
    write: str | None,
) -> None:
    """Hook for coding agents: record corrections, add context.

    TOOL is claude-code, codex, cursor or gemini. Called by one of
    them, it reads the JSON of an event from stdin.

    \b
    start     a session starts: prints what always holds
    message   a prompt: if it corrects the last output, the correction
              is recorded; prints context for the agent
    tool      a command or an edit: warns of a known mistake
    output    the agent has answered: its transcript is handed in
    end       the session ends: the transcript is mined

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
    if install and audience == Audience.ME and actor is None:
        raise InvalidInput("--audience me requires --actor.", hint="heedful hook --install --actor dana --audience me")
    if install and uninstall:
        raise InvalidInput("--install and --uninstall exclude each other.", hint="Pass one of them.")
    if (write is not None or print_only) and not install:
        raise InvalidInput("--write and --print require --install.", hint="heedful hook --install claude-code --print")
    if install:
        _install(terminal, hook_settings.Person(actor, audience), tool, project=project, show=print_only, write=write)
    elif uninstall:
        _uninstall(terminal, tool, project=project)
    elif sys.stdin.isatty():
        hint = f"To set it up: heedful hook --install {tool or 'claude-code'}"
        raise InvalidInput("A hook reads JSON from stdin.", hint=hint)
    else:
        options = Options(actor, audience, event, terminal.json)
        reply = _attempt(lambda: _reply(terminal, options, sys.stdin.buffer.read(calls.INPUT + 1)))
        for stream, content in ((sys.stdout, reply.output), (sys.stderr, reply.trouble)):
            stream.buffer.write(content)
            stream.flush()


def _install(
    terminal: Terminal,
    person: hook_settings.Person,
    tool: str | None,
    *,
    project: bool,
    show: bool,
    write: str | None,
) -> None:
    own = hook_settings.command_line(terminal.database, terminal.org, person)
    chosen = _chosen(tool or ("claude-code" if show or write is not None else None), project=project)
    if show:
        click.echo(orjson.dumps(chosen.merged({}, own), option=orjson.OPT_INDENT_2).decode())
        return
    file = chosen.file(project=project) if write is None else Path(write)
    made = _make_database(terminal)
    changed = hook_settings.write(file, lambda before: chosen.merged(before, own))
    said = f"installed the hook in {file}" if changed else f"{file} has the hook already; nothing changed"
    terminal.answer({"tool": chosen.tool, "file": str(file), "changed": changed, "created": made}, DONE, said)
    if not terminal.json:
        if made is not None:
            terminal.say((f"  It learns into {made}, which is new.", "dim"))
        terminal.say((f"  {chosen.next_step}", "dim"))


def _make_database(terminal: Terminal) -> str | None:
    """A hook makes none itself: it is called in every folder. Returns its file if there was none."""
    from heedful.settings import Settings  # noqa: PLC0415 - slow to import

    database = terminal.database or Settings.read().database
    is_new = "://" not in database and not Path(database).expanduser().exists()
    with terminal.loop() as loop:
        return loop.store.database.describe() if is_new else None


def _uninstall(terminal: Terminal, tool: str | None, *, project: bool) -> None:
    chosen = _chosen(tool, project=project)
    file = chosen.file(project=project)
    changed = hook_settings.write(file, chosen.without)
    said = f"removed the hook from {file}" if changed else f"{file} has no hook of heedful; nothing changed"
    terminal.answer({"tool": chosen.tool, "file": str(file), "changed": changed}, DONE, said)


def _chosen(tool: str | None, *, project: bool) -> ToolSettings:
    if tool is not None:
        return TOOLS[tool]
    found = [one for one in TOOLS.values() if one.is_here(project=project)]
    names = ", ".join(sorted(one.tool for one in found)) or "none of them"
    if sys.stdin.isatty() and found:
        click.echo(f"On this machine: {names}.")
        answer = click.prompt("Which one", type=_TOOLS, default=found[0].tool)
        return TOOLS[answer]
    raise InvalidInput(
        f"Which tool? Known are {', '.join(sorted(TOOLS))}; on this machine: {names}.",
        hint=f"heedful hook --install {found[0].tool if found else 'claude-code'}",
    )


def _attempt(work: Callable[[], Reply]) -> Reply:
    """The reply, or a complaint if the work fails. Exits the process at the deadline: nothing must block the agent."""
    watch = threading.Timer(_DEADLINE, _give_up)
    watch.daemon = True
    watch.start()
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - a bug must not block a prompt
        return complaint(error)
    finally:
        watch.cancel()


def _give_up() -> None:
    sys.stderr.write(f"heedful hook: no result within {_DEADLINE:g} s; continuing without\n")
    sys.stderr.flush()
    os._exit(0)  # uncommitted changes are rolled back


def _reply(terminal: Terminal, options: Options, content: bytes) -> Reply:
    """Everything in this process: for systems without Unix sockets, and for those who want no daemon."""
    event = parsed(content, options.event)
    if is_nothing(event):
        return Reply()
    where, name = place.folder(), place.name(terminal.database, terminal.org)
    sessions = Sessions(None if where is None else Path(where, f"{name}.{place.SESSIONS}"))
    if keep_answer(event, sessions):
        return Reply()
    with _open(terminal) as loop:
        answers = Answers(loop.agents, sessions, lambda path, actor, _: loop.capture.transcripts(path, actor=actor))
        return answers.reply(event, options)


def _open(terminal: Terminal) -> Loop:
    """Opens the loop without a language model, which would delay the prompt."""
    from heedful.loop import open  # noqa: PLC0415 - slow to import
    from heedful.settings import Settings  # noqa: PLC0415

    settings = replace(Settings.read(), llm=())
    database = terminal.database or settings.database
    exists = "://" in database or Path(database).expanduser().exists()
    return open(database, org=terminal.org, settings=settings, migrate=exists)
