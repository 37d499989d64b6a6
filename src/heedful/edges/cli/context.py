"""context: what was learned, for the prompt of a task or a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli.document_ids import find_document
from heedful.edges.cli.suggestions import rate
from heedful.edges.cli.terminal import Terminal, command, counted
from heedful.errors import InvalidInput
from heedful.records.context import Template
from heedful.records.names import TOKENS_LIMIT

if TYPE_CHECKING:
    from rich.console import Console

    from heedful.loop import Loop
    from heedful.records.context import Context
    from heedful.records.rule_context import AcceptedPattern, RejectedPattern, RuleContext

_TOKENS = 800
_TASK = ("agent", "document", "about", "user")  # each of them is enough for a context


@command(
    'heedful context "deploy the service"\n'
    'heedful context "deploy the service" --agent coder --about shop --prompt > prompt.txt\n'
    "heedful context --document order-4711 --template xml\n"
    "heedful context --rule no-passive --confidence 0.8"
)
@click.argument("task", required=False)
@click.option("--agent", help="Who does the task: also the rules for this agent.")
@click.option("--rule", help="Decisions about suggestions for this rule.")
@click.option("--document", metavar="ID", help="A document: also mappings of its customer, and examples of its layout.")
@click.option("--about", metavar="PROJECT", help="Only this project, and what applies everywhere.")
@click.option("--user", help="Whom the output is for: also what is only for them.")
@click.option("--unit", help="The session or task it belongs to, for measuring.")
@click.option("--template", type=click.Choice([one.value for one in Template]), help="How the text is written. [text]")
@click.option("--budget", type=click.IntRange(1, TOKENS_LIMIT), help=f"The most tokens of the text. [{_TOKENS}]")
@click.option("--prompt", "only_prompt", is_flag=True, help="Print only the text for the prompt.")
@click.option("--confidence", type=float, help="Print the calibrated value of this stated confidence.")
def context(terminal: Terminal, task: str | None, rule: str | None, **options: Any) -> None:
    """Show the context for a task or a rule.

    For a TASK, such as "deploy the service": what always holds, and what is relevant, whose use is recorded. With
    --rule alone: what people decided about its suggestions.
    """
    wanted = task is not None or any(options[name] for name in _TASK)
    _require_fitting(rule, options, wanted=wanted)
    with terminal.existing() as loop:
        composed = _composed(loop, task, rule, options) if wanted else None
        judged = None if rule is None else loop.apply.rule_context(rule)
    if options["confidence"] is not None and judged is not None:
        meant = judged.confidence(options["confidence"])
        told = {"stated": options["confidence"], "value": meant.value, "low": meant.low, "high": meant.high}
        terminal.answer(told, str(meant))
    elif terminal.json:
        terminal.line({"task": composed, "rule": judged} if composed and judged else composed or judged)
    elif options["only_prompt"]:
        text = composed.text if composed else judged.prompt if judged else ""
        click.echo(text, nl=bool(text))
        if composed is not None:
            _say_id(terminal, composed, to=terminal.notices)
    else:
        _show(terminal, composed, judged)


def _composed(loop: Loop, task: str | None, rule: str | None, options: dict[str, Any]) -> Context:
    named = {name: options[name] for name in (*_TASK, "unit")}
    if named["document"] is not None:
        named["document"] = find_document(loop, named["document"]).id
    template, budget = Template(options["template"] or Template.TEXT), options["budget"] or _TOKENS
    return loop.apply.context(task or "", rule=rule, **named, template=template, budget=budget)


def _require_fitting(rule: str | None, options: dict[str, Any], *, wanted: bool) -> None:
    if not wanted and rule is None:
        raise InvalidInput(
            "A task or --rule is required.",
            hint='heedful context "deploy the service", or: heedful context --rule RULE',
        )
    if not wanted and (options["budget"] or options["unit"] or options["template"]):
        raise InvalidInput("--budget, --unit and --template require a task.", hint="Pass a task, or drop them.")
    if options["confidence"] is not None and (rule is None or wanted):
        raise InvalidInput("--confidence requires --rule and no task.", hint="Pass --rule, and drop the task.")


def _show(terminal: Terminal, composed: Context | None, judged: RuleContext | None) -> None:
    if composed is not None:
        _show_task(terminal, composed)
    if composed is not None and judged is not None:
        terminal.say()
    if judged is not None:
        _show_rule(terminal, judged)


def _show_task(terminal: Terminal, composed: Context) -> None:
    if composed.pieces:
        rows = [(piece.kind, f"{piece.evidence:,}", piece.why) for piece in composed.pieces]
        terminal.table("", ("kind", "evidence", "why"), rows)
        pieces = counted(len(composed.pieces), "piece")
        terminal.say(("for the prompt", "bold"), (f"  {pieces}, {composed.tokens:,} tokens", "dim"))
        terminal.say((composed.text, "cyan"))
    elif not composed.withheld:
        terminal.say(("Nothing relevant was learned for this task.", "dim"))
        terminal.say(("List everything: heedful learnings list, heedful corrections list", "dim"))
    for note in composed.notes:
        terminal.say(("! ", "yellow"), note)
    if composed.withheld:
        terminal.say(("withheld to measure whether it helps  ", "dim"), ", ".join(composed.withheld))
    if composed.hint_examples:
        terminal.say((f"{counted(len(composed.hint_examples), 'example')} of its layout: add --json", "dim"))
    _say_id(terminal, composed)


def _say_id(terminal: Terminal, composed: Context, to: Console | None = None) -> None:
    if composed.id is not None:
        terminal.say((f"heedful outcome {composed.id} --success", "dim"), to=to)


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
