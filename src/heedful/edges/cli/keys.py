"""keys: create, list and revoke API keys."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from heedful.edges.cli.terminal import DONE, Part, Terminal, command, group
from heedful.edges.cli.times import local_time
from heedful.records.role import Role

if TYPE_CHECKING:
    from heedful.records.key import Key


@group('heedful keys create --org acme --role operator --name "order desk"\nheedful keys list')
def keys() -> None:
    """Create, list and revoke API keys."""


@command('heedful keys create --org acme --role operator --name "order desk" --days 90', within=keys)
@click.option(
    "--role", type=click.Choice([role.value for role in Role]), required=True, help="The permissions of the key."
)
@click.option("--name", required=True, help="What it is for.")
@click.option("--days", type=click.IntRange(1, 36_500), help="Days until it expires. [never]")
@click.option("--rate-limit", type=click.IntRange(1), help="Requests per minute. [the limit of the server]")
@click.option("--for-many", is_flag=True, help="The key acts for many people: count the actors it names.")
@click.option("--id", help="Your own id for the key.")
def create(
    terminal: Terminal, role: str, name: str, days: int | None, rate_limit: int | None, for_many: bool, id: str | None
) -> None:
    """Create an API key and show it once."""
    with terminal.loop() as loop:
        key = loop.govern.keys.create(name, role=Role(role), days=days, rate_limit=rate_limit, for_many=for_many, id=id)
        if terminal.json:
            terminal.line(key)
            return
        terminal.say(DONE, f"a key for {loop.name} as {role}: {name}")
        if key.secret is None:
            terminal.say(("  This key exists already. Its secret was shown when it was created.", "dim"))
            return
        terminal.say("\n  ", (key.secret, "bold"), "\n")
        terminal.say(("  Save it now: only a hash is stored, so it cannot be shown again.", "dim"))


@command("heedful keys list", name="list", within=keys)
def list_keys(terminal: Terminal) -> None:
    """List the keys of the organisation."""
    with terminal.existing() as loop:
        found = loop.govern.keys.all()
        if terminal.json:
            terminal.line(found)
        elif found:
            terminal.table(loop.name, ("state", "role", "created", "last used", "name", "id"), map(_key, found))
        else:
            terminal.say(("There are no keys yet. Create one: heedful keys create --help", "dim"))


def _key(key: Key) -> tuple[Part, ...]:
    state: Part = ("valid", "green")
    if key.revoked_at is not None:
        state = ("revoked", "red")
    elif key.is_over(datetime.now(UTC)):
        state = ("expired", "yellow")
    used = "never" if key.last_used_at is None else local_time(key.last_used_at)
    return state, key.role.value, local_time(key.created_at), used, key.name, key.id


@command("heedful keys revoke 01a1e111-623b-7104-bf51-3e9548d32c6a", within=keys)
@click.argument("id")
def revoke(terminal: Terminal, id: str) -> None:
    """Revoke an API key; servers reject it within a second."""
    with terminal.existing() as loop:
        key = loop.govern.keys.revoke(id)
        terminal.answer(key, DONE, f"{key.name} is revoked")
