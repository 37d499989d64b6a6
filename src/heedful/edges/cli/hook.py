"""hook: called by coding agents. Errors never block an agent."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
import orjson

from heedful.edges.cli import hook_settings
from heedful.edges.cli.hook_settings import TOOLS, ToolSettings
from heedful.edges.cli.terminal import DONE, Terminal, command
from heedful.edges.hook import calls, cold
from heedful.errors import InvalidInput
from heedful.records.learning import Audience

_WORDS = "heedful.hook.words"
_AUDIENCES = click.Choice([audience.value for audience in Audience])
_EVENTS = click.Choice(calls.EVENTS)
_TOOLS = click.Choice(sorted(TOOLS))


class _HookCommand(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What an agent calls is no error, whatever it says: an exit code of 2 would block it."""
        call = None if sys.stdin.isatty() else calls.parsed(["hook", *args])
        if call is None:
            return super().parse_args(ctx, args)
        sys.stderr.buffer.write(calls.left_out(call[1]))
        ctx.meta[_WORDS] = args
        return super().parse_args(ctx, [])


@command(
    "heedful hook --install claude-code\n"
    "heedful hook --install codex --user --actor dana\n"
    "heedful hook --install cursor --print\n"
    "heedful hook --uninstall claude-code\n"
    'echo \'{"prompt": "No, use tabs"}\' | heedful hook --event message',
    cls=_HookCommand,
)
@click.argument("tool", required=False, type=_TOOLS)
@click.option("--event", type=_EVENTS, expose_value=False, help="The event. [hook_event_name in the JSON]")
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
        _answer(terminal, click.get_current_context().meta.get(_WORDS, []))


def _answer(terminal: Terminal, words: Sequence[str]) -> None:
    """Everything in this process. A hook that is called as a program comes here only if somebody imports this."""
    named = {"--database": terminal.database, "--org": terminal.org}
    given = [word for name, value in named.items() if value is not None for word in (name, value)]
    reply = cold.alone([*given, "hook", *words])
    for stream, content in ((sys.stdout, reply.output), (sys.stderr, reply.trouble)):
        stream.buffer.write(content)
        stream.flush()
    reply.taken()


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
    chosen = _chosen(tool or ("claude-code" if show or write is not None else None), "--install", project=project)
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
    chosen = _chosen(tool, "--uninstall", project=project)
    file = chosen.file(project=project)
    changed = hook_settings.write(file, chosen.without)
    said = f"removed the hook from {file}" if changed else f"{file} has no hook of heedful; nothing changed"
    terminal.answer({"tool": chosen.tool, "file": str(file), "changed": changed}, DONE, said)


def _chosen(tool: str | None, way: str, *, project: bool) -> ToolSettings:
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
        hint=f"heedful hook {way} {found[0].tool if found else 'claude-code'}",
    )
