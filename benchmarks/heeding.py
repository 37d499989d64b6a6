"""How often the next answer of a real language model heeds what was said once, by teacher.

    python benchmarks/heeding.py [--all] [--cases FILE …] [--answers FILE] [--show]

The model is the application: any server with the API of OpenAI at HEEDFUL_LLM_URL; a small one on your own machine will
do. It is asked the same in four ways: without heedful, with heedful's context, with a plain vector memory (the five
nearest raw exchanges, same embedder), and with the right exchange handed over, which is the most this model can do.
Everything that was said, by all teachers, is in one store, so what matters must be found among the rest.

An answer heeds what was said if it has the right words and not the wrong ones; no model judges. Temperature is 0 and
the seed is fixed. By default some cases of each teacher are asked, evenly spaced; that takes about a quarter of an hour
on two quiet cores; with --all, all of them. With --answers, answers are kept in a file, and only new prompts are asked.
Without a model, only what was found is shown. The cases were seen while heedful was written, unless you name others.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import os
import re
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import orjson
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import heedful
from heedful.edges.worker import Worker
from heedful.learnings.documents.library import Library
from heedful.providers.embedder import LocalEmbedder
from heedful.records.context import Context
from heedful.records.document import Document, Value
from heedful.records.interval import wilson
from heedful.records.language import estimate
from heedful.settings import Settings
from heedful.testing.documents import SUPPLIERS, sample_document
from heedful.text.page_text import plain
from heedful.text.printed_values import compact, same

Case = dict[str, Any]
CASES = Path(__file__).parent / "cases"
SAID = (CASES / "seen" / "a.jsonl", CASES / "plain" / "seen" / "p.jsonl")
REVIEWS = CASES / "heeding" / "seen" / "reviews.jsonl"
SUGGESTIONS = CASES / "heeding" / "seen" / "suggestions.jsonl"
ARMS = ("without heedful", "with heedful", "vector memory", "the right exchange")
ASKED = {"conversations": 12, "reviews": 8, "suggestions": 6, "documents": 6}  # by default
BUDGET = 600  # tokens of a context
ANSWER = 90  # tokens of an answer: whatever is to be heeded comes early
NEAREST = 5
PAGE = 800  # characters of a document
LONGEST = 1_800  # seconds of an answer: small models on busy machines take minutes
FIRST, NEXT = 1, 4  # of the sample documents of a supplier: short ones

ASSISTANT = "You are the assistant of this person. Answer in one or two sentences."
AGENT = "You are the agent {agent} of a team. Do the task. Be brief."
EDITOR = "You suggest rewordings. Rule {rule}: {about} Answer with the reworded sentence only."
CLERK = "You read values from documents. Answer with the value only. Write dates as YYYY-MM-DD."


@dataclass(frozen=True, slots=True)
class Trial:
    """Something was said once; now it matters."""

    teacher: str
    instructions: str
    asked: str
    exchange: str
    """What was said, as it was said."""
    context: Callable[[], Context]
    must: tuple[str, ...]
    must_not: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    """Words that a text has which says it again; those of the answer, if there are none."""
    value: Value | None = None
    """Of a field of a document: what the answer must be."""
    local: Callable[[], Value | None] | None = None
    """What heedful extracts by itself."""


class Answer(NamedTuple):
    text: str
    seconds: float


def has(text: str, words: str) -> bool:
    """Whether words stand in a text: not within longer words or numbers, but maybe with another ending."""
    before = r"(?<!\w)" if words[:1].isalnum() else ""
    after = r"(?![\d])" if words[-1:].isdigit() else ""
    return re.search(before + re.escape(words.casefold()) + after, text.casefold()) is not None


def mistaken(trial: Trial, text: str) -> bool:
    return any(has(text, words) for words in trial.must_not)


def heeded(trial: Trial, text: str) -> bool:
    if trial.value is not None:
        return gives(text, trial.value)
    return bool(text.strip()) and all(has(text, words) for words in trial.must) and not mistaken(trial, text)


def gives(text: str, value: Value) -> bool:
    if isinstance(value, str):
        return compact(value) in compact(text)
    return any(same(part, value) for part in text.split())


def read(path: Path) -> list[Case]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


# What is said, by each teacher


def conversations(loop: heedful.Loop, files: Sequence[Path], besides: list[str]) -> Iterator[Trial]:
    """Every message is sent; those that correct nothing, or nothing for later, are only stored `besides`."""
    for number, case in enumerate(case for file in files for case in read(file)):
        loop.capture.message(
            case["message"], last_output=case["output"], query=case["question"] or None, id=f"said-{number}"
        )
        turns = (("The person", case["question"]), ("You", case["output"]), ("The person", case["message"]))
        exchange = "\n".join(f"{who}: {said}" for who, said in turns if said)
        asked, must, must_not = (case[f"later_{part}"] for part in ("question", "answer_must", "answer_must_not"))
        if not (case["correction"] and asked and (must or must_not)):
            besides.append(exchange)
            continue
        yield Trial(
            "conversations",
            ASSISTANT,
            asked,
            exchange,
            lambda asked=asked: loop.apply.context(asked, budget=BUDGET),  # type: ignore[misc]
            tuple(filter(None, (must,))),
            tuple(filter(None, (must_not,))),
        )


def reviews(loop: heedful.Loop) -> Iterator[Trial]:
    """A reviewer changed an output, and two people approved the rule."""
    for case in read(REVIEWS):
        agent, asked = case["agent"], case["next_task"]
        changes = {name: case[name] for name in ("output", "approved", "comment")}
        loop.capture.review(agent, "APPROVED_WITH_CHANGES", **changes, reviewer="lee", tags=())
        proposal = loop.govern.proposals.propose(case["rule"], agents=[agent], type="CONSTRAINT", by="lee")
        for person in ("kim", "mara"):
            loop.govern.proposals.approve(proposal.id, by=person)
        exchange = (
            f"Task of {agent}: {case['task']}\n{agent}: {case['output']}\nThe reviewer: {case['comment']}\n"
            f"Approved instead: {case['approved']}"
        )
        yield Trial(
            "reviews",
            AGENT.format(agent=agent),
            asked,
            exchange,
            lambda asked=asked, agent=agent: loop.apply.context(asked, agent=agent, budget=BUDGET),  # type: ignore[misc]
            tuple(case["must"]),
            tuple(case["must_not"]),
        )


def suggestions(loop: heedful.Loop) -> Iterator[Trial]:
    """A person rejected or changed one suggestion for a rule."""
    for case in read(SUGGESTIONS):
        rule, asked = case["rule"], case["next_sentence"]
        texts = {name: case[name] for name in ("original", "suggested", "comment")}
        final = {"final": case["final"]} if case["final"] else {}
        loop.capture.fix(rule, case["decision"], **texts, **final, actor="dana")
        said = f" because: {case['comment']}" if case["comment"] else ""
        instead = f"\nThe person wrote instead: {case['final']}" if case["final"] else ""
        exchange = (
            f"Rule {rule}: {case['about']}\nSentence: {case['original']}\nSuggested: {case['suggested']}\n"
            f"The person {case['decision']} it{said}{instead}"
        )
        yield Trial(
            "suggestions",
            EDITOR.format(rule=rule, about=case["about"]),
            asked,
            exchange,
            lambda asked=asked, rule=rule: loop.apply.context(asked, rule=rule, user="dana", budget=BUDGET),  # type: ignore[misc]
            tuple(case["must"]),
            tuple(case["must_not"]),
        )


def documents(loop: heedful.Loop) -> Iterator[Trial]:
    """An operator corrected a field of a document, which would be wrong again in the next one of the same layout."""
    for supplier in SUPPLIERS:
        first, following = sample_document(supplier, FIRST), sample_document(supplier, NEXT)
        received = loop.capture.document(first.content, name=first.name)
        draft = loop.apply.extract(received)
        later = loop.capture.document(following.content, name=following.name)
        untaught = loop.apply.preview(later)
        for name, value in first.fields.items():
            given = draft.fields.get(name)
            if given is None or not same(given.value, value):
                loop.capture.field_corrected(draft, name, value, by="dana")
        for name, value in following.fields.items():
            given, once = draft.fields.get(name), untaught.fields.get(name)
            wrong_then = given is None or not same(given.value, first.fields[name])
            wrong_now = once is None or not same(once.value, value)
            if wrong_then and wrong_now and gives(page(loop, later), value):
                yield _field(
                    loop, name, (received, later), (first.fields[name], value), None if once is None else once.value
                )
        loop.capture.draft_confirmed(draft, by="dana")


def _field(
    loop: heedful.Loop, name: str, both: tuple[Document, Document], values: tuple[Value, Value], mistake: Value | None
) -> Trial:
    first, following = both
    words = name.replace("_", " ")
    right, value = values
    return Trial(
        "documents",
        CLERK,
        f"Document:\n{page(loop, following)}\n\nWhat is the {words}?",
        f"Document:\n{page(loop, first)}\nThe {words} was extracted wrongly. The person corrected it: {right}",
        lambda: loop.apply.context(f"extract the {words}", document=following.id, budget=BUDGET),
        (),
        () if mistake is None else (str(mistake),),
        (str(right),),
        value,
        lambda: field_of(loop, following, name),
    )


def page(loop: heedful.Loop, document: Document) -> str:
    return plain(Library(loop.store).words(document.id), PAGE)


def field_of(loop: heedful.Loop, document: Document, name: str) -> Value | None:
    found = loop.apply.preview(document).fields.get(name)
    return None if found is None else found.value


# The ways to ask


class VectorMemory:
    """All exchanges as they were said, found by meaning."""

    def __init__(self, exchanges: Sequence[str]) -> None:
        self._exchanges = exchanges
        self._embedder = LocalEmbedder()
        self._vectors = self._embedder.embed(exchanges)

    def nearest(self, text: str) -> list[str]:
        cosines = self._vectors @ self._embedder.embed([text])[0]
        return [self._exchanges[int(place)] for place in np.argsort(-cosines)[:NEAREST]]


class Model:
    """Asks the server, and keeps its answers."""

    def __init__(self, url: str, name: str, kept: Path | None) -> None:
        self.name = name
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._kept = kept
        lines = kept.read_bytes().splitlines() if kept is not None and kept.exists() else []
        self._known = {key: Answer(*answer) for key, *answer in map(orjson.loads, lines)}

    def answer(self, system: str, user: str) -> Answer:
        body = {
            "model": self.name,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "temperature": 0,
            "seed": 1,
            "max_tokens": ANSWER,
        }
        asked = orjson.dumps(body)
        key = blake2b(asked, digest_size=16).hexdigest()
        if key not in self._known:
            self._known[key] = self._ask(asked)
            if self._kept is not None:
                with self._kept.open("ab") as file:
                    file.write(orjson.dumps([key, *self._known[key]]) + b"\n")
        return self._known[key]

    def _ask(self, body: bytes) -> Answer:
        started = time.perf_counter()
        request = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=LONGEST) as response:
            answered = orjson.loads(response.read())
        text = answered["choices"][0]["message"]["content"] or ""
        return Answer(text, time.perf_counter() - started)


def given(context: Context) -> str:
    """What an application puts into its prompt: the text, and for a document the corrected examples of its layout."""
    if not context.hint_examples:
        return context.text
    examples = orjson.dumps([one.to_dict() for one in context.hint_examples]).decode()
    return f"{context.text}\n\nCorrected examples of documents with the same layout:\n{examples}".strip()


def systems(trial: Trial, memory: VectorMemory) -> dict[str, str]:
    """The system prompt of each way to ask."""
    added = {
        "without heedful": "",
        "with heedful": given(trial.context()),
        "vector memory": "\n\n".join(("Earlier:", *memory.nearest(trial.asked))),
        "the right exchange": f"Earlier:\n\n{trial.exchange}",
    }
    return {arm: f"{trial.instructions}\n\n{added[arm]}".strip() for arm in ARMS}


def chosen(trials: Sequence[Trial], *, everything: bool) -> list[Trial]:
    """Some of each teacher, evenly spaced, or all; teachers take turns, so that an interrupted run has some of each."""
    of = {teacher: [one for one in trials if one.teacher == teacher] for teacher in ASKED}
    if not everything:
        of = {teacher: spaced(some, ASKED[teacher]) for teacher, some in of.items()}
    placed = [((number + 0.5) / len(some), one) for some in of.values() for number, one in enumerate(some)]
    return [one for _, one in sorted(placed, key=lambda pair: pair[0])]


def spaced(some: Sequence[Trial], most: int) -> list[Trial]:
    count = min(most, len(some))
    return [some[number * len(some) // count] for number in range(count)]


# What comes of it


@dataclass(slots=True)
class Result:
    heeded: int = 0
    of: int = 0
    mistaken: int = 0
    could_be: int = 0
    """Answers whose mistake could be recognised."""
    seconds: list[float] = field(default_factory=list)

    def add(self, trial: Trial, answer: Answer) -> None:
        self.heeded += heeded(trial, answer.text)
        self.of += 1
        self.mistaken += mistaken(trial, answer.text)
        self.could_be += bool(trial.must_not)
        self.seconds.append(answer.seconds)


def share(held: int, of: int) -> str:
    if not of:
        return "–"
    interval = wilson(held, of)
    return f"{held / of:.2f}  ({held} of {of}; {interval.low:.2f} to {interval.high:.2f})"


def ask(console: Console, model: Model, trials: Sequence[Trial], memory: VectorMemory, *, show: bool) -> None:
    found = {(teacher, arm): Result() for teacher in (*ASKED, "all") for arm in ARMS}
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(f"asking {model.name}", total=len(trials) * len(ARMS))
        for trial in trials:
            for arm, system in systems(trial, memory).items():
                answer = model.answer(system, trial.asked)
                for teacher in (trial.teacher, "all"):
                    found[teacher, arm].add(trial, answer)
                progress.advance(task)
                if show:
                    mark = "heeded" if heeded(trial, answer.text) else "[red]not heeded[/]"
                    console.print(f"{trial.teacher}, {arm}: {mark}: ", end="")
                    console.print(f"{trial.asked[-100:]!r} → {answer.text!r}", markup=False, highlight=False)
    console.print(table(model, trials, found))


def table(model: Model, trials: Sequence[Trial], found: dict[tuple[str, str], Result]) -> Table:
    title = f"The next answer of {model.name} heeds what was said once: {len(trials)} cases"
    shown = Table(
        "", "", "heeded (95% interval)", "mistake repeated", "s per answer", title=title, title_justify="left"
    )
    for teacher in ("all", *ASKED):
        for arm in ARMS:
            one = found[teacher, arm]
            if one.of:
                shown.add_row(
                    teacher if arm == ARMS[0] else "",
                    arm,
                    share(one.heeded, one.of),
                    f"{one.mistaken} of {one.could_be}",
                    f"{median(one.seconds):.1f}",
                )
        shown.add_section()
    return shown


def says(trial: Trial, text: str) -> bool:
    return all(has(text, words) for words in trial.told or trial.must)


def show_found(console: Console, trials: Sequence[Trial], memory: VectorMemory) -> None:
    """What the model is given, before it is asked."""
    title = "The right words among what the model is given, and its tokens"
    shown = Table("", "cases", *ARMS[1:], title=title, title_justify="left")
    for teacher in ASKED:
        some = [one for one in trials if one.teacher == teacher and (one.told or one.must)]
        contexts = [given(one.context()) for one in some]
        nearest = ["\n\n".join(memory.nearest(one.asked)) for one in some]
        exchanges = [one.exchange for one in some]
        cells = []
        for texts in (contexts, nearest, exchanges):
            right = sum(map(says, some, texts)) / max(1, len(some))
            cells.append(f"{right:.2f}, {mean(map(estimate, texts)):.0f} tokens" if texts else "–")
        shown.add_row(teacher, str(len(some)), *cells)
    console.print(shown)
    local = [gives(str(one.local()), one.value) for one in trials if one.local is not None and one.value is not None]
    itself = share(sum(local), len(local))
    console.print(f"Fields of documents that are right where heedful extracts by itself, without a model: {itself}")


def configured(kept: Path | None) -> Model | None:
    url = os.environ.get("HEEDFUL_LLM_URL")
    name = os.environ.get("HEEDFUL_LLM", "compatible:local").partition(":")[2] or "local"
    return None if not url else Model(url, name, kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="ask about every case")
    parser.add_argument("--cases", type=Path, nargs="+", default=SAID, help="files of conversations")
    parser.add_argument("--answers", type=Path, help="a file that keeps answers from run to run")
    parser.add_argument("--show", action="store_true", help="print every answer")
    options = parser.parse_args()
    run(Console(), options.cases, everything=options.all, kept=options.answers, show=options.show)


def run(
    console: Console,
    files: Sequence[Path] = SAID,
    *,
    everything: bool = False,
    kept: Path | None = None,
    show: bool = False,
) -> None:
    settings = Settings("", llm=())  # heedful itself uses no language model
    with TemporaryDirectory() as folder, heedful.open(f"{folder}/heeding.db", settings=settings) as loop:
        with console.status("recording what was said"):
            besides: list[str] = []
            said = conversations(loop, files, besides)
            trials = [*said, *reviews(loop), *suggestions(loop), *documents(loop)]
            Worker(loop).run_all()
            memory = VectorMemory([*(one.exchange for one in trials), *besides])
        show_found(console, trials, memory)
        model = configured(kept)
        if model is None:
            console.print("Skipped: asking a model. Set HEEDFUL_LLM_URL to the address of a server, such as …/v1.")
            return
        ask(console, model, chosen(trials, everything=everything), memory, show=show)


if __name__ == "__main__":
    main()
