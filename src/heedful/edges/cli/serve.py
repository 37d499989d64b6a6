"""serve, mcp: run the HTTP server, or an MCP server over stdio."""

from __future__ import annotations

import logging
import os
import socket
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson

from heedful import __version__
from heedful.edges.cli.terminal import Terminal, command
from heedful.errors import Misconfigured, MissingExtra
from heedful.operations.toolset import ToolSet
from heedful.settings import Settings, default_database

if TYPE_CHECKING:
    from heedful.edges.server import AdminKey, Server


_HOST, _PORT = "127.0.0.1", 8321
_FACTS = ("request_id", "method", "route", "status", "ms", "org", "key", "address", "error", "at")


@command("heedful serve\nheedful serve --port 9000 --no-worker")
@click.option("--host", default=_HOST, show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65_535), default=_PORT, show_default=True, help="0 for any free one.")
@click.option("--no-worker", is_flag=True, help="Do not run jobs; run `heedful work` elsewhere.")
@click.option("--allow-host", multiple=True, metavar="NAME", help="An allowed Host header, such as that of a proxy.")
@click.option("--trust-proxy", multiple=True, metavar="ADDRESS", help="A proxy whose X-Forwarded headers are trusted.")
@click.option("--log", type=click.Choice(["auto", "text", "json", "none"]), default="auto", show_default=True,
              help="Request log on stderr; auto is text at a terminal, else json.")  # fmt: skip
def serve(
    terminal: Terminal,
    host: str,
    port: int,
    no_worker: bool,
    allow_host: tuple[str, ...],
    trust_proxy: tuple[str, ...],
    log: str,
) -> None:
    """Serve the HTTP API, MCP and web pages, and run jobs.

    The first start creates an admin key. At a terminal the key is printed, with a one-time sign-in link on every
    start; otherwise the key is written to a file that only you can read. On Ctrl-C or SIGTERM the server finishes
    running requests and exits within ten seconds.
    """
    server_class = _server_class()
    settings = Settings.read()
    settings = replace(settings, database=terminal.database or settings.database, org=terminal.org or settings.org)
    with _listening(host, port) as listener:
        server = server_class(settings, hosts=_names(host, allow_host), worker=not no_worker)
        _set_up_log(log)
        _run(terminal, server, listener, trust_proxy)


def serve_sample(terminal: Terminal, database: str, org: str) -> None:
    """Serves a database of sample data on this machine, at the usual port if it is free, until Ctrl-C."""
    server_class = _server_class()
    try:
        listener = _listening(_HOST, _PORT)
    except Misconfigured:
        listener = _listening(_HOST, 0)
    with listener:
        server = server_class(replace(Settings.read(), database=database, org=org))
        _run(terminal, server, listener, is_sample=True)


def _run(
    terminal: Terminal,
    server: Server,
    listener: socket.socket,
    proxies: Sequence[str] = (),
    *,
    is_sample: bool = False,
) -> None:
    try:
        sys.setswitchinterval(0.0005)  # threads returning from disk I/O must not wait for requests
        _greet(terminal, server, listener, shows_secrets=is_sample or sys.stdout.isatty())
        server.runner(proxies=proxies).run(sockets=[listener])
    finally:
        server.close()


def _server_class() -> type[Server]:
    try:
        from heedful.edges.server import Server  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise _missing("serve", error) from error
    return Server


def _missing(command: str, error: ImportError) -> MissingExtra:
    return MissingExtra(f"`heedful {command}` needs {error.name}.", hint="Install it: pip install 'heedful[server]'")


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise Misconfigured(
            f"Cannot listen on {host}, port {port}: {error.strerror}.",
            hint="The port may be in use. Choose another with --port, or a free one with --port 0.",
        ) from None


def _names(host: str, more: tuple[str, ...]) -> frozenset[str] | None:
    """The allowed Host headers: on loopback the local names, otherwise those of --allow-host, or any."""
    own = {"localhost", "127.0.0.1", "::1"}
    try:
        local = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        local = False
    if not local and not more:
        return None
    return frozenset({*own, host.lower(), *(name.lower() for name in more)})


def _greet(terminal: Terminal, server: Server, listener: socket.socket, *, shows_secrets: bool) -> None:
    """Whatever is no terminal may be a log that others read; of sample data they may."""
    host, port = listener.getsockname()[:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    admin = server.ensure_admin_key()
    link = f"{url}/sign-in?token={server.sign_in_link(admin.id)}" if shows_secrets else None
    file = None if shows_secrets or admin.secret is None else _write_key(server, admin)
    if terminal.json:
        line = {"url": url, "sign_in": link, "key": admin.secret if shows_secrets else None, "key_file": file}
        terminal.line({**line, "org": server.loop.name})
        return
    terminal.say(("heedful ", "bold"), f"{__version__} serves {server.loop.store.database.describe()}")
    terminal.say(("  address  ", "dim"), url, (f"   API {url}/v1 · MCP {url}/mcp", "dim"))
    if link is not None:
        terminal.say(("  sign in  ", "dim"), link, ("   once, within 15 minutes", "dim"))
    if file is not None:
        terminal.say(("  key      ", "dim"), f"in {file}", ("   admin; save it elsewhere, then delete the file", "dim"))
    elif admin.secret is not None:
        terminal.say(("  key      ", "dim"), (admin.secret, "bold"), ("   admin; shown only once", "dim"))
    terminal.say(("  stop     ", "dim"), "Ctrl-C")


def _write_key(server: Server, admin: AdminKey) -> str:
    """Writes the first key to a file that only its owner can read, beside the database or in the data folder."""
    database = server.loop.store.database.secret_file
    beside = Path(default_database()) if database is None else database.with_suffix("")
    place = beside.with_name(f"{beside.name}.admin-key")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, written = tempfile.mkstemp(dir=place.parent)  # readable by its owner alone, whatever was there
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{admin.secret}\n")
        os.replace(written, place)
    except OSError as error:
        server.loop.govern.keys.revoke(admin.id)  # or nobody would have a key, and no other would be created
        raise Misconfigured(
            f"The first key cannot be written to {place}: {error.strerror}.",
            hint="Start the server at a terminal once, or create a key with `heedful keys create`.",
        ) from None
    return str(place)


def _set_up_log(wanted: str) -> None:
    if wanted == "none":
        return
    people = wanted == "text" or (wanted == "auto" and sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_TextFormatter() if people else _JsonFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("heedful").setLevel(logging.INFO)


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name in _FACTS if (value := getattr(record, name, None)) is not None}


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {"time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"), "level": record.levelname.lower()}
        said = {"logger": record.name, "event": record.getMessage()}
        return orjson.dumps({**line, **said, **_facts(record)}).decode()


class _TextFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        facts = _facts(record)
        time = self.formatTime(record, "%H:%M:%S")
        if "route" in facts:
            line = f"{facts['status']} {facts['method']:<6} {facts['route']:<32} {facts['ms']:>8.1f} ms"
            return f"{time}  {line}  {facts.get('org', '')}"
        return f"{time}  {record.getMessage()}  " + " ".join(f"{name}={value}" for name, value in facts.items())


@command("heedful mcp\nheedful mcp --tools all\nheedful mcp --url http://127.0.0.1:8321   # with HEEDFUL_KEY set")
@click.option("--url", help="Use this server instead of the database, with the key in HEEDFUL_KEY.")
@click.option(
    "--tools",
    "sets",
    multiple=True,
    type=click.Choice([one.value for one in ToolSet]),
    help="List these tools as well.",
)
def mcp(terminal: Terminal, url: str | None, sets: tuple[str, ...]) -> None:
    """Serve MCP over stdio, for coding agents.

    For hosts that start MCP servers themselves. An agent reads the
    description of each tool that is listed, so only the few that
    every agent needs are, unless you ask for more.
    """
    try:
        from heedful.edges import mcp as edge  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise _missing("mcp", error) from error
    with _stages(terminal, url) as stages:
        edge.server(edge.local(stages), [ToolSet(one) for one in sets]).run("stdio")


def _stages(terminal: Terminal, url: str | None) -> Any:
    if url is None:
        return terminal.loop()
    key = Settings.read().key
    if key is None:
        raise Misconfigured("HEEDFUL_KEY is not set.", hint="Create a key with `heedful keys create`, and set it.")
    from heedful.client import Client  # noqa: PLC0415 - an extra

    return Client(url, key)
