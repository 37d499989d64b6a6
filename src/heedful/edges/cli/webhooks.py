"""webhooks: post new events to a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from heedful.edges.cli.terminal import DONE, Part, Terminal, command, group, limit_option
from heedful.edges.cli.times import local_time

if TYPE_CHECKING:
    from heedful.records.webhook import Webhook


@group("heedful webhooks create https://example.com/heedful --kind MAPPING_CONFIRMED\nheedful webhooks list")
def webhooks() -> None:
    """Post signed events to a URL."""


@command("heedful webhooks create https://example.com/heedful --kind MAPPING_CONFIRMED", name="create", within=webhooks)
@click.argument("url")
@click.option("--kind", "kinds", multiple=True, help="Only events of this kind; repeatable.")
@click.option("--id", help="Your own id for the webhook.")
def create_webhook(terminal: Terminal, url: str, kinds: tuple[str, ...], id: str | None) -> None:
    """Post new events to a URL."""
    with terminal.loop() as loop:
        webhook = loop.govern.webhooks.create(url, kinds=kinds, id=id)
        if terminal.json:
            terminal.line(webhook)
            return
        terminal.say(DONE, f"{loop.name} posts {', '.join(webhook.kinds) or 'every event'} to {url}")
        if webhook.secret is not None:
            terminal.say("\n  ", (webhook.secret, "bold"), "\n")
            terminal.say(("  Save it now: the receiver verifies signatures with this secret.", "dim"))


@command("heedful webhooks list", name="list", within=webhooks)
def list_webhooks(terminal: Terminal) -> None:
    """List webhooks."""
    with terminal.existing() as loop:
        found = loop.govern.webhooks.all()
        if terminal.json:
            terminal.line(found)
        elif found:
            terminal.table(loop.name, ("state", "kinds", "url", "id"), map(_webhook, found))
        else:
            terminal.say(("There are no webhooks yet. Create one: heedful webhooks create --help", "dim"))


def _webhook(webhook: Webhook) -> tuple[Part, ...]:
    state: Part = ("active", "green") if webhook.disabled_at is None else (f"off: {webhook.disabled_because}", "red")
    return state, ", ".join(webhook.kinds) or "all", webhook.url, webhook.id


@command("heedful webhooks deliveries erp", within=webhooks)
@click.argument("id")
@limit_option(20, ", newest first", 1_000)
def deliveries(terminal: Terminal, id: str, limit: int) -> None:
    """List deliveries: pending, delivered and failed."""
    with terminal.existing() as loop:
        found = loop.govern.webhooks.deliveries(id, limit=limit).items
        if terminal.json:
            terminal.line(found)
            return
        rows = [(d.state.value, str(d.attempts), local_time(d.updated_at), d.event, d.error or "") for d in found]
        terminal.table(id, ("state", "attempts", "changed", "event", "error"), rows)


@command("heedful webhooks replay erp --since 2d", within=webhooks)
@click.argument("id")
@click.option("--since", metavar="TIME", help="Start time: 2026-01-05T09:00:00Z, or an age: 90m, 12h, 7d, 4w. [all]")
def replay(terminal: Terminal, id: str, since: str | None) -> None:
    """Post past events again, in the background."""
    with terminal.existing() as loop:
        job = loop.govern.webhooks.replay(id, since=since)
        terminal.answer(job, DONE, f"queued; `heedful serve` or `heedful work` posts them to {id}")


@command("heedful webhooks remove erp", within=webhooks)
@click.argument("id")
def remove(terminal: Terminal, id: str) -> None:
    """Remove a webhook."""
    with terminal.existing() as loop:
        webhook = loop.govern.webhooks.remove(id)
        terminal.answer(webhook, DONE, f"removed the webhook for {webhook.url}")
