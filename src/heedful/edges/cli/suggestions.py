"""fix, stats: record decisions about suggestions, and show acceptance rates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from heedful.capture import suggestions as fixes
from heedful.edges.cli.events import item, record_lines
from heedful.edges.cli.terminal import DONE, Part, Terminal, command, counted, limit_option
from heedful.errors import InvalidInput
from heedful.operations.operation import operation_of
from heedful.records.event import document
from heedful.records.suggestion import Decision

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.interval import Interval
    from heedful.records.statistics import CalibrationReport, RuleStatistics, Statistics

_BAR = 20
_LOW, _HIGH = 0.5, 0.9
_FEW = 100


@command(
    'heedful fix --rule no-passive --decision modified --original "was done" --suggested did --final "we did"\n'
    "heedful fix --file decisions.ndjson"
)
@click.option("--rule", help="The rule that the suggestion was made for.")
@click.option("--decision", type=click.Choice([decision.value for decision in Decision]))
@click.option("--category", help="The category of the rule. [general]")
@click.option("--original", help="The text before.")
@click.option("--suggested", help="The suggested text.")
@click.option("--final", help="The text after the decision.")
@click.option("--modification", help="The modified suggestion, if it differs from the final text.")
@click.option("--confidence", type=float, help="The stated confidence of the suggestion, 0 to 1.")
@click.option("--actor", help="Who decided.")
@click.option("--comment", help="The reason, in their words.")
@click.option("--rule-name", help="The display name of the rule.")
@click.option("--suggestion", help="Your id of the suggestion.")
@click.option("--deviation", help="Your id of the problem that it fixes.")
@click.option("--bulk", is_flag=True, default=None, help="Decided together with many others.")
@click.option("--at", metavar="TIME", help="Time of the decision, with time zone: 2026-01-05T09:00:00Z. [now]")
@click.option("--id", help="Your own id; recording it twice changes nothing.")
@click.option(
    "--file", type=click.Path(dir_okay=False, allow_dash=True), help="Decisions, one JSON object per line; - is stdin."
)
def fix(terminal: Terminal, file: str | None, at: str | None, **options: Any) -> None:
    """Record a decision about a suggestion.

    A file is validated completely before anything is recorded.
    """
    given = {name: value for name, value in {**options, "at": at}.items() if value is not None}
    if file is None and not {"rule", "decision"} <= given.keys():
        raise InvalidInput("--rule and --decision are required.", hint="Pass both, or --file.")
    if file is not None and given:
        raise InvalidInput("Options cannot be combined with --file.", hint="Drop the options or the file.")
    with terminal.loop() as loop:
        if file is not None:
            _fix_file(terminal, loop, file)
            return
        event = loop.capture.fix(**given)
        terminal.answer(document(event), DONE, f"{options['rule']}: {options['decision']} (number {event.seq:,})")


def _fix_file(terminal: Terminal, loop: Loop, file: str) -> None:
    redacted = partial(operation_of(loop.capture.fix).redacted, loop.store)
    decision = partial(item, hint='Write {"rule": "…", "decision": "accepted", …}.', ignored=("org", "seq"))
    record_lines(
        terminal,
        file,
        "decision",
        lambda line, number: fixes.checked_item(decision(line), number, redacted),
        lambda decisions: loop.capture.fixes(map(decision, decisions)),
    )


@command("heedful stats --period 30d\nheedful stats --category style --no-bulk --json\nheedful stats --calibration")
@click.option("--period", metavar="SPAN", help="Only the last days or weeks: 30d, 4w; or all. [all]")
@click.option("--since", metavar="TIME", help="First day: 2026-01-05, or an age: 7d, 4w.")
@click.option("--until", metavar="TIME", help="Last day.")
@click.option("--rule", "rules", multiple=True, help="Only this rule; repeatable.")
@click.option("--category", "categories", multiple=True, help="Only this category; repeatable.")
@click.option("--no-skipped", is_flag=True, help="Exclude skipped suggestions.")
@click.option("--no-bulk", is_flag=True, help="Exclude bulk decisions.")
@click.option("--calibration", is_flag=True, help="Show the calibration of stated confidences instead.")
@limit_option(20, " rules, most feedback first")
def stats(terminal: Terminal, calibration: bool, limit: int, **options: Any) -> None:
    """Show acceptance rates for suggestions.

    By rule and by category, with 95% intervals.
    """
    with terminal.existing() as loop:
        if calibration:
            if any(value for name, value in options.items() if name != "rules"):
                raise InvalidInput(
                    "--calibration covers all time and all categories.", hint="Combine it only with --rule."
                )
            _calibration(terminal, loop, options["rules"])
            return
        filters: dict[str, Any] = {
            name: options[name] or None for name in ("period", "since", "until", "rules", "categories")
        }
        excluded = {"exclude_skipped": options["no_skipped"], "exclude_bulk": options["no_bulk"]}
        found = loop.measure.statistics(**filters, **excluded)
        if terminal.json:
            terminal.line(found)
        elif not found.total_feedback:
            terminal.say(("No feedback matches. Record some: heedful fix --help", "dim"))
        else:
            _show_statistics(terminal, loop.name, found, limit)


def _show_statistics(terminal: Terminal, org: str, found: Statistics, limit: int) -> None:
    start, end = found.period.start or "the beginning", found.period.end or "today"
    decisions, rules = counted(found.total_feedback, "decision"), counted(found.rules_with_feedback, "rule")
    terminal.say((org, "bold"), f"  {decisions} about {rules}, from {start} to {end}")
    terminal.say("  accepted  ", *rate(found.overall_acceptance_rate, found.overall_acceptance_interval))
    terminal.say("  modified  ", *rate(found.modification_rate, found.modification_interval, plain=True))
    terminal.say("  skipped   ", *rate(found.skip_rate, found.skip_interval, plain=True))
    _show_trend(terminal, found)
    most = sorted(found.by_rule.values(), key=lambda rule: (-rule.feedback_count, rule.rule_id))
    terminal.say(("\nby rule", "bold"))
    for rule in most[:limit]:
        terminal.say(*_rule(rule))
    if len(most) > limit:
        terminal.say((f"  and {len(most) - limit:,} more", "dim"))
    terminal.say(("\nby category", "bold"))
    for category in found.by_category.values():
        shown = "  ".join(
            f"{sign} {', '.join(names)}"
            for sign, names in (("✓", category.top_accepted_rules), ("✗", category.top_rejected_rules))
            if names
        )
        bar = rate(category.acceptance_rate, category.acceptance_interval)
        terminal.say(f"  {category.feedback_count:>7,}  ", *bar, f"  {category.category}", (f"   {shown}", "dim"))


def _show_trend(terminal: Terminal, found: Statistics) -> None:
    trend, interval = 100 * found.acceptance_rate_trend, found.acceptance_rate_trend_interval
    if interval is None:
        return
    sign: Part = ("▲", "green") if trend > 0 else ("▼", "red") if trend < 0 else "·"
    sure = (f"  ({100 * interval.low:+.1f} to {100 * interval.high:+.1f})", "dim")
    terminal.say("  trend     ", sign, f" {trend:+.1f} points against the seven days before", sure)


def _rule(rule: RuleStatistics) -> tuple[Part, ...]:
    right = "" if rule.confidence_accuracy is None else f"   confidence right {rule.confidence_accuracy:.0%}"
    bar = rate(rule.acceptance_rate, rule.acceptance_interval)
    id = "" if rule.rule_id == rule.rule_name else f" ({rule.rule_id})"
    return (f"  {rule.feedback_count:>7,}  ", *bar, f"  {rule.rule_name}", (f"{id}{right}", "dim"))


def _calibration(terminal: Terminal, loop: Loop, rules: tuple[str, ...]) -> None:
    if len(rules) > 1:
        raise InvalidInput("--calibration takes at most one --rule.", hint="Pass one --rule, or none.")
    found = loop.measure.calibration(*rules)
    if terminal.json:
        terminal.line(found)
    elif found.scores is None:
        terminal.say(("There are no decisions with a stated confidence yet.", "dim"))
    else:
        _show_calibration(terminal, found)


def _show_calibration(terminal: Terminal, found: CalibrationReport) -> None:
    scores = found.scores
    assert scores is not None
    what = found.rule_id or "all rules"
    terminal.say((what, "bold"), f"  {scores.sample_count:,} decisions with a stated confidence")
    terminal.say(f"  Brier score        stated {scores.brier_raw:.3f}   calibrated {scores.brier:.3f}")
    terminal.say(f"  calibration error  stated {scores.ece_raw:.3f}   calibrated {scores.ece:.3f}")
    terminal.say(("  lower is better; cross-validated by person", "dim"))
    if scores.sample_count < _FEW:
        terminal.say((f"  fewer than {_FEW} decisions: not reliable yet", "dim"))
    terminal.say("")
    terminal.say(("  stated        decisions   accepted", "dim"))
    for row in found.reliability:
        bar = "█" * round(row.accepted * _BAR)
        interval = f"{row.accepted:>5.0%}  ({row.accepted_low:.0%} to {row.accepted_high:.0%})"
        terminal.say(
            f"  {row.low:.1f} to {row.high:.1f}  {row.count:>11,}   ",
            (f"{bar:<{_BAR}}", "green"),
            f" {interval:<22} calibrated {row.calibrated:.2f}",
        )


def rate(rate: float, interval: Interval, *, plain: bool = False) -> tuple[Part, Part, Part]:
    style = "" if plain else "red" if rate < _LOW else "green" if rate > _HIGH else "yellow"
    bar = f"{'█' * round(rate * _BAR):<{_BAR}}"
    return (bar, style), f" {rate:>4.0%}", (f"  {f'({interval.low:.0%} to {interval.high:.0%})':<15}", "dim")
