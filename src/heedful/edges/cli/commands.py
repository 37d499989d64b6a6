"""Command groups: help in sections, lazy loading, and suggestions for mistyped names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from keyword import iskeyword

import click

LINE = 60
"""The longest first line of a command's help that fits beside its name, in characters."""

_WIDTH = 74  # of an example, which is indented
_GUESSES = 3


class CommandGroup(click.Group):
    def sections(self, ctx: click.Context) -> Mapping[str, Sequence[str]]:
        return {"Commands": self.list_commands(ctx)}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Shows the first line of each command's help uncut; a test keeps them short."""
        longest = max(map(len, self.list_commands(ctx)))
        for title, names in self.sections(ctx).items():
            found = ((name, self.get_command(ctx, name)) for name in names)
            rows = [(f"{name:<{longest}}", first_line(command)) for name, command in found if command]
            with formatter.section(title):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name.startswith("-") or ctx.resilient_parsing or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        guesses = get_close_matches(name.lower(), self.list_commands(ctx), _GUESSES) or self._elsewhere(ctx, name)
        meant = " or ".join(f"`{ctx.command_path} {guess}`" for guess in guesses)
        hint = f" Did you mean {meant}?" if meant else f" See `{ctx.command_path} --help`."
        raise click.UsageError(f"No such command '{name}'.{hint}", ctx)

    def _elsewhere(self, ctx: click.Context, name: str) -> list[str]:
        groups = {group: self.get_command(ctx, group) for group in self.list_commands(ctx)}
        return [
            f"{group} {name}"
            for group, command in groups.items()
            if isinstance(command, click.Group) and name in command.commands
        ]


class LazyCommandGroup(CommandGroup):
    """Imports the module of a command when it is called, so that `heedful --version` stays fast."""

    listed: Mapping[str, Sequence[str]] = {}
    """The commands of each section."""
    modules: Mapping[str, str] = {}
    """The module of a command, if it has another name."""

    def sections(self, ctx: click.Context) -> Mapping[str, Sequence[str]]:  # noqa: ARG002
        return self.listed

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [name for names in self.listed.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        function = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        module = self.modules.get(cmd_name, cmd_name)
        command = getattr(import_module(f"heedful.edges.cli.{module}"), function)
        assert isinstance(command, click.Command)
        return command


def first_line(command: click.Command) -> str:
    return (command.help or "").strip().partition("\n")[0].rstrip(".")


def epilog(example: str) -> str:
    """Examples for the end of a help text; long ones are wrapped."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for whole in example.splitlines() for line in _broken(whole))


def _broken(line: str) -> list[str]:
    """Wraps before options, with backslashes, so that the example can be pasted."""
    if len(line) <= _WIDTH:
        return [line]
    # Keeps quoted text together, and an option with its value.
    parts = line.replace(" --", "\n--").replace(" | ", "\n| ").replace(" && ", "\n&& ").split("\n")
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 3 <= _WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(f"  {part}")
    return [f"{one} \\" for one in lines[:-1]] + lines[-1:]
