"""demo: all stages with sample data, on a temporary database."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from heedful.edges.cli.serve import serve_sample
from heedful.edges.cli.terminal import Part, Terminal, command
from heedful.edges.worker import Worker
from heedful.errors import Conflict, MissingExtra
from heedful.loop import Loop, open
from heedful.records.event import Event
from heedful.records.job import Job, JobRequest, JobState
from heedful.store.extension import Extension, Reaction
from heedful.testing import FrozenClock, sample_acts, sample_fixes
from heedful.testing.weeks import WEEKS, play_weeks

_ORG = "acme"
_ACTS = 5_000
_FIXES = 400
_SUPPLIER = "hartmann"
_CORRECTION: dict[str, Any] = {
    "id": "order-4711-line-2",
    "actor": "dana",
    "entity": ("sku_mapping", "ABC-123"),
    "before": {"sku": "INT-998", "confidence": 0.61},
    "after": {"sku": "INT-999", "confidence": 1.0},
}


_SESSIONS = (
    (
        "Add a table for customers' addresses.",
        "I added the table, generated the migration and ran the tests.",
        "Always write migrations by hand, the generator drops our indexes.",
        "Understood, I wrote it by hand.",
    ),
    (
        "Add a column for the VAT number.",
        "I added the column and generated a migration for it.",
        "No. I said to always write migrations by hand, the generator drops our indexes.",
        "Sorry, it is written by hand now.",
    ),
)


def _remember(event: Event) -> JobRequest:
    return JobRequest("remember_mapping", {"event": event.id}, key=event.entity.id if event.entity else None)


def _do_remember(loop: Loop, job: Job) -> Mapping[str, Any]:
    event = loop.event(job.payload["event"])
    return {"customer_sku": event.entity and event.entity.id, "internal_sku": event.after.get("sku")}


_REACTION = Reaction("MAPPING_CONFIRMED", _remember)
_EXTENSION = Extension("demo", reactions=(_REACTION,), handlers={"remember_mapping": _do_remember})


@command("heedful demo\nheedful demo --serve")
@click.option("--serve/--no-serve", default=None, help="Serve the pages with this data at the end. [at a terminal]")
def demo(terminal: Terminal, serve: bool | None) -> None:
    """Show all stages with sample data.

    Uses a temporary database. At a terminal, or with --serve, heedful then runs on it, with a link that signs you in,
    until Ctrl-C.
    """
    serves = _is_attended(terminal) if serve is None else serve
    with tempfile.TemporaryDirectory() as folder:
        with open(Path(folder) / "demo.db", org=_ORG, extensions=[_EXTENSION]) as loop:
            summary = _play(terminal, loop)
        if terminal.json:
            terminal.line(summary)
        if serves:
            _serve_weeks(terminal, Path(folder) / "weeks.db")
        else:
            _heading(terminal, "next", "In a browser: heedful demo --serve. Your own database: heedful init")


def _is_attended(terminal: Terminal) -> bool:
    """Somebody is there to follow the link, and to end the server."""
    return not terminal.json and sys.stdin.isatty() and sys.stdout.isatty()


def _serve_weeks(terminal: Terminal, path: Path) -> None:
    """Another database: the events above are of two days, and pages show what becomes of weeks."""
    _heading(terminal, "look", "Twelve weeks of a small company, in your browser. When it ends, the data is gone.")
    clock = FrozenClock(datetime.now(UTC) - timedelta(weeks=WEEKS))
    with terminal.notices.status("twelve weeks pass"), open(path, org=_ORG, clock=clock) as loop:
        play_weeks(loop, clock)
        Worker(loop).run_all()
    serve_sample(terminal, str(path), _ORG)


def _play(terminal: Terminal, loop: Loop) -> dict[str, Any]:
    captured = _capture(terminal, loop)
    recorded = _fill(terminal, loop)
    worked = _work(terminal, loop)
    rebuilt = _learn(terminal, loop)
    prompt = _apply(terminal, loop)
    improved = _converse(terminal, loop)
    mined = _mine(terminal, loop)
    extracted = _read_documents(terminal, loop)
    counts = _measure(terminal, loop)
    totals = {"captured": captured, "recorded": recorded, **worked, "rebuilt": rebuilt}
    return {**totals, "prompt": prompt, "improved": improved, "mined": mined, "extracted": extracted, "by_kind": counts}


def _capture(terminal: Terminal, loop: Loop) -> str:
    _heading(terminal, "capture", "Dana corrects what the model suggested. The act becomes an event.")
    event = loop.capture.event("MAPPING_CONFIRMED", **_CORRECTION)
    _say(terminal, "event", f"{event.kind} by {event.actor}: {event.before['sku']} → {event.after['sku']}")
    again = loop.capture.event("MAPPING_CONFIRMED", **_CORRECTION)
    _say(terminal, "again", f"sent twice, recorded once: still number {again.seq} of the log")
    try:
        loop.capture.event("MAPPING_CONFIRMED", **{**_CORRECTION, "after": {"sku": "INT-1"}})
    except Conflict as error:
        _say(terminal, "refused", error.message)
    return event.id


def _fill(terminal: Terminal, loop: Loop) -> int:
    _heading(terminal, "store", "Two days of an order desk, a style checker and agent reviews.")
    started = datetime.now(UTC)
    count = loop.capture.events(sample_acts(_ACTS, start=started - timedelta(minutes=_ACTS / 2)))
    seconds = (datetime.now(UTC) - started).total_seconds()
    _say(terminal, "events", f"{count:,} in {seconds:.2f} s, safe on disk, with their counters and jobs")
    latest = next(loop.events(kind="MAPPING_CONFIRMED", newest_first=True))
    _say(terminal, "newest", f"{latest.kind} of {latest.entity.id if latest.entity else ''} by {latest.actor}")
    return count


def _work(terminal: Terminal, loop: Loop) -> dict[str, int]:
    queued = loop.jobs.count_by_state()[JobState.QUEUED]
    _heading(terminal, "work", f"Each confirmed mapping queued a job, once: {queued:,} of them.")
    outcomes = Counter[str]()
    worker = Worker(loop, watch=lambda progress: outcomes.update([progress.outcome]))
    with terminal.notices.status("working"):
        worker.run_all()
    done = next(iter(loop.jobs.all(limit=1)))
    _say(terminal, "jobs", f"{outcomes['completed']:,} completed; the last one: {_arrow(done)}")
    return {"jobs_completed": outcomes["completed"]}


def _arrow(job: Job) -> str:
    result = job.result or {}
    return f"{result.get('customer_sku')} → {result.get('internal_sku')}"


def _learn(terminal: Terminal, loop: Loop) -> bool:
    _heading(terminal, "learn", "Derived data can be deleted and rebuilt from the log.")
    lived = loop.measure.activity()
    loop.learn.rebuild()
    same = loop.measure.activity() == lived
    _say(terminal, "rebuild", f"{len(lived):,} counters rebuilt: {'the same' if same else 'DIFFERENT'}")
    return same


def _apply(terminal: Terminal, loop: Loop) -> str:
    _heading(terminal, "apply", "What people decided about a style checker's suggestions goes into its next prompt.")
    count = loop.capture.fixes(sample_fixes(_FIXES, start=datetime.now(UTC) - timedelta(days=2)))
    context = loop.apply.rule_context("plain-words")
    _say(terminal, "learned", f"from {count:,} decisions; of them {context.sample_count:,} about {context.rule_id}:")
    for line in context.prompt.splitlines():
        _say(terminal, "", (line, "cyan"))
    stated = 0.9
    _say(terminal, "honest", f"a stated confidence of {stated} has meant {context.confidence(stated)} here")
    return context.prompt


def _converse(terminal: Terminal, loop: Loop) -> str:
    _heading(terminal, "converse", "Somebody corrects a chat once, and it does not say so again.")
    query, output = "What does parse() return?", "The function returns an error"
    message = "Actually it should return nil, not an error"
    chat = loop.conversation(session="demo")
    chat.output(output, query=query)
    made = chat.message(message)
    _say(terminal, "output", output)
    _say(terminal, "message", message)
    if made is not None:
        sure = f"  {made.category}, confidence {made.confidence:.2f}"
        _say(terminal, "heard", (made.wrong, "red"), " → ", (made.right, "green"), (sure, "dim"))
    later = "parse() returns an error on bad input."
    improved = loop.conversation(session="another").improve(later, query="What about bad input to parse()?")
    _say(terminal, "later", later)
    _say(terminal, "improved", (improved.text, "green"))
    return improved.text


def _mine(terminal: Terminal, loop: Loop) -> dict[str, Any]:
    _heading(terminal, "mine", "Two sessions with a coding agent: what was said is there at the next prompt.")
    for number, said in enumerate(_SESSIONS):
        roles = ("user", "assistant")
        messages = [{"role": roles[at % 2], "text": text} for at, text in enumerate(said)]
        loop.capture.conversation(messages, id=f"session-{number}", project="shop", actor=("dana", "lee")[number])
        loop.learn.mine(f"session-{number}")
    learned = list(loop.govern.learnings.all(kind="insight"))
    for one in learned:
        _say(terminal, "learned", (one.title, "green"), (f"  said {1 + one.confirmed} times", "dim"))
        _say(terminal, "because", (f"“{one.quotes[0].text}”", "dim"))
    heard = loop.agents.prompt(
        "No, deploy with `make release`",
        last_output="I deployed it with `make ship`.",
        query="Deploy it",
        about="shop",
        actor="dana",
    )
    if heard.correction is not None:
        _say(terminal, "heard", f"“{heard.correction.said}”")
    later = loop.agents.prompt("Add the vouchers table, then deploy it, please", about="shop", actor="dana")
    whose = "Dana said it herself; her colleagues get it once somebody approves it: heedful learnings review"
    _say(terminal, "whose", (whose, "dim"))
    for line in later.context.splitlines()[2:-1]:
        _say(terminal, "prompt", (line, "cyan"))
    return {"learned": [one.title for one in learned], "prompt": later.context}


def _read_documents(terminal: Terminal, loop: Loop) -> dict[str, Any]:
    """Without the extra that reads PDF files, the demo leaves this out."""
    from heedful.testing.documents import sample_document  # noqa: PLC0415 - nothing else needs it

    _heading(
        terminal, "extract", "An operator corrects an invoice once, and the next one of that layout comes out right."
    )
    first, second = (sample_document(_SUPPLIER, number) for number in (1, 2))
    try:
        document = loop.capture.document(first.content, name=first.name, customer="C-9")
    except MissingExtra as error:
        _say(terminal, "left out", f"{error.message} {error.hint}")
        return {}
    draft = loop.apply.extract(document)
    wrong = {name: value for name, value in first.fields.items() if _plain(draft.values.get(name)) != _plain(value)}
    for name, value in wrong.items():
        _say(
            terminal, "dana", f"{name}: ", (str(draft.values.get(name, "nothing")), "red"), " → ", (str(value), "green")
        )
        draft = loop.capture.field_corrected(draft, name, value, by="dana")
    later = loop.apply.extract(loop.capture.document(second.content, name=second.name, customer="C-9"))
    for name in wrong:
        found = later.fields[name]
        how = f"  {found.how or found.source}, confidence {found.confidence:.2f}"
        _say(terminal, "next", f"{name}: ", (str(found.value), "green"), (how, "dim"))
    return {name: later.values.get(name) for name in wrong}


def _plain(value: object) -> str:
    return "".join(str(value).split())


def _measure(terminal: Terminal, loop: Loop) -> dict[str, int]:
    _heading(terminal, "measure", "What people did, by kind.")
    totals = Counter[str]()
    for count in loop.measure.activity():
        totals[count.key] += count.value
    largest = max(totals.values())
    for kind, total in totals.most_common():
        _say(terminal, "", f"{kind:<25} ", ("█" * round(total / largest * 30), "green"), f" {total:,}")
    return dict(totals)


def _heading(terminal: Terminal, stage: str, says: str) -> None:
    if not terminal.json:
        terminal.say(("\n" + stage, "bold cyan"), f"  {says}")


def _say(terminal: Terminal, label: str, *says: Part) -> None:
    if not terminal.json:
        terminal.say((f"  {label:<8} ", "dim"), *says)
