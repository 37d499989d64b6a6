"""keys, orgs, webhooks: who may come in, what they may have, where events go."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from heedful.edges.cli.session import DONE, Part, Session, command, group
from heedful.records.role import Role
from heedful.records.tier import Tier

if TYPE_CHECKING:
    from heedful.records.key import Key
    from heedful.records.webhook import Webhook


@group('heedful keys create --org acme --role operator --name "order desk"\nheedful keys list')
def keys() -> None:
    """Make, list and revoke keys for the HTTP API."""


@command('heedful keys create --org acme --role operator --name "order desk" --days 90', within=keys)
@click.option("--role", type=click.Choice([role.value for role in Role]), required=True, help="What it may do.")
@click.option("--name", required=True, help="What it is for.")
@click.option("--days", type=click.IntRange(1, 36_500), help="How long it is valid. [until it is revoked]")
@click.option("--rate-limit", type=click.IntRange(1), help="Requests a minute. [what the server allows all]")
@click.option("--for-many", is_flag=True, help="Count the people it names, and not itself as one person.")
@click.option("--id", help="Your own id for it.")
def create(
    session: Session, role: str, name: str, days: int | None, rate_limit: int | None, for_many: bool, id: str | None
) -> None:
    """Make a key, and show it this once."""
    with session.loop() as loop:
        key = loop.govern.keys.create(name, role=Role(role), days=days, rate_limit=rate_limit, for_many=for_many, id=id)
        if session.json:
            session.line(asdict(key))
            return
        session.say(DONE, f"a key for {loop.name} as {role}: {name}")
        if key.secret is None:
            session.say(("  It was made before, and was shown then.", "dim"))
            return
        session.say("\n  ", (key.secret, "bold"), "\n")
        session.say(("  Keep it now: only its hash is stored, so it cannot be shown again.", "dim"))


@command("heedful keys list", name="list", within=keys)
def list_keys(session: Session) -> None:
    """List the keys of the organisation."""
    with session.existing() as loop:
        found = loop.govern.keys.all()
        if session.json:
            session.line([asdict(key) for key in found])
        elif found:
            session.table(loop.name, ("state", "role", "made", "last used", "name", "id"), map(_key, found))
        else:
            session.say(("There are no keys yet. Make one: heedful keys create --help", "dim"))


def _key(key: Key) -> tuple[Part, ...]:
    state: Part = ("valid", "green")
    if key.revoked_at is not None:
        state = ("revoked", "red")
    elif key.is_over(datetime.now(UTC)):
        state = ("over", "yellow")
    return state, key.role.value, _day(key.created_at), _day(key.last_used_at) or "never", key.name, key.id


def _day(time: datetime | None) -> str:
    return "" if time is None else time.astimezone().strftime("%Y-%m-%d %H:%M")


@command("heedful keys revoke 01a1e111-623b-7104-bf51-3e9548d32c6a", within=keys)
@click.argument("id")
def revoke(session: Session, id: str) -> None:
    """Revoke a key: servers refuse it within a second."""
    with session.existing() as loop:
        key = loop.govern.keys.revoke(id)
        session.answer(asdict(key), DONE, f"{key.name} is revoked")


@command("heedful orgs\nheedful orgs --tier free --org acme")
@click.option("--tier", type=click.Choice([tier.value for tier in Tier]), help="Give the organisation this tier.")
def orgs(session: Session, tier: str | None) -> None:
    """List the organisations, or change the tier of one."""
    with session.existing() as loop:
        if tier is not None:
            loop.govern.set_tier(tier)
            session.answer({"org": loop.name, "tier": tier}, DONE, f"{loop.name} has the tier {tier}")
            return
        tiers = loop.store.tiers()
        if session.json:
            session.line([{"org": org, "tier": had.value} for org, had in tiers.items()])
        elif tiers:
            session.table("", ("organisation", "tier"), [(org, had.value) for org, had in tiers.items()])
        else:
            session.say(("Nothing was recorded yet, for any organisation.", "dim"))


@group("heedful webhooks create https://example.com/heedful --kind MAPPING_CONFIRMED\nheedful webhooks list")
def webhooks() -> None:
    """Post events to an address, signed."""


@command("heedful webhooks create https://example.com/heedful --kind MAPPING_CONFIRMED", name="create", within=webhooks)
@click.argument("url")
@click.option("--kind", "kinds", multiple=True, help="Only events of this kind; may be given several times.")
@click.option("--id", help="Your own id for it.")
def create_webhook(session: Session, url: str, kinds: tuple[str, ...], id: str | None) -> None:
    """Post new events, or those of some kinds, to an address."""
    with session.loop() as loop:
        webhook = loop.govern.webhooks.create(url, kinds=kinds, id=id)
        if session.json:
            session.line(asdict(webhook))
            return
        session.say(DONE, f"{loop.name} posts {', '.join(webhook.kinds) or 'every event'} to {url}")
        if webhook.secret is not None:
            session.say("\n  ", (webhook.secret, "bold"), "\n")
            session.say(("  The receiver checks signatures with this secret. It is not shown again.", "dim"))


@command("heedful webhooks list", name="list", within=webhooks)
def list_webhooks(session: Session) -> None:
    """List the webhooks of the organisation."""
    with session.existing() as loop:
        found = loop.govern.webhooks.all()
        if session.json:
            session.line([asdict(webhook) for webhook in found])
        elif found:
            session.table(loop.name, ("state", "kinds", "url", "id"), map(_webhook, found))
        else:
            session.say(("There are no webhooks yet. Make one: heedful webhooks create --help", "dim"))


def _webhook(webhook: Webhook) -> tuple[Part, ...]:
    state: Part = ("active", "green") if webhook.disabled_at is None else (f"off: {webhook.disabled_because}", "red")
    return state, ", ".join(webhook.kinds) or "all", webhook.url, webhook.id


@command("heedful webhooks deliveries erp", within=webhooks)
@click.argument("id")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1_000), default=20, show_default=True, help="The newest this many."
)
def deliveries(session: Session, id: str, limit: int) -> None:
    """List what was posted, is to be, or was given up."""
    with session.existing() as loop:
        found = loop.govern.webhooks.deliveries(id, limit=limit).items
        if session.json:
            session.line([asdict(delivery) for delivery in found])
            return
        rows = [(d.state.value, str(d.attempts), _day(d.updated_at), d.event, d.error or "") for d in found]
        session.table(id, ("state", "tries", "changed", "event", "error"), rows)


@command("heedful webhooks replay erp --since 2d", within=webhooks)
@click.argument("id")
@click.option("--since", metavar="TIME", help="From then on: 2026-01-05T09:00:00Z, or 90m, 12h, 7d, 4w ago. [ever]")
def replay(session: Session, id: str, since: str | None) -> None:
    """Post what happened once more. A worker does it."""
    with session.existing() as loop:
        job = loop.govern.webhooks.replay(id, since=since)
        session.answer(asdict(job), DONE, f"queued; `heedful serve` or `heedful work` will post to {id} again")


@command("heedful webhooks remove erp", within=webhooks)
@click.argument("id")
def remove(session: Session, id: str) -> None:
    """Post nothing more to an address."""
    with session.existing() as loop:
        webhook = loop.govern.webhooks.remove(id)
        session.answer(asdict(webhook), DONE, f"nothing more is posted to {webhook.url}")
