"""context: what was learned, for the prompt of a task or a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli.suggestions import rate
from heedful.edges.cli.terminal import Terminal, command, counted
from heedful.errors import InvalidInput
from heedful.records.names import TOKENS_LIMIT

if TYPE_CHECKING:
    from heedful.records.context import Composed
    from heedful.records.rule_context import AcceptedPattern, RejectedPattern, RuleContext

_TOKENS = 800


@command(
    'heedful context "deploy the service"\n'
    'heedful context "deploy the service" --about shop --prompt > prompt.txt\n'
    "heedful context --rule no-passive --confidence 0.8"
)
@click.argument("task", required=False)
@click.option("--rule", help="Decisions about suggestions for this rule.")
@click.option("--about", metavar="PROJECT", help="Only this project, and what applies everywhere.")
@click.option("--actor", help="Who asks: also what is only for them.")
@click.option(
    "--tokens", type=click.IntRange(1, TOKENS_LIMIT), help=f"The budget for the task, approximately. [{_TOKENS}]"
)
@click.option("--prompt", "only_prompt", is_flag=True, help="Print only the text for the prompt.")
@click.option("--confidence", type=float, help="Print the calibrated value of this stated confidence.")
def context(terminal: Terminal, task: str | None, rule: str | None, **options: Any) -> None:
    """Show the context for a task or a rule.

    For a TASK, such as "deploy the service": relevant corrections and learnings, whose use is recorded. With --rule:
    what people decided about its suggestions. With both: one after the other.
    """
    _require_fitting(task, rule, options)
    with terminal.existing() as loop:
        composed = None
        if task is not None:
            whose = {"about": options["about"], "actor": options["actor"]}
            composed = loop.apply.context(task, **whose, tokens=options["tokens"] or _TOKENS)
        judged = None if rule is None else loop.apply.rule_context(rule)
    if options["confidence"] is not None and judged is not None:
        meant = judged.confidence(options["confidence"])
        told = {"stated": options["confidence"], "value": meant.value, "low": meant.low, "high": meant.high}
        terminal.answer(told, str(meant))
    elif terminal.json:
        terminal.line({"task": composed, "rule": judged} if composed and judged else composed or judged)
    elif options["only_prompt"]:
        texts = (composed.text if composed else "", judged.prompt if judged else "")
        text = "\n\n".join(filter(None, texts))
        click.echo(text, nl=bool(text))
    else:
        _show(terminal, composed, judged)


def _require_fitting(task: str | None, rule: str | None, options: dict[str, Any]) -> None:
    if task is None and rule is None:
        raise InvalidInput(
            "A task or --rule is required.",
            hint='heedful context "deploy the service", or: heedful context --rule RULE',
        )
    if task is None and (options["about"] or options["actor"] or options["tokens"]):
        raise InvalidInput("--about, --actor and --tokens require a task.", hint="Pass a task, or drop them.")
    if options["confidence"] is not None and (rule is None or task is not None):
        raise InvalidInput("--confidence requires --rule and no task.", hint="Pass --rule, and drop the task.")


def _show(terminal: Terminal, composed: Composed | None, judged: RuleContext | None) -> None:
    if composed is not None and composed.pieces:
        pieces = counted(len(composed.pieces), "piece")
        terminal.say(("for the prompt", "bold"), (f"  {pieces}, about {composed.tokens:,} tokens", "dim"))
        terminal.say((composed.text, "cyan"))
    elif composed is not None:
        terminal.say(("Nothing relevant was learned for this task.", "dim"))
        terminal.say(("List everything: heedful learnings list, heedful corrections list", "dim"))
    if composed is not None and judged is not None:
        terminal.say()
    if judged is not None:
        _show_rule(terminal, judged)


def _show_rule(terminal: Terminal, found: RuleContext) -> None:
    if not found.sample_count:
        terminal.say((f"There are no decisions about {found.rule_id} yet.", "dim"))
        return
    imported = f", {found.imported_count:,} of them imported" if found.imported_count else ""
    terminal.say((found.rule_name, "bold"), f"  {counted(found.sample_count, 'sample')}{imported}")
    terminal.say("  accepted  ", *rate(found.acceptance_rate, found.acceptance_interval))
    if found.adjusted_confidence_baseline is not None:
        terminal.say(f"  baseline  {found.adjusted_confidence_baseline:.2f}", ("  expected acceptance", "dim"))
    if found.calibration.sample_count:
        stated = (0.5, 0.7, 0.9)
        meant = "   ".join(f"{one} → {found.confidence(one)}" for one in stated)
        terminal.say(f"  stated    {meant}")
    _show_patterns(terminal, "accepted", found.accepted_patterns)
    _show_patterns(terminal, "rejected", found.rejected_patterns)
    if found.useful_modifications:
        terminal.say(("\nmodified", "bold"))
        for one in found.useful_modifications:
            terminal.say(f"  {one.count:>5,}×  {one.improvement}", (_example(one), "dim"))
    if found.prompt:
        terminal.say(("\nfor the prompt", "bold"))
        terminal.say((found.prompt, "cyan"))
    elif not found.has_sufficient_data:
        terminal.say(("\nNot enough data for a prompt: it needs ten samples.", "dim"))


def _example(one: Any) -> str:
    return f"   {one.suggested} → {one.modification}" if one.suggested else ""


def _show_patterns(
    terminal: Terminal, title: str, patterns: tuple[AcceptedPattern, ...] | tuple[RejectedPattern, ...]
) -> None:
    if not patterns:
        return
    terminal.say((f"\n{title}", "bold"))
    for pattern in patterns:
        reason = getattr(pattern, "common_rejection_reason", None)
        terminal.say(
            f"  {pattern.sample_count:>5,}×  ",
            *rate(pattern.success_rate, pattern.interval),
            f"  {pattern.original_pattern} → {pattern.suggested_pattern}",
            (f"   “{reason}”" if reason else "", "dim"),
        )
