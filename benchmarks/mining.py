"""What mining finds in real conversations, how much of it is proven and new, and how fast it is.

    python benchmarks/mining.py [--sessions PATH] [--labels FILE] [--page FILE] [--verdicts FILE] [--archive MB]

Sessions of developers with coding agents are read into a fresh database, as `heedful mine` does, and mined by a worker:
those of HEEDFUL_DATA, or your own with `--sessions`. Talks of friends and minutes of meetings are mined as well: they
are worth nothing to a developer, and should give next to nothing.

`--labels` names a file of what people said that should be remembered, one JSON object on a line with `words` as they
stand in the session (and `plain`: false for what is open to doubt): how much of it is found?
`--page` writes what was learned, one JSON object on a line, for people to read: nothing else tells whether it is worth
keeping. With a field `verdict` (keep, so-so, junk) added to each line, `--verdicts` counts them.
`--archive` repeats the sessions under other names until there are so many megabytes, stops in the middle, and goes on.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import os
import re
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, count
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any

import numpy as np
import orjson
from rich.console import Console
from rich.table import Table

import heedful
from heedful.edges.worker import Worker
from heedful.learnings.dedupe import Statement, compared
from heedful.learnings.kind import Relation
from heedful.learnings.kinds.insight import InsightWording
from heedful.providers.embedder import LocalEmbedder
from heedful.records.insight import Insight
from heedful.records.mining import MINE_JOB, SAID, Mined, MiningOutcome

TURNS = 40  # of a meeting, as one conversation
COVERED = 0.7  # of the words of a label or of a quote

console = Console(highlight=False, markup=False)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--sessions", type=Path, help="a file or folder of transcripts")
    options.add_argument("--labels", type=Path, help="what should be found, as JSON lines")
    options.add_argument("--page", type=Path, help="write what was learned, as JSON lines")
    options.add_argument("--verdicts", type=Path, help="such a page, with a verdict on each line")
    options.add_argument("--archive", type=int, metavar="MB", help="read so much, with an interruption")
    chosen = options.parse_args()
    if chosen.verdicts:
        verdicts(chosen.verdicts)
        return
    sessions = chosen.sessions or _data("g_dev_conversations/specstory_sessions.jsonl")
    with tempfile.TemporaryDirectory() as folder, heedful.open(Path(folder, "mining.db")) as loop:
        learned = developers(loop, sessions)
        if chosen.labels:
            labels(loop, learned, chosen.labels)
        if chosen.page:
            page(learned, chosen.page)
    if chosen.sessions:
        return
    with tempfile.TemporaryDirectory() as folder, heedful.open(Path(folder, "talks.db")) as loop:
        talks(loop)
    if chosen.archive:
        archive(sessions, chosen.archive)


# Sessions of developers


def developers(loop: heedful.Loop, sessions: Path) -> list[Insight]:
    started = time.perf_counter(), time.process_time()
    read = loop.capture.transcripts(sessions)
    read_in = time.perf_counter() - started[0]
    Worker(loop, only=(MINE_JOB,)).run_all()
    wall, cpu = time.perf_counter() - started[0], time.process_time() - started[1]
    mined = list(loop.govern.conversations.all())
    learned = list(loop.govern.learnings.all(kind="insight"))
    table = _table("Sessions of developers", "")
    _rate(table, mined)
    table.add_row("learnings that hold, rules among them", f"{len(learned)}, {sum(one.rule for one in learned)}")
    table.add_row("by category", ", ".join(f"{n} {name}" for name, n in _categories(learned)))
    table.add_row("mean confidence", f"{fmean(one.confidence for one in learned):.2f}" if learned else "–")
    table.add_row("evidence that occurs in its message (goal 100%)", f"{_proven(loop, learned):.1%}")
    table.add_row("duplicates among them (goal < 5%)", f"{_duplicates(learned):.1%}")
    seconds = [one.seconds for one in mined]
    table.add_row("a conversation, p50 / p95 / longest (goal < 5 s)", _spread(seconds))
    table.add_row(
        "conversations a second, wall / of one core (goal 20)", f"{len(mined) / wall:.0f} / {len(mined) / cpu:.0f}"
    )
    table.add_row("reading alone", f"{read_in:.1f} s, {read.messages:,} messages")
    table.add_row("peak memory (goal < 200 MB)", f"{_peak():.0f} MB")
    console.print(table)
    return learned


def labels(loop: heedful.Loop, learned: list[Insight], file: Path) -> None:
    """A label is found if a learning quotes the words, or most of them."""
    wanted = [orjson.loads(line) for line in file.read_bytes().splitlines() if line.strip()]
    said = [" ".join(event.after["text"].split()).casefold() for event in loop.events(kind=SAID)]
    quotes = [_terms(quote.text) for one in learned for quote in one.quotes[:1]]
    table = _table("What people said that should be remembered", "")
    for name, plain in (("plainly said", True), ("open to doubt", False)):
        some = [one for one in wanted if one.get("plain", True) is plain]
        heard = [one for one in some if any(" ".join(one["words"].split()).casefold() in text for text in said)]
        found = [one for one in some if any(_covered(_terms(one["words"]), quote) for quote in quotes)]
        if some:
            table.add_row(f"{name}: found (goal 60%)", f"{len(found)} of {len(some)}, {len(found) / len(some):.0%}")
            table.add_row(f"{name}: among the words that were read at all", f"{len(heard)} of {len(some)}")
    console.print(table)


def _terms(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


def _covered(words: frozenset[str], quote: frozenset[str]) -> bool:
    return len(words & quote) >= COVERED * min(len(words), len(quote)) and len(words & quote) >= min(len(words), 3)


def page(learned: list[Insight], file: Path) -> None:
    lines = [
        {
            "verdict": "",
            "title": one.title,
            "content": dict(one.content),
            "said_by": one.quotes[0].role.value,
            "quote": one.quotes[0].text,
            "confidence": round(one.confidence, 2),
            "category": one.category.value,
            "project": one.about,
            "times": 1 + one.confirmed,
        }
        for one in sorted(learned, key=lambda one: -one.confidence)
    ]
    file.write_bytes(b"\n".join(map(orjson.dumps, lines)) + b"\n")
    console.print(f"{len(lines)} learnings in {file}")


def verdicts(file: Path) -> None:
    judged = [orjson.loads(line) for line in file.read_bytes().splitlines() if line.strip()]
    table = _table("Verdicts of people who read what was learned", "", "mean confidence")
    for verdict, goal in (("keep", "goal at least 70%"), ("so-so", ""), ("junk", "goal at most 10%")):
        some = [one["confidence"] for one in judged if one["verdict"] == verdict]
        share = f"{len(some)} of {len(judged)}, {len(some) / len(judged):.0%} {goal}" if judged else "–"
        table.add_row(verdict, share, f"{fmean(some):.2f}" if some else "–")
    console.print(table)


def _categories(learned: list[Insight]) -> list[tuple[str, int]]:
    return Counter(one.category.value for one in learned).most_common()


def _proven(loop: heedful.Loop, learned: list[Insight]) -> float:
    """Looked up in what is stored, and not asked of the code that wrote it."""
    held = [
        " ".join(quote.text.rstrip("…").split()) in " ".join(str(loop.event(quote.message).after["text"]).split())
        for one in learned
        for quote in one.quotes
    ]
    return sum(held) / len(held) if held else 1.0


def _duplicates(learned: list[Insight]) -> float:
    """The share of learnings that another one makes superfluous."""
    vectors = LocalEmbedder().embed([_stated(one).gist() for one in learned])
    superfluous = set()
    for (i, one), (j, other) in combinations(enumerate(learned), 2):
        cosine = float(np.dot(vectors[i], vectors[j]))
        same = compared(_statement(one), _statement(other), cosine).relation is Relation.SAME
        if same and one.about == other.about:
            superfluous.add(max(i, j))
    return len(superfluous) / len(learned) if learned else 0.0


def _statement(one: Insight) -> Statement:
    return Statement(one.category.value, one.title, _stated(one).core())


def _stated(one: Insight) -> InsightWording:
    return InsightWording(one.title, one.content, one.tags)


# Talks that are worth nothing to a developer


def talks(loop: heedful.Loop) -> None:
    for id, turns in _talks():
        people = dict.fromkeys(turn["speaker"] for turn in turns)
        roles = {speaker: ("user", "assistant")[number % 2] for number, speaker in enumerate(people)}
        messages = [{"role": roles[turn["speaker"]], "text": turn["text"]} for turn in turns]
        loop.capture.conversation(messages, id=id, tool="talk")
    Worker(loop, only=(MINE_JOB,)).run_all()
    mined = list(loop.govern.conversations.all())
    table = _table("Talks of friends, and meetings", "")
    _rate(table, mined)
    for one in loop.govern.learnings.all(kind="insight"):
        table.add_row("learned wrongly", one.title)
    console.print(table)


def _talks() -> Iterator[tuple[str, list[Any]]]:
    for name in ("locomo", "qmsum"):
        for line in _data(f"b_memory_retrieval/{name}_conversations.jsonl").read_bytes().splitlines():
            talk = orjson.loads(line)
            for start in range(0, len(talk["turns"]), TURNS):
                yield f"{talk['conversation_id']}-{start}", talk["turns"][start : start + TURNS]


# An archive


class _Enough(Exception):
    """Somebody pressed Ctrl-C."""


def archive(sessions: Path, megabytes: int) -> None:
    lines = sessions.read_bytes().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "archive.jsonl")
        made = _write_archive(file, lines, megabytes)
        with heedful.open(Path(folder, "archive.db")) as loop:
            table = _table(f"An archive of {megabytes} MB, {made:,} conversations", "")
            started = time.perf_counter()
            try:
                loop.capture.transcripts(file, progress=_half)
            except _Enough:
                table.add_row("stopped in the middle after", f"{time.perf_counter() - started:.0f} s")
            loop.capture.transcripts(file)
            table.add_row("read", f"{file.stat().st_size / (time.perf_counter() - started) / 1e6:.1f} MB/s")
            started = time.perf_counter()
            Worker(loop, only=(MINE_JOB,)).run_all()
            mined = list(loop.govern.conversations.all())
            table.add_row("mined", f"{len(mined) / (time.perf_counter() - started):.0f} conversations a second")
            table.add_row("conversations mined once", f"{len({one.conversation for one in mined}):,} of {made:,}")
            table.add_row("of these, mined twice", f"{len(mined) - len({one.conversation for one in mined}):,}")
            table.add_row("peak memory", f"{_peak():.0f} MB")
            console.print(table)


def _half(done: int, total: int) -> None:
    if 2 * done > total:
        raise _Enough


def _write_archive(file: Path, lines: list[bytes], megabytes: int) -> int:
    with file.open("wb") as out:
        for number in count():
            if out.tell() > megabytes * 1_000_000:
                return number
            session = orjson.loads(lines[number % len(lines)])
            session["session_id"] = f"{session['session_id']}-{number}"
            out.write(orjson.dumps(session) + b"\n")
    raise AssertionError


# Showing


def _rate(table: Table, mined: list[Mined]) -> None:
    outcomes = Counter(one.outcome for one in mined)
    table.add_row("conversations", f"{len(mined)}")
    table.add_row(
        "that taught something", f"{(outcomes[MiningOutcome.LEARNED] + outcomes[MiningOutcome.KNOWN]) / len(mined):.1%}"
    )
    table.add_row("what came of them", ", ".join(f"{n} {outcome.value}" for outcome, n in outcomes.most_common()))


def _spread(seconds: list[float]) -> str:
    parts = quantiles(seconds, n=100)
    return f"{parts[49] * 1e3:.0f} / {parts[94] * 1e3:.0f} / {max(seconds) * 1e3:.0f} ms"


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_header=False)
    for column in ("what", *columns):
        table.add_column(column)
    return table


def _data(name: str) -> Path:
    folder = os.environ.get("HEEDFUL_DATA")
    if not folder or not Path(folder, name).is_file():
        raise SystemExit(f"Set HEEDFUL_DATA to the folder that holds {name}.")
    return Path(folder, name)


if __name__ == "__main__":
    main()
