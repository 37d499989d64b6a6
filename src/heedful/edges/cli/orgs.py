"""orgs: list organisations and set their tier."""

from __future__ import annotations

import click

from heedful.edges.cli.terminal import DONE, Terminal, command
from heedful.records.tier import Tier


@command("heedful orgs\nheedful orgs --tier free --org acme")
@click.option("--tier", type=click.Choice([tier.value for tier in Tier]), help="Set the tier of the organisation.")
def orgs(terminal: Terminal, tier: str | None) -> None:
    """List organisations, or set the tier of one."""
    with terminal.existing() as loop:
        if tier is not None:
            loop.govern.set_tier(tier)
            terminal.answer({"org": loop.name, "tier": tier}, DONE, f"{loop.name} is on the {tier} tier")
            return
        tiers = loop.store.tiers()
        if terminal.json:
            terminal.line([{"org": org, "tier": had.value} for org, had in tiers.items()])
        elif tiers:
            terminal.table("", ("organisation", "tier"), [(org, had.value) for org, had in tiers.items()])
        else:
            terminal.say(("There are no organisations yet: nothing was recorded.", "dim"))
