"""orgs: list organisations and set their tier."""

from __future__ import annotations

import click

from heedful.edges.cli.terminal import DONE, Terminal, command
from heedful.records.tier import Tier


@command("heedful orgs\nheedful orgs --tier free --org acme")
@click.option("--tier", type=click.Choice([tier.value for tier in Tier]), help="Give the organisation this tier.")
def orgs(terminal: Terminal, tier: str | None) -> None:
    """List the organisations, or change the tier of one."""
    with terminal.existing() as loop:
        if tier is not None:
            loop.govern.set_tier(tier)
            terminal.answer({"org": loop.name, "tier": tier}, DONE, f"{loop.name} has the tier {tier}")
            return
        tiers = loop.store.tiers()
        if terminal.json:
            terminal.line([{"org": org, "tier": had.value} for org, had in tiers.items()])
        elif tiers:
            terminal.table("", ("organisation", "tier"), [(org, had.value) for org, had in tiers.items()])
        else:
            terminal.say(("Nothing was recorded yet, for any organisation.", "dim"))
