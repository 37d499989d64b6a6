"""The plugin for Claude Code's marketplace: the files that Claude Code reads, and commands that exist."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click

import heedful
from heedful.edges.cli import main
from heedful.edges.cli.hook_settings import TOOLS
from heedful.edges.hook.calls import parsed

ROOT = Path(__file__).parents[3]


def _json(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text()))


def test_the_marketplace_lists_the_plugin() -> None:
    marketplace = _json(ROOT / ".claude-plugin" / "marketplace.json")
    (listed,) = marketplace["plugins"]
    folder = ROOT / listed["source"]
    plugin = _json(folder / ".claude-plugin" / "plugin.json")

    assert listed["source"].startswith("./")
    assert marketplace["owner"]["name"]
    assert (plugin["name"], plugin["version"]) == (listed["name"], heedful.__version__)


def test_the_plugin_has_the_hooks_that_are_installed_otherwise_and_calls_commands_that_exist() -> None:
    folder = ROOT / "plugins" / "claude-code"
    hooks = _json(folder / "hooks" / "hooks.json")["hooks"]
    (server,) = _json(folder / ".mcp.json")["mcpServers"].values()
    calls = [call["command"] for groups in hooks.values() for group in groups for call in group["hooks"]]

    assert hooks == TOOLS["claude-code"].merged({}, "heedful hook")["hooks"]
    for words in (*map(shlex.split, calls), [server["command"], *server["args"]]):
        assert words[0] == "heedful"
        assert main.get_command(click.Context(main), words[1]) is not None
    assert all(parsed(shlex.split(call)[1:]) is not None for call in calls)
