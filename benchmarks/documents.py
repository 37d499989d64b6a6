"""How well documents are recognised and extracted after corrections, and how fast.

    python benchmarks/documents.py [--cases benchmarks/cases/documents/seen] [--show] [--model] [--events 1000000]

The cases are documents of invented companies, written by language models that had not seen the code; those in `seen`
were looked at while the rules were written, the others not. With HEEDFUL_DATA, real invoices are measured as well. For
each supplier the first documents are corrected as an operator would, and the following ones are extracted: with 0, 1,
2 and 3 corrected documents, always the same following ones. Everything goes through the public API, all suppliers in
one organisation, so layouts must be recognised, too. Repeat suppliers: after one corrected document, how often the
supplier's name is right in noisy copies of the following ones. With --model, the language model of HEEDFUL_LLM
extracts. --events measures speed with so many events.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import ctypes
import math
import os
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import mean, median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import orjson
import pypdfium2 as pdfium
from pypdfium2 import raw
from rich.console import Console
from rich.progress import track
from rich.table import Table

import heedful
from heedful.learnings.documents.layout import fingerprint
from heedful.providers.pdf import PdfProcess
from heedful.records.document import DocumentDraft, DocumentText, PageText, Value, Word
from heedful.settings import Settings
from heedful.testing.documents import SUPPLIERS, sample_document
from heedful.text.printed_values import same
from heedful.text.tables import coverage, table_count

TAUGHT = (0, 1, 2, 3)
FIRST = max(TAUGHT)
CELLS = ("sku", "description", "qty", "uom", "price", "amount")
CONFUSED = {"O": "0", "0": "O", "l": "1", "1": "l", "I": "l", "S": "5", "5": "S", "B": "8"}
ORDERS = 5


class Case(NamedTuple):
    id: str
    supplier: str
    pages: list[dict[str, Any]]
    fields: dict[str, Value]
    lines: list[dict[str, Value]] | None
    noisy: bool = False


# Reading cases


def read(path: Path) -> list[Case]:
    return [_case(orjson.loads(line)) for line in path.read_bytes().splitlines() if line.strip()]


def _case(row: dict[str, Any]) -> Case:
    gold, words = row["gold"], defaultdict[int, list[list[Any]]](list)
    for page, *word in row["words"]:
        words[page].append(word)
    first = min(words, default=0)
    count = max(row["n_pages"], max(words, default=0) - first + 1)
    pages = [{"width": 595, "height": 842, "words": words[first + number]} for number in range(count)]
    fields = gold["fields"] if "fields" in gold else _old_fields(gold)
    return Case(row["id"], row["supplier"], pages, fields, gold.get("lines"), bool(row.get("noise")))


def _old_fields(gold: dict[str, Any]) -> dict[str, Value]:
    """Of the real invoices: five fields, as texts."""
    found: dict[str, Value] = {}
    for name in ("invoice_number", "seller", "buyer"):
        if gold.get(name):
            found[name] = str(gold[name])
    if date := str(gold.get("issue_date") or ""):
        found["issue_date"] = date if "-" in date else f"{date[:4]}-{date[4:6]}-{date[6:8]}"
    if gold.get("grand_total"):
        found["grand_total"] = float(gold["grand_total"])
    return found


def samples() -> list[Case]:
    found, reader = [], PdfProcess()
    for supplier in SUPPLIERS:
        for number in range(1, 8):
            made = sample_document(supplier, number)
            text = reader.read(made.content)
            pages = [
                {"width": page.width, "height": page.height, "words": [list(w) for w in page.words]}
                for page in text.pages
            ]
            found.append(Case(made.name, supplier, pages, dict(made.fields), [dict(line) for line in made.lines]))
    reader.close()
    return found


def text_of(case: Case) -> DocumentText:
    pages = tuple(
        PageText(float(page["width"]), float(page["height"]), tuple(Word(*word) for word in page["words"]))
        for page in case.pages
    )
    return DocumentText(pages, sum(map(table_count, pages)), coverage(pages))


# Layouts


def f1(cases: Sequence[Case], groups: dict[str, str]) -> float:
    both = ours = theirs = 0
    for one, other in combinations(cases, 2):
        alike, together = one.supplier == other.supplier, groups[one.id] == groups[other.id]
        both += alike and together
        ours += together
        theirs += alike
    return 2 * both / (ours + theirs) if ours + theirs else 1.0


def families(cases: Sequence[Case], folder: Path) -> dict[str, str]:
    """The families after all documents came in, one after the other."""
    with heedful.open(folder / f"families-{time.monotonic_ns()}.db", settings=_settings()) as loop:
        return {case.id: loop.capture.document_words(case.pages, name=case.id).family for case in cases}


def by_tfidf(cases: Sequence[Case]) -> tuple[float, float]:
    """The best threshold for these cases, and its F1: groups are connected components."""
    bags = [Counter(str(word[4]).lower() for page in case.pages for word in page["words"]) for case in cases]
    seen = Counter(word for bag in bags for word in bag)
    vectors = [{w: n * math.log(len(bags) / seen[w]) for w, n in bag.items()} for bag in bags]
    norms = [math.sqrt(sum(v * v for v in vector.values())) or 1.0 for vector in vectors]
    near = {
        (a, b): sum(v * vectors[b].get(w, 0.0) for w, v in vectors[a].items()) / norms[a] / norms[b]
        for a, b in combinations(range(len(cases)), 2)
    }
    return max((_components_f1(cases, near, step / 20), step / 20) for step in range(1, 20))


def _components_f1(cases: Sequence[Case], near: dict[tuple[int, int], float], least: float) -> float:
    group = list(range(len(cases)))
    for (a, b), cosine in near.items():
        if cosine >= least and group[a] != group[b]:
            old, new = group[a], group[b]
            group = [new if one == old else one for one in group]
    return f1(cases, {case.id: str(group[number]) for number, case in enumerate(cases)})


def measure_layouts(console: Console, name: str, cases: Sequence[Case], folder: Path) -> None:
    found = []
    for seed in track(range(ORDERS), "families", console=console, transient=True):
        shuffled = list(cases)
        random.Random(seed).shuffle(shuffled)
        found.append(f1(cases, families(shuffled, folder)))
    plain = f1(cases, {case.id: fingerprint(text_of(case)) for case in cases})
    table = Table(title=f"Layouts by supplier: {name}, {len(cases)} documents", title_justify="left")
    for heading in ("", "pairwise F1"):
        table.add_column(heading)
    table.add_row("heedful, mean and least of orders", f"{mean(found):.2f}, {min(found):.2f}")
    best, threshold = by_tfidf(cases)
    table.add_row(f"TF-IDF at its best threshold for these ({threshold:.2f})", f"{best:.2f}")
    table.add_row("fingerprint", f"{plain:.2f}")
    console.print(table)


# Fields


class Result(NamedTuple):
    right: set[tuple[str, str]]
    """Document and field."""
    wanted: int
    wrong: int
    """Values that were given, and are not right."""
    cells: int
    right_cells: int


def operate(loop: heedful.Loop, draft: DocumentDraft, case: Case) -> None:
    """An operator puts right what is wrong, and says that it is done."""
    for name, value in case.fields.items():
        found = draft.fields.get(name)
        if found is None or not same(found.value, value):
            loop.capture.field_corrected(draft, name, value, by="dana")
    for name, found in draft.fields.items():
        if name not in case.fields and case.lines is not None and found.value is not None:
            loop.capture.field_corrected(draft, name, None, by="dana")
    if case.lines is not None:
        _operate_lines(loop, draft, case.lines)
    loop.capture.draft_confirmed(draft, by="dana")


def _operate_lines(loop: heedful.Loop, draft: DocumentDraft, gold: Sequence[dict[str, Value]]) -> None:
    pairs = aligned(draft, gold)
    for number, wanted in pairs:
        if number is None:
            loop.capture.line_added(draft, values=wanted, by="dana")
            continue
        line = draft.line(number)
        assert line is not None
        changed: dict[str, Value | None] = {
            name: value for name, value in wanted.items() if not same(line.values.get(name), value)
        }
        changed |= {name: None for name in line.fields if name not in wanted and name in CELLS}
        if changed:
            loop.capture.line_corrected(draft, line=number, values=changed, by="dana")
    kept = {number for number, _ in pairs}
    for line in draft.lines:
        if line.number not in kept:
            loop.capture.line_removed(draft, line.number, by="dana")


def aligned(draft: DocumentDraft, gold: Sequence[dict[str, Value]]) -> list[tuple[int | None, dict[str, Value]]]:
    """Each true line with the extracted one that shares most with it, in order."""
    free = list(draft.lines)
    pairs: list[tuple[int | None, dict[str, Value]]] = []
    for wanted in gold:
        scored = [(sum(same(line.values.get(name), value) for name, value in wanted.items()), line) for line in free]
        best = max(scored, key=lambda pair: pair[0], default=(0, None))
        if best[1] is None or best[0] < 1:
            pairs.append((None, wanted))
            continue
        free = free[free.index(best[1]) + 1 :]
        pairs.append((best[1].number, wanted))
    return pairs


def following(cases: Sequence[Case], taught: int, folder: Path, language: Any = None) -> tuple[Result, list[str]]:
    """Extracts the documents after the first ones, of which so many were corrected."""
    right: set[tuple[str, str]] = set()
    wanted = wrong = cells = right_cells = 0
    shown: list[str] = []
    groups = defaultdict[str, list[Case]](list)
    for case in cases:
        groups[case.supplier].append(case)
    with heedful.open(folder / f"fields-{time.monotonic_ns()}.db", settings=_settings(), language=language) as loop:
        for number in range(taught):
            for members in groups.values():
                if number < len(members):
                    operate(
                        loop, loop.apply.extract(loop.capture.document_words(members[number].pages)), members[number]
                    )
        for members in groups.values():
            for case in members[FIRST:]:
                draft = loop.apply.extract(loop.capture.document_words(case.pages))
                for name, value in case.fields.items():
                    found = draft.fields.get(name)
                    wanted += 1
                    if found is not None and same(found.value, value):
                        right.add((case.id, name))
                    else:
                        shown.append(
                            f"{case.id} {name}: {None if found is None else found.value!r}, right is {value!r}"
                        )
                    wrong += found is not None and found.value is not None and not same(found.value, value)
                for line, gold in aligned(draft, case.lines or []):
                    given = {} if line is None else draft.line(line).values  # type: ignore[union-attr]
                    cells += len(gold)
                    right_cells += sum(same(given.get(name), value) for name, value in gold.items())
    return Result(right, wanted, wrong, cells, right_cells), shown


def measure_fields(
    console: Console, name: str, cases: Sequence[Case], folder: Path, *, show: bool, language: Any = None
) -> None:
    table = Table(title=f"Extraction: {name}", title_justify="left")
    for heading in ("corrected documents", "fields right", "became wrong", "wrong values", "cells of lines right"):
        table.add_column(heading, justify="right")
    first: Result | None = None
    for taught in track(TAUGHT, "extracting", console=console, transient=True):
        found, shown = following(cases, taught, folder, language)
        first = first or found
        lost = len(first.right - found.right)
        share = f"{len(found.right) / max(1, found.wanted):.3f} of {found.wanted}"
        lines = f"{found.right_cells / found.cells:.3f}" if found.cells else "–"
        table.add_row(str(taught), share, str(lost), str(found.wrong), lines)
        if show and taught in (0, FIRST):
            console.print(f"[bold]{taught} corrected:[/]")
            for line in shown:
                console.print(f"  {line}", markup=False, highlight=False)
            for one in sorted(first.right - found.right):
                console.print(f"  became wrong: {one}", markup=False)
    console.print(table)


# Repeat suppliers


def noisy(case: Case, rng: random.Random) -> Case:
    """As a text recognition might read it: letters confused, words cut, joined and lost, the page moved."""
    dx, dy, scale = rng.uniform(-0.02, 0.02), rng.uniform(-0.02, 0.02), rng.uniform(0.98, 1.02)
    pages = []
    for page in case.pages:
        words = [
            [*_moved(word[:4], dx, dy, scale), _misread(str(word[4]), rng)]
            for word in page["words"]
            if rng.random() > 0.03
        ]
        pages.append({**page, "words": [word for word in words if word[4]]})
    return case._replace(id=f"{case.id}~", pages=pages, noisy=True)


def _moved(box: Sequence[float], dx: float, dy: float, scale: float) -> list[float]:
    x0, y0, x1, y1 = box
    return [max(0.0, min(1.0, part)) for part in (x0 * scale + dx, y0 * scale + dy, x1 * scale + dx, y1 * scale + dy)]


def _misread(text: str, rng: random.Random) -> str:
    letters = [CONFUSED.get(letter, letter) if rng.random() < 0.06 else letter for letter in text]
    if len(letters) > 5 and rng.random() < 0.04:
        letters = letters[: rng.randrange(3, len(letters))]
    return "".join(letters)


def sender(case: Case) -> str:
    """The field with the name of whoever sent it: orders come from whoever buys."""
    return "buyer" if "order_number" in case.fields and "invoice_number" not in case.fields else "seller"


def measure_repeats(console: Console, name: str, cases: Sequence[Case], copies: Sequence[Case], folder: Path) -> None:
    """After one corrected document of each supplier: its name in noisy copies of the others."""
    groups = defaultdict[str, list[Case]](list)
    for case in cases:
        groups[case.supplier].append(case)
    right: Counter[tuple[bool, bool]] = Counter()
    total: Counter[bool] = Counter()
    corrected: set[str] = set()
    for taught in (True, False):
        with heedful.open(folder / f"repeats-{time.monotonic_ns()}.db", settings=_settings()) as loop:
            for supplier, (first, *_) in groups.items() if taught else ():
                draft = loop.apply.extract(loop.capture.document_words(first.pages))
                found = draft.fields.get(sender(first))
                if found is None or not same(found.value, first.fields.get(sender(first))):
                    corrected.add(supplier)
                operate(loop, draft, first)
            for case in copies:
                if sender(case) not in case.fields:
                    continue
                found = loop.apply.extract(loop.capture.document_words(case.pages)).fields.get(sender(case))
                well = found is not None and same(found.value, case.fields[sender(case)])
                right[taught, case.supplier in corrected] += well
                total[case.supplier in corrected] += taught
    table = Table(title=f"Repeat suppliers, noisy documents: {name}", title_justify="left")
    for heading in ("the name in the first document was", "right with it", "right without"):
        table.add_column(heading)
    for label, which in (("corrected", True), ("right, and confirmed", False)):
        count = total[which]
        table.add_row(label, f"{right[True, which]} of {count}", f"{right[False, which]} of {count}")
    console.print(table)


# Speed


def measure_speed(console: Console, events: int, folder: Path) -> None:
    layouts = [f"{number:064x}" for number in range(1_000)]
    with heedful.open(folder / "speed.db", settings=_settings()) as loop:
        began = time.perf_counter()
        loop.capture.events(track(_acts(events, layouts), "recording", total=events, console=console, transient=True))
        console.print(f"{events:,} events in {time.perf_counter() - began:.0f} s")
        rng = random.Random(1)
        pages = _plain_page()
        document = loop.capture.document_words(pages, customer="C-9")
        drafts = [loop.apply.extract(document) for _ in range(30)]
        table = Table(title=f"Speed at {events:,} events, milliseconds", title_justify="left")
        for heading in ("", "p50", "p99"):
            table.add_column(heading, justify="right")
        calls: list[tuple[str, int, Callable[[], object]]] = [
            ("hint examples of a layout", 2_000, lambda: loop.apply.hint_examples(rng.choice(layouts))),
            (
                "a line corrected",
                300,
                lambda: loop.capture.line_corrected(rng.choice(drafts), line=1, qty=rng.randrange(99), by="dana"),
            ),
            (
                "a mapping confirmed",
                300,
                lambda: loop.capture.mapping_confirmed(f"A-{rng.random()}", "B", customer="C-9"),
            ),
            ("analytics of 90 days", 20, lambda: loop.measure.learning("90d", None)),
            ("a document received", 50, lambda: loop.capture.document_words(pages)),
            ("a document extracted", 50, lambda: loop.apply.extract(document)),
        ]
        for label, times, call in calls:
            taken = _timed(call, times)
            table.add_row(label, f"{median(taken):.2f}", f"{quantiles(taken, n=100)[98]:.2f}")
        console.print(table)


def _timed(call: Callable[[], object], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        taken.append((time.perf_counter() - began) * 1_000)
    return taken


def _acts(count: int, layouts: Sequence[str]) -> Iterator[dict[str, Any]]:
    rng, now = random.Random(0), time.time()
    kinds = ("EXTRACTION_LINE_CORRECTED", "EXTRACTION_FIELD_CORRECTED", "MAPPING_CONFIRMED", "CUSTOMER_SELECTED")
    for number in range(count):
        kind = kinds[min(3, int(rng.expovariate(1.2)))]
        at = _moment(now - 90 * 86_400 * (1 - number / count))
        field = rng.choice(("qty", "sku", "uom", "price"))
        after = {"field": field, field: number} if kind == kinds[1] else {field: number}
        yield {"kind": kind, "layout": rng.choice(layouts), "before": {field: 0}, "after": after, "at": at,
               "meta": {"input_snippet": "Order"}}  # fmt: skip


def _moment(seconds: float) -> Any:
    return datetime.fromtimestamp(seconds, UTC)


def _plain_page() -> list[dict[str, Any]]:
    case = read(Path("benchmarks/cases/documents/seen/documents.jsonl"))[0]
    return case.pages


def measure_reading(console: Console, files: Sequence[bytes]) -> None:
    """Reading a PDF in its own process, beside the bare library in this one."""

    def bare(content: bytes) -> None:
        document = pdfium.PdfDocument(content)
        for page in document:
            text = page.get_textpage()
            text.get_text_range()
            sides = [ctypes.c_double() for _ in range(4)]
            for place in range(text.count_chars()):
                raw.FPDFText_GetCharBox(text.raw, place, *sides)
            text.close()
            page.close()
        document.close()

    reader, ratios = PdfProcess(), []
    for content in files:
        ours, theirs = [], []
        for _ in range(9):
            ours += _timed(partial(_read_one, reader, content), 1)
            theirs += _timed(partial(bare, content), 1)
        ratios.append(median(ours) / median(theirs))
    reader.close()
    console.print(
        f"Reading {len(files)} PDF files with a fingerprint, as multiples of the bare library (text, character boxes):"
        f" median {median(ratios):.2f}, worst {max(ratios):.2f}"
    )


def _read_one(reader: PdfProcess, content: bytes) -> str:
    return fingerprint(reader.read(content))


def _settings() -> Settings:
    return replace(Settings.read(), durability="normal")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=Path, default=Path("benchmarks/cases/documents/seen"))
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--events", type=int, default=0)
    options = parser.parse_args()
    console, data = Console(), os.environ.get("HEEDFUL_DATA")
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if options.events:
            measure_speed(console, options.events, folder)
            measure_reading(console, [sample_document(name, 1).content for name in SUPPLIERS])
            return
        sets = [("invented", [case for path in sorted(options.cases.glob("*.jsonl")) for case in read(path)])]
        if data and (real := Path(data) / "f_invoice_layouts" / "invoices.jsonl").exists():
            sets.append(("real invoices", read(real)))
        else:
            console.print(
                "[yellow]Real invoices are not measured: HEEDFUL_DATA names no folder with f_invoice_layouts.[/]"
            )
        sets.append(("samples", samples()))
        for name, cases in sets:
            clean, copies = [c for c in cases if not c.noisy], [c for c in cases if c.noisy]
            measure_layouts(console, name, clean, folder)
            measure_fields(console, name, clean, folder, show=options.show, language=None)
            rng = random.Random(7)
            later = copies or [noisy(case, rng) for case in clean for _ in range(2)]
            measure_repeats(console, name, clean, later, folder)


if __name__ == "__main__":
    main()
