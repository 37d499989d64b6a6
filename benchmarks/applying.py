"""How carefully a known correction is carried over to new texts: what it changes, what it misses, what it leaves alone.

Real texts are made wrong in one known way, so that the right result is known by construction: explanations of queries,
invoices, answers of coding assistants, sentences that people edited. Beside each stand near misses, in which nothing
may change. The data are not part of heedful: HEEDFUL_DATA names the folder they are in.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from rich.console import Console
from rich.table import Table

from heedful.apply.corrections.substitution import changes
from heedful.text.replacements import Replacement, changed

QUERIES = Path("c_learning_from_edits", "splash_corrections.jsonl")
EDITS = Path("c_learning_from_edits", "r3_edit_decisions.jsonl")
INVOICES = Path("f_invoice_layouts", "invoices.jsonl")
SESSIONS = Path("g_dev_conversations", "specstory_sessions.jsonl")
MOST = 2_500  # cases of each part
ROLE = re.compile(r"\b(?:for which|whose) (\w+) (equals|greater|less)")
AMOUNT = re.compile(r"(?<![\w.,/\-])\d{1,3}(?:\.\d{3})*,\d{2}(?![\w.,/\-])")
MISREAD = str.maketrans("0123456789", "8771667031")  # as a scanner misreads digits
TERMS = (  # what assistants write often, and a word they might have been told to use instead of another
    ("session", "dialogue"), ("sessions", "dialogues"), ("provider", "supplier"), ("test", "trial"),
    ("parser", "scanner"), ("message", "notice"), ("directory", "cabinet"), ("function", "routine"),
    ("comment", "footnote"), ("warning", "caution"), ("database", "registry"), ("pull request", "merge ticket"),
    ("markdown", "wikitext"), ("statistics", "metrics"), ("repository", "vault"), ("issue", "ticket"),
)  # fmt: skip


SAID = (  # applied to what was really written, for a reader to judge
    ("function", "method"), ("repo", "repository"), ("delete", "remove"), ("verify", "check"), ("JSON", "YAML"),
    ("error message", "status text"), ("session file", "transcript file"), ("unit test", "integration test"),
    ("30 seconds", "60 seconds"), ("sessionID", "session_id"), ("Cursor", "VS Code"), ("Claude Code", "Codex CLI"),
    ("SQLite", "PostgreSQL"), ("API", "REST API"), ("config", "configuration"), ("utilize", "use"),
    ("TypeScript", "JavaScript"), ("return an error", "return nil"), ("fetch", "retrieve"), ("directory", "folder"),
    ("the test fails", "the test passes"), ("backend", "server"), ("docstring", "comment"), ("markdown", "Markdown"),
)  # fmt: skip


class Case(NamedTuple):
    part: str
    text: str
    wrong: str
    right: str
    context: str
    expected: tuple[Replacement, ...]
    """Empty for a near miss."""
    why: str


def rows(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def case(part: str, pieces: Sequence[str], pair: tuple[str, str], context: str = "", why: str = "same") -> Case:
    """From what stands before, between and after the wrong words; one piece alone is a near miss."""
    wrong, right = pair
    text, expected = pieces[0], []
    for piece in pieces[1:]:
        expected.append(Replacement(len(text), wrong, right))
        text += wrong + piece
    return Case(part, text, wrong, right, context, tuple(expected), why)


def in_queries(folder: Path) -> Iterator[Case]:
    """A column that was wrong in a condition is wrong in the same condition, not where it is what was asked for."""
    found = rows(folder / QUERIES)
    explained = [(row["db_id"], step) for row in found for step in row["explanation"]]
    columns: dict[str, set[str]] = {}
    for db, step in explained:
        columns.setdefault(db, set()).update(match[1] for match in ROLE.finditer(step))
    for db, step in explained:
        for match in ROLE.finditer(step):
            for wrong in sorted(columns[db] - {match[1]}):
                if wrong in step:
                    continue
                pair = (f"{wrong} {match[2]}", f"{match[1]} {match[2]}")
                pieces = [step[: match.start(1)], step[match.end(2) :]]
                made = case("queries", pieces, pair)
                start = len(pieces[0])
                yield made._replace(expected=(Replacement(start, wrong, match[1]),))
                asked = re.sub(r"\bfind (?:the )?\w+", f"find the {wrong}", step, count=1)
                yield case("queries", [asked], pair, why="asked for, not a condition")
                longer = f"{pieces[0]}{wrong}_code {match[2]}{pieces[1]}"
                yield case("queries", [longer], pair, why="a longer name")


def lines(row: dict[str, Any]) -> list[str]:
    by_height: dict[tuple[int, int], list[tuple[float, str]]] = {}
    for page, x0, y0, _, _, text in row["words"]:
        by_height.setdefault((page, round(y0 * 500)), []).append((x0, text))
    return [" ".join(text for _, text in sorted(words)) for _, words in sorted(by_height.items())]


def in_invoices(folder: Path) -> Iterator[Case]:
    """An amount that was misread is misread under the same label, not under another, nor within a longer number."""
    for row in rows(folder / INVOICES):
        page = lines(row)
        fields = [
            (at, match)
            for at, line in enumerate(page)
            if len(found := [*AMOUNT.finditer(line)]) == 1
            for match in found
        ]
        fields = [(at, match) for at, match in fields if re.search(r"[^\W\d_]{3}", page[at][: match.start()])]
        for at, match in fields:
            wrong = match[0].translate(MISREAD)
            if wrong == match[0] or any(wrong in line for line in page):
                continue
            label = page[at][: match.start()]
            context = f"{label}{wrong}"
            before = "\n".join([*page[:at], label])
            after = "\n".join([page[at][match.end() :], *page[at + 1 :]])
            yield case("invoices", [before, after], (wrong, match[0]), context)
            full = case("invoices", [before, after], (wrong, match[0]))
            yield full._replace(wrong=context, right=label + match[0], why="label in the correction")
            for longer in ("1" + wrong, wrong + "5", f"7.{wrong}", f"{wrong}-3", f"-{wrong}"):
                yield case("invoices", [f"{before}{longer}{after}"], (wrong, match[0]), context, why="a longer number")
            for other, there in fields:
                if other != at and not set(page[other][: there.start()].lower().split()) & set(label.lower().split()):
                    moved = [*page]
                    moved[other] = page[other][: there.start()] + wrong + page[other][there.end() :]
                    yield case("invoices", ["\n".join(moved)], (wrong, match[0]), context, why="another label")


def prose(text: str) -> str:
    """The text with everything blanked that is no plain prose, each character in its place."""
    for kind in (
        r"(?s)```.*?(?:```|\Z)",
        r"`[^`\n]*`",
        r"\"[^\"\n]*\"",
        r"“[^”\n]*”",
        r"~~[^~\n]*~~",
        r"(?m)^[ \t]*>.*$",
    ):
        text = re.sub(kind, lambda match: "\x00" * len(match[0]), text)
    text = re.sub(r"\S*[/\\@_=<>{}\[\]|+]\S*", lambda match: "\x00" * len(match[0]), text)
    return re.sub(
        r"(?m)^(?:[-+].*|.*[;{}])$", lambda match: match[0] if match[0][1:2] == " " else "\x00" * len(match[0]), text
    )


def in_sessions(folder: Path) -> Iterator[Case]:
    """Answers in which the word somebody was told to use stands as the one to be replaced."""
    said = [turn["text"] for row in rows(folder / SESSIONS) for turn in row["turns"] if turn["role"] == "assistant"]
    for text in (text for text in said if text.count("```") % 2 == 0 and 40 < len(text) < 20_000):
        plain = prose(text)
        for right, wrong in TERMS:
            whole = re.compile(
                rf"(?<![\w\x00.\-'’])({right}|{right.capitalize()})(?![\w\x00\-]|['’](?!s\b)|[.:,]\w|\()"
            )
            places = list(whole.finditer(plain))
            if not places or wrong in text.lower():
                continue
            if len(re.findall(rf"(?i){right}", text)) == len(places):
                yield restored(text, places, wrong, right)
            first = places[0]
            for why, other in (
                ("part of a name", f"pre_{wrong}"),
                ("part of a name", f"{wrong}-like"),
                ("in code", f"`{wrong}`"),
                ("denied", f"anything, not {wrong}"),
                ("denied", f"other things instead of {wrong}"),
                ("a path", f"lib/{wrong}/core"),
                ("quoted at length", f"“the {wrong} was there”"),
            ):
                spoilt = text[: first.start()] + other + text[first.end() :]
                yield case("assistant answers", [spoilt], (wrong, right), why=why)


def restored(text: str, places: Sequence[re.Match[str]], wrong: str, right: str) -> Case:
    """The text with other words in these places, which the correction should put back."""
    made, expected, end = "", [], 0
    for match in places:
        made += text[end : match.start()]
        worse = wrong.capitalize() if match[0][0].isupper() else wrong
        expected.append(Replacement(len(made), worse, match[0]))
        made += worse
        end = match.end()
    return Case("assistant answers", made + text[end:], wrong, right, "", tuple(expected), "same")


def in_identifiers(folder: Path) -> Iterator[Case]:
    """An identifier that was renamed, in prose and code; not the names that only contain it."""
    said = [turn["text"] for row in rows(folder / SESSIONS) for turn in row["turns"] if turn["role"] == "assistant"]
    for text in (text for text in said if 40 < len(text) < 20_000):
        for right, _ in Counter(re.findall(r"`([a-z]+[A-Z][A-Za-z]+|[a-z]+_[a-z_]+[a-z])(?:\(\))?`", text)).most_common(
            2
        ):
            wrong = f"old{right[0].upper()}{right[1:]}" if "_" not in right else f"old_{right}"
            pieces = re.split(rf"(?<![\w/.\-]){right}(?![\w/\-]|\.\w)", text)
            if wrong in text or len(pieces) < 2 or any(right in piece for piece in pieces) or _tells(text):
                continue
            yield case("identifiers", pieces, (wrong, right))
            for longer in (f"my_{wrong}", f"{wrong}s", f"{wrong}_2", f"src/{wrong}.go", f"{wrong}.py"):
                yield case("identifiers", [longer.join(pieces)], (wrong, right), why="a longer name")


def _tells(text: str) -> bool:
    return (
        re.search(r"(?i)renam|replac|deprecat|remov|instead|rather|not\b|n't|no\b|never|without|old|→|~~|^[->]", text)
        is not None
    )


def in_edits(folder: Path) -> Iterator[Case]:
    """Sentences that were edited, put right as a whole; and other sentences, in which the edit has no place."""
    taken = [
        row for row in rows(folder / EDITS) if row["decision"] == "accept" and row["sentence"] != row["sentence_after"]
    ]
    for row in taken:
        sentence, after = row["sentence"], row["sentence_after"]
        if len(sentence) > 400 or sentence.count(row["before"]) != 1:
            continue
        yield Case("edits", sentence, sentence, after, "", (Replacement(0, sentence, after),), "whole sentence")
        for other in taken:
            same = other["doc_id"] == row["doc_id"] and row["before"] in other["sentence"]
            if same and not _alike(other["sentence"], sentence):
                yield Case("edits", other["sentence"], sentence, after, "", (), "another sentence")


def _alike(one: str, other: str) -> bool:
    """Two versions of the same sentence."""
    words, others = set(one.lower().split()), set(other.lower().split())
    return len(words & others) > 0.5 * min(len(words), len(others))


PARTS: tuple[Callable[[Path], Iterator[Case]], ...] = (in_queries, in_invoices, in_identifiers, in_sessions, in_edits)


class MiningOutcome(NamedTuple):
    case: Case
    found: tuple[Replacement, ...]

    @property
    def appropriate(self) -> int:
        """Of the places changed, those that were to be changed, and so."""
        if self.case.why == "whole sentence":  # how it is cut into changes does not matter
            sides = changed(self.case.text, self.found), changed(self.case.text, self.case.expected)
            as_wanted = len({"".join(side.split()) for side in sides}) == 1  # nor does the space before a full stop
            return len(self.found) if as_wanted else 0
        wanted = changed(self.case.text, self.case.expected)
        if changed(self.case.text, self.found) == wanted:
            return len(self.found)
        return sum(any(_does(change, one) for one in self.case.expected) for change in self.found)

    @property
    def reached(self) -> int:
        if self.case.why == "whole sentence":
            return min(1, self.appropriate)
        return min(self.appropriate, len(self.case.expected))


def _does(change: Replacement, wanted: Replacement) -> bool:
    return wanted.end == change.end and change.after.endswith(wanted.after) and change.start <= wanted.start


def outcomes(cases: Sequence[Case]) -> list[MiningOutcome]:
    return [MiningOutcome(one, tuple(changes(one.text, one.wrong, one.right, context=one.context))) for one in cases]


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def show(console: Console, results: Sequence[MiningOutcome]) -> None:
    table = Table("", title="Corrections carried over to other texts; what is right is known by construction")
    for heading in ("places", "changed", "changes", "appropriate", "near misses", "left alone"):
        table.add_column(heading, justify="right")
    for part in [*dict.fromkeys(one.case.part for one in results), "all"]:
        here = [one for one in results if part in ("all", one.case.part)]
        wanted = sum(len(one.case.expected) for one in here)
        made = sum(len(one.found) for one in here)
        near = [one for one in here if not one.case.expected]
        table.add_row(
            part,
            str(wanted),
            share(sum(one.reached for one in here), wanted),
            str(made),
            share(sum(one.appropriate for one in here), made),
            str(len(near)),
            share(sum(not one.found for one in near), len(near)),
        )
    console.print(table)


def read_aloud(console: Console, results: Sequence[MiningOutcome], count: int, *, wrong_only: bool) -> None:
    """Changes to be judged by a reader."""
    made = [(one, change) for one in results for change in one.found]
    if wrong_only:
        made = [(one, change) for one, change in made if one.appropriate < len(one.found)]
    for one, change in random.Random(7).sample(made, min(count, len(made))):
        before, after = (
            one.case.text[max(0, change.start - 70) : change.start],
            one.case.text[change.end : change.end + 50],
        )
        shown = f"{before}⟦{change.before}→{change.after}⟧{after}".replace("\n", "⏎")
        console.print(f"{one.case.part}, {one.case.why}: {shown}", markup=False, highlight=False, soft_wrap=True)


def read_as_said(console: Console, folder: Path, count: int) -> None:
    """The same for texts that nobody made wrong: at most a few for each correction, so that none drowns the others."""
    texts = [turn["text"] for row in rows(folder / SESSIONS) for turn in row["turns"] if turn["role"] == "assistant"]
    random.Random(7).shuffle(texts)
    made: list[MiningOutcome] = []
    for wrong, right in SAID:
        cases = [Case("as said", text, wrong, right, "", (), wrong) for text in texts if len(text) < 20_000]
        changing = [one for one in outcomes(cases) if one.found]
        made += [one._replace(found=one.found[:1]) for one in changing[: 2 * count // len(SAID)]]
    read_aloud(console, made, count, wrong_only=False)


def speed(results: Sequence[MiningOutcome]) -> tuple[float, float]:
    """Milliseconds for 20 KB of text: the middle and the slowest of a hundred."""
    texts = [one.case for one in results if one.case.expected and one.case.part == "assistant answers"]
    taken: list[float] = []
    for one in random.Random(7).sample(texts, min(100, len(texts))):
        text = one.text + "\n\n" + " ".join(other.text for other in texts[:40])[: 20_000 - len(one.text)]
        begun = time.process_time()  # not what others do meanwhile
        for _ in range(3):
            changes(text, one.wrong, one.right)
        taken.append((time.process_time() - begun) / 3 * 1e3)
    taken.sort()
    return (taken[len(taken) // 2], taken[-1]) if taken else (0.0, 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", type=int, default=0, help="print that many changes, drawn by chance, for reading")
    parser.add_argument("--wrong", action="store_true", help="print only changes that were not to be made")
    parser.add_argument("--said", type=int, default=0, help="print that many changes of texts as they were written")
    chosen = parser.parse_args()
    folder = os.environ.get("HEEDFUL_DATA")
    if not folder:
        print(f"Skipped: HEEDFUL_DATA is not set. Set it to the folder that holds {QUERIES}.")
        return
    missing = [path for path in (QUERIES, EDITS, INVOICES, SESSIONS) if not (Path(folder) / path).is_file()]
    if missing:
        print(f"Skipped: there is no {missing[0]} in HEEDFUL_DATA.")
        return
    cases: list[Case] = []
    for part in PARTS:
        made = list(part(Path(folder)))
        cases += random.Random(7).sample(made, min(MOST, len(made)))
    console = Console()
    results = outcomes(cases)
    show(console, results)
    if chosen.show:
        read_aloud(console, results, chosen.show, wrong_only=chosen.wrong)
    if chosen.said:
        read_as_said(console, Path(folder), chosen.said)
    middle, slowest = speed(results)
    console.print(f"20 KB of text take {middle:.1f} ms, {slowest:.1f} ms at the most.")


if __name__ == "__main__":
    main()
