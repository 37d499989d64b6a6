"""How well reviewers' remarks are grouped and become rules, how well conflicts of rules are found, and how fast.

    python benchmarks/review.py [--cases benchmarks/cases/reviews] [--most 2] [--show] [--model] [--records 100000]

Each case is a team: reviews as people write them, each with the concern it is about, and which concerns deserve a rule.
The cases, and the pairs of rules (benchmarks/cases/rules), were written by language models that had seen neither the
code nor one another's cases; those in `seen` were looked at while the constants were chosen, the others not. Grouping
is compared with TF-IDF at its best threshold for these cases. With HEEDFUL_DATA, it is also measured on real comments
of code review, grouped by their category. With --show, every proposal is printed beside what a team lead would have
written. With --model, the language model of HEEDFUL_LLM evaluates and words. --records measures speed with so many
reviews.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import os
import random
import resource
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import mean, median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import orjson
from rich.console import Console
from rich.progress import track
from rich.table import Table

import heedful
from heedful.learn.reviews.clusters import Clustered, clusters
from heedful.learnings.conflicts import OtherRule, RuleConflicts
from heedful.learnings.kinds.remark import RemarkWording
from heedful.learnings.table import LearningTable
from heedful.providers.embedder import LocalEmbedder
from heedful.records.proposal import ConflictKind, Proposal
from heedful.records.review import REVIEWED
from heedful.records.rule import RuleType, RuleWords
from heedful.settings import Settings
from heedful.store.vectors import NewVector, packed
from heedful.text.edits import edits, summary
from heedful.text.terms import terms

Case = dict[str, Any]
ARGUMENTS = ("agent", "decision", "output", "approved", "comment", "reviewer", "gate", "task", "tags")
LEAST = 3  # members of a cluster that could become a rule


def read(folder: Path) -> list[Case]:
    return [orjson.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_bytes().splitlines()]


class Item(NamedTuple):
    label: str
    group: str
    tags: frozenset[str]
    words: RemarkWording


class Grouping(NamedTuple):
    """How well pairs of remarks were put together."""

    both: int = 0
    only_ours: int = 0
    only_theirs: int = 0

    def __add__(self, other: object) -> Grouping:
        assert isinstance(other, Grouping)
        return Grouping(*(one + two for one, two in zip(self, other, strict=True)))

    @property
    def precision(self) -> float:
        return self.both / max(1, self.both + self.only_ours)

    @property
    def recall(self) -> float:
        return self.both / max(1, self.both + self.only_theirs)

    @property
    def f1(self) -> float:
        return 2 * self.both / max(1, 2 * self.both + self.only_ours + self.only_theirs)


def items(case: Case) -> list[Item]:
    """The remarks of a team that want something changed. One that shares its concern with nobody has its own."""
    found = []
    for review in case["reviews"]:
        changed = review["approved"] if review["approved"] != review["output"] else None
        what = summary(edits(review["output"], changed)) if changed else ""
        if review["decision"] != "APPROVED" and (review["comment"] or what):
            words = RemarkWording(review["comment"] or "", what, tuple(sorted(review["tags"])), review["output"][:200])
            label = review["concern"] or f"only {review['n']}"
            found.append(Item(label, review["agent"], frozenset(review["tags"]), words))
    return found


def grouped(found: Sequence[Item], embedder: LocalEmbedder) -> list[tuple[int, ...]]:
    vectors = embedder.embed([item.words.gist() for item in found])
    remarks = [
        Clustered(f"{at:06}", item.group, item.tags, packed(vector))
        for at, (item, vector) in enumerate(zip(found, vectors, strict=True))
    ]
    groups = [tuple(map(int, cluster.members)) for cluster in clusters(remarks)]
    alone = set(range(len(found))) - {at for group in groups for at in group}
    return [*groups, *((at,) for at in sorted(alone))]


def scored(found: Sequence[Item], groups: Sequence[Sequence[int]]) -> Grouping:
    where = {at: number for number, group in enumerate(groups) for at in group}
    result = Grouping()
    for one, two in combinations(range(len(found)), 2):
        ours, theirs = where[one] == where[two], found[one].label == found[two].label
        result += Grouping(ours and theirs, ours and not theirs, theirs and not ours)
    return result


def purities(found: Sequence[Item], groups: Sequence[Sequence[int]]) -> list[float]:
    large = [group for group in groups if len(group) >= LEAST]
    return [Counter(found[at].label for at in group).most_common(1)[0][1] / len(group) for group in large]


def tf_idf(found: Sequence[Item], threshold: float) -> list[tuple[int, ...]]:
    """The same stars, with cosines of words instead of meanings."""
    counts = [Counter(terms(item.words.gist())) for item in found]
    having = Counter(term for one in counts for term in one)
    weights = [{term: n * np.log((1 + len(found)) / having[term]) for term, n in one.items()} for one in counts]
    lengths = [np.sqrt(sum(w * w for w in one.values())) or 1.0 for one in weights]

    def near(one: int, two: int) -> float:
        return float(sum(w * weights[two].get(t, 0.0) for t, w in weights[one].items()) / lengths[one] / lengths[two])

    links = {
        at: [o for o in range(len(found)) if o != at and found[o].group == found[at].group and near(at, o) >= threshold]
        for at in range(len(found))
    }
    left, groups = set(links), list[tuple[int, ...]]()
    for at in sorted(links, key=lambda one: -len(links[one])):
        if at in left:
            members = (at, *(one for one in links[at] if one in left))
            left -= set(members)
            groups.append(members)
    return groups


def show_grouping(console: Console, title: str, sets: Sequence[Sequence[Item]], embedder: LocalEmbedder) -> None:
    ours = [(found, grouped(found, embedder)) for found in sets]
    by_threshold = {t: [(found, tf_idf(found, t)) for found in sets] for t in (0.1, 0.15, 0.2, 0.3, 0.4)}
    best = max(by_threshold.values(), key=lambda one: sum((scored(*pair) for pair in one), Grouping()).f1)
    table = Table("", "precision", "recall", "F1", f"clusters of {LEAST} or more", "their purity", title=title)
    for name, groups in (("heedful", ours), ("TF-IDF, best threshold", best)):
        total = sum((scored(*pair) for pair in groups), Grouping())
        pure = [purity for pair in groups for purity in purities(*pair)]
        shares = (f"{value:.2f}" for value in (total.precision, total.recall, total.f1))
        table.add_row(name, *shares, str(len(pure)), f"{mean(pure):.2f}" if pure else "–")
    console.print(table)


# Proposals


def proposals(case: Case, *, model: bool) -> list[Proposal]:
    settings = Settings.read() if model else Settings("", llm=())
    with TemporaryDirectory() as folder, heedful.open(Path(folder) / "heedful.db", settings=settings) as loop:
        for review in case["reviews"]:
            given = {name: review[name] for name in ARGUMENTS if review[name] is not None}
            given = {
                name: value for name, value in given.items() if name != "approved" or review["decision"][-1] == "S"
            }
            loop.capture.review(**given, id=str(review["n"]))
        for review in case["reviews"]:
            loop.learn.reviews.evaluate(str(review["n"]))
        loop.learn.reviews.propose()
        return list(loop.govern.proposals.all())


def show_proposals(console: Console, cases: Sequence[Case], *, show: bool, model: bool) -> None:
    made = right = wanted = found = 0
    for case in track(cases, "proposing rules", console=console, transient=True):
        labels = {str(review["n"]): review["concern"] for review in case["reviews"]}
        worthy = {one["id"]: one for one in case["concerns"] if one["rule_worthy"]}
        hit = set()
        for one in proposals(case, model=model):
            counts = Counter(labels[id] for id in one.evidence)
            concern, count = counts.most_common(1)[0]
            good = concern in worthy and 2 * count > len(one.evidence)
            made, right = made + 1, right + good
            hit |= {concern} if good else set()
            if show:
                says = worthy[concern]["rule"] if concern in worthy else "(deserves no rule)"
                console.print(
                    f"[{'green' if good else 'red'}]{case['id']} {dict(counts)}[/]  {one.rule}  [dim]{says}[/]"
                )
        wanted, found = wanted + len(worthy), found + len(hit)
    console.print(
        f"Proposals: {made}; about one concern that deserves a rule {right / max(1, made):.2f}; "
        f"of {wanted} such concerns proposed {found / max(1, wanted):.2f}"
    )


# Conflicts


def show_conflicts(console: Console, pairs: Sequence[Mapping[str, str]], embedder: LocalEmbedder) -> None:
    with TemporaryDirectory() as folder, heedful.open(Path(folder) / "heedful.db") as loop:
        finder = RuleConflicts(loop.store, embedder)
        counts: Counter[tuple[str, str]] = Counter()
        for pair in pairs:
            conflicts = finder.of(_rule(pair["a"]), [OtherRule("other", _rule(pair["b"]), True)])
            counts[pair["label"], conflicts[0].kind.value if conflicts else "none"] += 1
    columns = [*(kind.value for kind in ConflictKind), "none"]
    table = Table("the pair is", *columns, title="Conflicts of rules")
    for label in ("conflict", "same", "narrower", "different"):
        table.add_row(label, *(str(counts[label, column]) for column in columns))
    console.print(table)
    asked = [ConflictKind.CONTRARY.value, ConflictKind.UNSURE.value]
    hits = sum(counts["conflict", kind] for kind in asked)
    false = sum(n for (label, kind), n in counts.items() if kind in asked and label != "conflict")
    total = sum(n for (label, _), n in counts.items() if label == "conflict")
    console.print(
        f"Called contrary or asked about: precision {hits / max(1, hits + false):.2f}, "
        f"recall {hits / max(1, total):.2f}; "
        f"conflicts called the same: {counts['conflict', 'same']} of {total}"
    )


def _rule(text: str) -> RuleWords:
    return RuleWords(text, RuleType.GUIDELINE, ("agent",), "end")


# Speed


def show_speed(console: Console, count: int, cases: Sequence[Case]) -> None:
    """Reviews made of the words of the cases, so that many are alike."""
    dice = random.Random(1)
    with TemporaryDirectory() as folder, heedful.open(Path(folder) / "heedful.db") as loop:
        new = _fill(console, loop, count, cases, dice)
        took = [_timed(partial(loop.learn.reviews.evaluate, id)) for id in new]
        console.print(
            f"{count:,} reviews: evaluating one more {median(took):.0f} ms, p95 {quantiles(took, n=20)[-1]:.0f} ms"
        )
        started = time.perf_counter()
        made = loop.learn.reviews.propose()
        seconds, memory = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        console.print(f"{count:,} reviews: {len(made)} proposals in {seconds:.0f} s; at most {memory:.0f} MB of memory")


def _fill(console: Console, loop: heedful.Loop, count: int, cases: Sequence[Case], dice: random.Random) -> list[str]:
    """Vectors are noisy copies of real ones: embedding so many would take an hour, and is not what is measured."""
    reviews = [review for case in cases for review in case["reviews"] if review["comment"]]
    texts = [RemarkWording(one["comment"], "", tuple(one["tags"]), one["output"][:200]).gist() for one in reviews]
    embedded = LocalEmbedder().embed(texts)
    noise = np.random.default_rng(1)
    table, name = LearningTable(loop.store), LocalEmbedder().name
    for start in track(range(0, count, 5_000), f"recording {count:,} reviews", console=console, transient=True):
        chosen = [dice.randrange(len(reviews)) for _ in range(min(5_000, count - start))]
        drafts = [_draft(loop, reviews[at], start + n, dice) for n, at in enumerate(chosen)]
        with loop.store.recording() as record:
            new = record.append_new(drafts)
            rows = embedded[chosen] + noise.normal(0, 0.03, (len(chosen), embedded.shape[1])).astype(np.float32)
            written = [NewVector(event.seq, event.seq, packed(row)) for event, row in zip(new, rows, strict=True)]
            table.put_vectors(record.transaction, name, written)
            record.transaction.execute("delete from job", {})
    ids = []
    for number in range(40):
        review = dice.choice(reviews)
        given = {"comment": review["comment"], "output": review["output"], "reviewer": f"new {number}"}
        ids.append(loop.capture.review("agent-1", "REJECTED", **given, id=f"new-{number}").id)
    return ids


def _draft(loop: heedful.Loop, review: Case, number: int, dice: random.Random) -> Any:
    meta = {
        "decision": "REJECTED",
        "comment": review["comment"],
        "task": f"T-{number}",
        "voice": f"v{dice.randrange(50)}",
    }
    meta |= {"tags": review["tags"]} if review["tags"] else {}
    return loop.capture.draft(
        REVIEWED,
        entity=("agent", f"agent-{dice.randrange(5)}"),
        before={"output": review["output"][:200]},
        meta=meta,
        id=f"many-{number}",
    )


def _timed(call: Any) -> float:
    started = time.perf_counter()
    call()
    return 1_000 * (time.perf_counter() - started)


def nova(path: Path) -> Iterator[Item]:
    for line in path.read_bytes().splitlines():
        row = orjson.loads(line)
        yield Item(row["category"], "nova", frozenset(), RemarkWording(row["comment"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=Path, default=Path(__file__).parent / "cases" / "reviews")
    parser.add_argument("--rules", type=Path, default=None, help="Pairs of rules; beside the cases by default.")
    parser.add_argument("--most", type=int, default=None, help="Only the first so many teams.")
    parser.add_argument("--show", action="store_true", help="Print every proposal.")
    parser.add_argument("--model", action="store_true", help="Ask the language model of HEEDFUL_LLM.")
    parser.add_argument("--records", type=int, default=0, help="Measure speed with so many reviews.")
    chosen = parser.parse_args()
    console, embedder = Console(), LocalEmbedder()
    cases = read(chosen.cases)[: chosen.most]
    if chosen.records:
        show_speed(console, chosen.records, cases)
        return
    show_grouping(console, f"Remarks of {len(cases)} teams", [items(case) for case in cases], embedder)
    data = Path(os.environ.get("HEEDFUL_DATA", "")) / "j_hitl_review" / "review_comments_nova.jsonl"
    if data.is_file():
        show_grouping(console, "Comments on changes to Nova, by category", [list(nova(data))], embedder)
    show_proposals(console, cases, show=chosen.show, model=chosen.model)
    rules = chosen.rules or Path(str(chosen.cases).replace("reviews", "rules"))
    show_conflicts(console, read(rules), embedder)


if __name__ == "__main__":
    main()
