"""How many secrets and personal data are found in labelled texts, how many finds are wrong, and how fast it is.

    HEEDFUL_DATA=… python benchmarks/sanitising.py [--missed | --wrong] [--sessions]

Reads `h_pii_secrets`: texts with marked personal data, written by template, and files with marked lines that hold a
credential. The patterns were tuned on 60% of the templates and files, drawn by hash; the other 40% were only counted,
and are reported beside all. `--missed` and `--wrong` print what the tuned part still gets wrong. `--sessions` cleans
`g_dev_conversations` as well, whose texts are masked already: most of what is found there is wrong.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import gzip
import hashlib
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from heedful.text.redaction import Sanitiser
from heedful.text.redaction.search import find_spans
from heedful.text.redaction.spans import SensitiveSpan

_TUNED = 6  # tenths
_CALLED = {
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "CREDIT_CARD": "CARD",
    "IBAN_CODE": "IBAN",
    "IP_ADDRESS": "IP",
    "PERSON": "NAME",
    "STREET_ADDRESS": "ADDRESS",
}
_SECRET = frozenset({"PRIVATE_KEY", "TOKEN", "PASSWORD", "SECRET"})
_PARTS = ("tuned on", "held out", "all")
_SIZES = (100_000, 200_000, 400_000)
_HOSTILE: dict[str, Callable[[int], str]] = {
    "one letter": lambda size: "a" * size,
    "one digit": lambda size: "1" * size,
    "key=key=key=": lambda size: "key=" * (size // 4),
    'password="password="': lambda size: 'password="' * (size // 10),
    "nested quotes": lambda size: "token='\"" * (size // 8),
    "@@@@": lambda size: "@" * size,
    "a@a.a@a.": lambda size: "a@a." * (size // 4),
    "1 1 1 1": lambda size: "1 " * (size // 2),
    "1.1.1.1": lambda size: "1." * (size // 2),
    "a:a:a:a": lambda size: "a:" * (size // 2),
    "-----": lambda size: "-" * size,
    "private keys begun": lambda size: "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n" * (size // 53),
    "private keys ended": lambda size: "AAAAAAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----\n" * (size // 51),
    "://a:a:a": lambda size: "://a:a" * (size // 6),
    "names": lambda size: "Hi Anna Berg,\n" * (size // 14),
    "curl curl": lambda size: "curl -u " * (size // 8),
    "capitals": lambda size: "A " * (size // 2),
    "cookies": lambda size: "cookie: a=" * (size // 10),
    "home paths": lambda size: "/home/a" * (size // 7),
    "eyJeyJ": lambda size: "eyJ" * (size // 3),
    "streets": lambda size: "1 A Street " * (size // 11),
    "sentences": lambda size: "the password 1 of " * (size // 18),
    "prefixes": lambda size: "sk-glpat-" * (size // 9),
    "rows": lambda size: "insert into t (password) values ('a')," * (size // 38),
    "calls": lambda size: "login('a', " * (size // 11),
    "elements": lambda size: "<password>" * (size // 10),
    "flags": lambda size: "mysql -p " * (size // 9),
    "pairs": lambda size: "root / " * (size // 7),
    "blocks": lambda size: "token {\n a = b\n" * (size // 15),
    "values": lambda size: "key, value " * (size // 11),
}


class Text(NamedTuple):
    group: str
    text: str
    marked: list[tuple[str, int, int]]


class Count:
    """What was marked, what of it was found, and what was found besides."""

    def __init__(self) -> None:
        self.marked = self.found = self.right = self.wrong = 0

    def cells(self) -> list[str]:
        recall = self.found / self.marked if self.marked else None
        precision = self.right / (self.right + self.wrong) if self.right + self.wrong else None
        f1 = 2 * recall * precision / (recall + precision) if recall and precision else None
        return [str(self.marked), *("" if share is None else f"{share:.3f}" for share in (recall, precision, f1))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--sessions", action="store_true")
    chosen = parser.parse_args()
    folder = os.environ.get("HEEDFUL_DATA")
    if not folder or not (Path(folder) / "h_pii_secrets").is_dir():
        sys.exit("set HEEDFUL_DATA to the folder that holds h_pii_secrets")
    console = Console()
    people, files = _people(Path(folder)), _files(Path(folder))
    console.print(_table("Personal data: marked spans covered, finds that touch one", _score_spans(people, chosen)))
    console.print(_table("Lines with a credential", _score_lines(files, chosen)))
    sessions = Path(folder) / "g_dev_conversations" / "specstory_sessions.jsonl"
    if sessions.exists():
        _sessions(console, list(_said(sessions)), show=chosen.sessions)
    _hostile(console)


def is_tuned_on(group: str) -> bool:
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % 10 < _TUNED


def _people(folder: Path) -> list[Text]:
    rows = map(json.loads, (folder / "h_pii_secrets" / "pii_presidio.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        Text(str(row["template_id"]), row["text"], [(one["type"], one["start"], one["end"]) for one in row["spans"]])
        for row in rows
    ]


def _files(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Lines in their files: a key of many lines is found as a whole."""
    files = defaultdict(list)
    with gzip.open(folder / "h_pii_secrets" / "secrets_lines.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            files[row["file"]].append(row)
    return files


def _score_spans(texts: Sequence[Text], chosen: argparse.Namespace) -> dict[str, dict[str, Count]]:
    counts: dict[str, dict[str, Count]] = {part: defaultdict(Count) for part in _PARTS}
    for group, text, marked in texts:
        tuned = is_tuned_on(group)
        found = find_spans(text)
        for part in (_PARTS[0] if tuned else _PARTS[1], _PARTS[2]):
            for called, start, end in marked:
                if called in _CALLED:
                    counts[part][_CALLED[called]].marked += 1
                    counts[part][_CALLED[called]].found += _is_covered(text, start, end, found)
            for one in found:
                right = any(_fits(one, called) and start < one.end and one.start < end for called, start, end in marked)
                counts[part][one.type].right += right
                counts[part][one.type].wrong += not right
        if tuned and chosen.missed:
            for called, start, end in marked:
                if called in _CALLED and not _is_covered(text, start, end, found):
                    print("missed", called, repr(text[max(0, start - 40) : end + 15]))
        if tuned and chosen.wrong:
            for one in found:
                if not any(_fits(one, called) and start < one.end and one.start < end for called, start, end in marked):
                    print("wrong", one.type, repr(text[max(0, one.start - 30) : one.end + 10]))
    return counts


def _fits(one: SensitiveSpan, called: str) -> bool:
    return _CALLED.get(called) == one.type or (one.type == "ADDRESS" and called in {"GPE", "ZIP_CODE"})


def _is_covered(text: str, start: int, end: int, found: Sequence[SensitiveSpan]) -> bool:
    """Every letter and digit of it lies in some finding."""
    return all(
        any(one.start <= place < one.end for one in found) for place in range(start, end) if text[place].isalnum()
    )


def _score_lines(files: dict[str, list[dict[str, Any]]], chosen: argparse.Namespace) -> dict[str, dict[str, Count]]:
    counts: dict[str, dict[str, Count]] = {part: defaultdict(Count) for part in _PARTS}
    for file, rows in files.items():
        found = [one for one in find_spans("\n".join(row["text"] for row in rows)) if one.type in _SECRET]
        start = 0
        for row in rows:
            end = start + len(row["text"])
            hit = any(one.start < end and start < one.end for one in found)
            for part in (_PARTS[0] if is_tuned_on(file) else _PARTS[1], _PARTS[2]):
                count = counts[part]["lines"]
                count.marked += row["label"]
                count.found += row["label"] and hit
                count.right += row["label"] and hit
                count.wrong += hit and not row["label"]
            if is_tuned_on(file) and ((chosen.missed and row["label"] > hit) or (chosen.wrong and hit > row["label"])):
                print("wrong" if hit else "missed", file.split("/")[-1], row["text"][:160])
            start = end + 1
    return counts


def _table(title: str, counts: dict[str, dict[str, Count]]) -> Table:
    table = Table("", "", title=title)
    for heading in ("marked", "recall", "precision", "F1"):
        table.add_column(heading, justify="right")
    for part in _PARTS:
        for type, count in sorted(counts[part].items()):
            table.add_row(part, type, *count.cells())
        table.add_section()
    return table


def _said(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        for turn in json.loads(line)["turns"]:
            yield turn.get("text") or ""
            yield from (tool.get("body") or "" for tool in turn.get("tools") or ())


def _sessions(console: Console, texts: Sequence[str], *, show: bool) -> None:
    sanitiser = Sanitiser(lambda value: hashlib.sha256(value.encode()).hexdigest())
    size = sum(map(len, texts))
    begun = time.thread_time()
    for text in texts:
        sanitiser.clean(text)
    took = time.thread_time() - begun
    console.print(f"sessions: {size / 1e6:.1f} M characters in {len(texts)} texts, {size / took / 1e6:.1f} M a second")
    console.print(f"replaced: {dict(sanitiser.found.most_common())}")
    if show:
        seen: Counter[tuple[str, str]] = Counter()
        for text in texts:
            for one in find_spans(text):
                seen[one.type, one.value] += 1
                if seen[one.type, one.value] == 1:
                    print(one.type, repr(text[max(0, one.start - 50) : one.end + 20][:260]))


def _hostile(console: Console) -> None:
    table = Table("hostile text", title="Time on the processor, and how it grows with the text (2 is linear)")
    for size in _SIZES:
        table.add_column(f"{size:,}", justify="right")
    table.add_column("growth", justify="right")
    for name, text in _HOSTILE.items():
        took = []
        for size in _SIZES:
            sanitiser = Sanitiser(lambda value: hashlib.sha256(value.encode()).hexdigest())
            begun = time.thread_time()
            sanitiser.clean(text(size))
            took.append(time.thread_time() - begun)
        table.add_row(name, *(f"{one * 1e3:.0f} ms" for one in took), f"{took[2] / took[1]:.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
